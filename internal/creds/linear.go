// Package creds looks credentials up where the specification says
// (dispatcher-system.md, Credentials and environment).
//
// It promises that a credential is read when it is needed and that no error
// holds any of it. It never writes one anywhere.
package creds

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// LinearEnv is the variable that holds the Linear API key.
const LinearEnv = "LINEAR_API_KEY"

// keysFile holds API keys by service, in the secrets folder of the main
// checkout: {"Linear": "lin_api_..."}.
const keysFile = "api-keys.json"

// maxFile bounds the file, in bytes.
const maxFile = 64 << 10

// ErrNone says that there is no such credential on this machine.
var ErrNone = errors.New("no Linear API key")

// Linear is the Linear API key: from LINEAR_API_KEY, else from api-keys.json in
// the secrets folder.
func Linear(getenv func(string) string, secrets string) (string, error) {
	if key := strings.TrimSpace(getenv(LinearEnv)); key != "" {
		if err := oneWord(key); err != nil {
			return "", fmt.Errorf("the Linear API key in $%s: %w", LinearEnv, err)
		}
		return key, nil
	}
	return LinearFile(secrets)
}

// LinearFile is the key of the file alone.
func LinearFile(secrets string) (string, error) {
	path := filepath.Join(secrets, keysFile)
	data, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%w: set $%s, or write {\"Linear\": \"lin_api_...\"} to %s (Linear: Settings, Security & access, Personal API keys)", ErrNone, LinearEnv, path)
	}
	if err != nil {
		return "", fmt.Errorf("read the Linear API key: %w", err)
	}
	var keys struct {
		Linear string `json:"Linear"`
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		// The decoder's words may hold a piece of the file.
		return "", fmt.Errorf("read the Linear API key: %s is not JSON of the form {\"Linear\": \"lin_api_...\"}", path)
	}
	key := strings.TrimSpace(keys.Linear)
	if key == "" {
		return "", fmt.Errorf("%w: %s has no \"Linear\"; set $%s, or add it there", ErrNone, path, LinearEnv)
	}
	if err := oneWord(key); err != nil {
		return "", fmt.Errorf("the Linear API key in %s: %w", path, err)
	}
	return key, nil
}

func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is no file of keys", path)
	}
	return os.ReadFile(path)
}

// oneWord refuses what cannot stand in a header.
func oneWord(key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("it holds spaces or other characters that no key has")
	}
	return nil
}
