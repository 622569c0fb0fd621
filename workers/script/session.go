package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// session is what the real command keeps of a conversation, as far as anybody
// can see it from outside: that it exists, and what it has cost so far.
type session struct {
	Version int     `json:"version"`
	CostUSD float64 `json:"costUSD"`
	Input   int64   `json:"inputTokens"`
	Output  int64   `json:"outputTokens"`

	dir  string // folder of the session; empty where none is kept
	temp bool   // dir ends with the process
}

const sessionFile = "session.json"

// errNoSession: there is no session of that id to go on with.
var errNoSession = errors.New("No conversation found with session ID") //nolint:staticcheck // the real command's words

// openSession finds or prepares the session's folder. It fails like the real
// command where a session to resume is unknown, or a new one exists already.
func openSession(base, id string, resume bool) (*session, error) {
	if err := uuid.Validate(id); err != nil {
		return nil, fmt.Errorf("Error: Invalid session ID %q. Must be a valid UUID", id) //nolint:staticcheck // the real command's words
	}
	s := &session{Version: 1}
	if base == "" {
		return s, nil
	}
	s.dir = filepath.Join(base, "agents", "script", id)
	data, err := os.ReadFile(filepath.Join(s.dir, sessionFile))
	switch {
	case errors.Is(err, fs.ErrNotExist) && resume:
		return nil, fmt.Errorf("%w: %s", errNoSession, id)
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, fmt.Errorf("open session %s: %w", id, err)
	case !resume:
		return nil, fmt.Errorf("Error: Session ID %s is already in use.", id) //nolint:staticcheck,revive // the real command's words
	}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("open session %s: %s is broken; start a new session: %w", id, sessionFile, err)
	}
	return s, nil
}

// save makes the session known; it does nothing where none is kept.
func (s *session) save() error {
	if s.dir == "" || s.temp {
		return nil
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	if err := statefile.WriteAtomic(filepath.Join(s.dir, sessionFile), data, 0o600); err != nil {
		return fmt.Errorf("keep the session: %w", err)
	}
	return nil
}

// scratch is the folder for the files that commands read.
func (s *session) scratch() (string, error) {
	if s.dir == "" {
		dir, err := os.MkdirTemp("", "dispatcher-script-*")
		if err != nil {
			return "", fmt.Errorf("make a folder for files: %w", err)
		}
		s.dir, s.temp = dir, true
	}
	dir := filepath.Join(s.dir, "files")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a folder for files: %w", err)
	}
	return dir, nil
}

// close removes what nobody can resume.
func (s *session) close() {
	if s.temp {
		_ = os.RemoveAll(s.dir)
		return
	}
	if s.dir != "" {
		_ = os.RemoveAll(filepath.Join(s.dir, "files"))
	}
}
