package gitapp

import (
	"crypto/rsa"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/backside4charter/dispatcher/internal/git"
)

// App is one registered GitHub App as the configuration has it
// (dispatcher-system.md, Configuration).
type App struct {
	Role           string // developer or reviewer
	AppID          int64
	InstallationID int64
	Slug           string
	BotLogin       string // the slug with [bot]
	BotUserID      int64
	KeyEnvVar      string // holds the private key
	KeyFile        string // its name in the secrets folder, where the variable is not set
}

// Identity is how git writes the App's account into a commit, such that GitHub
// attributes it: <id>+<login>@users.noreply.github.com.
func (a *App) Identity() Identity {
	return git.Identity{Name: a.BotLogin, Email: fmt.Sprintf("%d+%s@users.noreply.github.com", a.BotUserID, a.BotLogin)}
}

// Keys looks private keys up; it never keeps one.
type Keys struct {
	Getenv  func(string) string
	Secrets string // folder of the main checkout
}

// ErrNoKey says that an App has no private key on this machine.
var ErrNoKey = errors.New("no private key")

// maxKey bounds a key's file, in bytes; a key of 8192 bits is below 7 kB.
const maxKey = 64 << 10

// Key is the App's private key: from its variable, else from its file. No error
// holds any of it.
func (k Keys) Key(a *App) (*rsa.PrivateKey, error) {
	if text := k.Getenv(a.KeyEnvVar); text != "" {
		// A variable of one line holds the line feeds as two characters.
		key, err := parseKey([]byte(strings.ReplaceAll(text, `\n`, "\n")))
		if err != nil {
			return nil, fmt.Errorf("the private key in $%s: %w", a.KeyEnvVar, err)
		}
		return key, nil
	}
	path := filepath.Join(k.Secrets, a.KeyFile)
	data, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w for the %s App %s: put the PEM that GitHub gave you (App settings, Private keys) into %s, or its text into $%s",
			ErrNoKey, a.Role, a.Slug, path, a.KeyEnvVar)
	}
	if err != nil {
		return nil, fmt.Errorf("read the private key of the %s App: %w", a.Role, err)
	}
	key, err := parseKey(data)
	if err != nil {
		return nil, fmt.Errorf("the private key in %s: %w", path, err)
	}
	return key, nil
}

func readKey(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxKey {
		return nil, fmt.Errorf("%s is no file of a key: it is %s of %d bytes", path, kindOf(info.Mode()), info.Size())
	}
	return os.ReadFile(path)
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a file"
	case m.IsDir():
		return "a folder"
	default:
		return "something else"
	}
}

func parseKey(pem []byte) (*rsa.PrivateKey, error) {
	key, err := jwt.ParseRSAPrivateKeyFromPEM(pem)
	if err != nil {
		// The library's error may quote its input.
		return nil, errors.New("it is no RSA private key in PEM (a text that begins with -----BEGIN RSA PRIVATE KEY-----)")
	}
	return key, nil
}

// How long a JWT lasts around now: a minute back for clocks that are late, and
// less than GitHub's ten minutes ahead for clocks that are early
// (dispatcher-system.md, Agent identities).
const (
	jwtBack  = 60 * time.Second
	jwtAhead = 9 * time.Minute
)

// sign makes the JWT that proves the App.
func sign(a *App, key *rsa.PrivateKey, now time.Time) (string, error) {
	token, err := jwt.NewWithClaims(jwt.SigningMethodRS256, jwt.RegisteredClaims{
		IssuedAt:  jwt.NewNumericDate(now.Add(-jwtBack)),
		ExpiresAt: jwt.NewNumericDate(now.Add(jwtAhead)),
		Issuer:    fmt.Sprint(a.AppID),
	}).SignedString(key)
	if err != nil {
		return "", fmt.Errorf("sign as the %s App: %w", a.Role, err)
	}
	return token, nil
}
