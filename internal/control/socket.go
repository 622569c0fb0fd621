package control

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Names in the state folder: the socket itself, and a pointer to it where the
// folder is too deep for the path of a socket.
const (
	socketName  = "control.sock"
	pointerName = "control.sock.path"
)

// maxPath is the longest path that a unix socket may have everywhere, in
// bytes, with room for the terminating zero.
const maxPath = 100

// ErrNoLoop says that nobody listens on the state folder's socket.
var ErrNoLoop = errors.New("no loop is running here; start one with `dispatcher start`")

// Listen opens the socket of a state folder. The caller holds the loop's lock,
// so that a socket which is still there is a dead one and is replaced.
func Listen(stateDir string) (net.Listener, error) {
	path := filepath.Join(stateDir, socketName)
	if len(path) > maxPath {
		short, err := shortPath(stateDir)
		if err != nil {
			return nil, fmt.Errorf("open the control socket: %w", err)
		}
		if err := statefile.WriteAtomic(filepath.Join(stateDir, pointerName), []byte(short+"\n"), 0o600); err != nil {
			return nil, fmt.Errorf("point to the control socket: %w", err)
		}
		path = short
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("remove the dead control socket: %w", err)
	}
	l, err := listenPrivate(path)
	if err != nil {
		return nil, fmt.Errorf("open the control socket %s: %w", path, err)
	}
	return l, nil
}

// listenPrivate opens a socket that nobody else may connect to: the folder is
// the owner's, and the socket's own mode says so too.
func listenPrivate(path string) (net.Listener, error) {
	var c net.ListenConfig
	l, err := c.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// shortPath is a place for a socket in the user's runtime folder, named after
// the state folder.
func shortPath(stateDir string) (string, error) {
	sum := sha256.Sum256([]byte(stateDir))
	base := os.Getenv("XDG_RUNTIME_DIR")
	if base == "" {
		base = filepath.Join(os.TempDir(), fmt.Sprintf("dispatcher-%d", os.Getuid()))
		if err := os.MkdirAll(base, 0o700); err != nil {
			return "", err
		}
		info, err := os.Lstat(base)
		if err != nil {
			return "", err
		}
		if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
			return "", fmt.Errorf("%s is not a folder of yours alone", base)
		}
	}
	return filepath.Join(base, "dispatcher-"+hex.EncodeToString(sum[:8])+".sock"), nil
}

// path is where the socket of a state folder lies.
func path(stateDir string) string {
	if data, err := os.ReadFile(filepath.Join(stateDir, pointerName)); err == nil {
		if p := strings.TrimSpace(string(data)); p != "" && len(filepath.Join(stateDir, socketName)) > maxPath {
			return p
		}
	}
	return filepath.Join(stateDir, socketName)
}
