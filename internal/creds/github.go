package creds

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

// GitHubEnv is the variable that holds a person's login on a GitHub elsewhere
// than at github.com; it is gh's own name for it.
const GitHubEnv = "GH_ENTERPRISE_TOKEN"

// ErrNoGitHub says that there is no such login on this machine.
var ErrNoGitHub = errors.New("no login for the GitHub of githubUrl")

// GitHub is a person's login on a GitHub elsewhere than at github.com: from
// api-keys.json in the secrets folder, which belongs to this configuration, else
// from GH_ENTERPRISE_TOKEN, which may be for another server.
func GitHub(getenv func(string) string, secrets string) (string, error) {
	token, err := GitHubFile(secrets)
	if env := strings.TrimSpace(getenv(GitHubEnv)); err != nil && env != "" {
		token, err = env, oneWord(env)
	}
	if err != nil {
		return "", fmt.Errorf("%w (in $%s, or as \"GitHub\" in %s)", err, GitHubEnv, filepath.Join(secrets, keysFile))
	}
	return token, nil
}

// GitHubFile is the login of the file alone.
func GitHubFile(secrets string) (string, error) {
	data, err := read(filepath.Join(secrets, keysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoGitHub
	}
	if err != nil {
		return "", fmt.Errorf("read the GitHub login: %w", err)
	}
	var keys struct {
		GitHub string `json:"GitHub"`
	}
	if json.Unmarshal(data, &keys) != nil {
		// The decoder's words may hold a piece of the file.
		return "", errors.New("read the GitHub login: the file is not JSON")
	}
	if token := strings.TrimSpace(keys.GitHub); token != "" {
		return token, oneWord(token)
	}
	return "", ErrNoGitHub
}
