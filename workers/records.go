package workers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Supervisor says who looks after a run: supervisor.json. AgentPID is zero
// until the agent has started.
type Supervisor struct {
	Version    int       `json:"version"`
	PID        int       `json:"pid"`
	Start      string    `json:"start"` // as proc.StartTime
	Boot       string    `json:"boot"`
	Host       string    `json:"host"`
	AgentPID   int       `json:"agentPid,omitempty"`
	AgentStart string    `json:"agentStart,omitempty"`
	StartedAt  time.Time `json:"startedAt"`
	// Above are the processes that it was started below, without the loop itself:
	// one of them may be given what it leaves behind.
	Above []int `json:"above,omitempty"`
}

// StopRequest asks a supervisor to stop its agent: stop.json.
type StopRequest struct {
	Version int           `json:"version"`
	Grace   time.Duration `json:"graceNanos"` // how long the agent may take
	At      time.Time     `json:"at"`
}

// Life is the file alive: the last sign of life, and what the agent's processes
// were at the last look.
type Life struct {
	Version int       `json:"version"`
	At      time.Time `json:"at"`
	Below   int       `json:"below,omitempty"` // living processes that the agent has started
	Procs   int       `json:"procs,omitempty"` // those, the agent, and what has left it
	RSS     int64     `json:"rss,omitempty"`   // bytes of memory that they hold
}

// sent is one line of messages.jsonl.
type sent struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Text string    `json:"text,omitempty"`
}

// Spec reads spec.json. Role is read from role.md; Env is never on disk.
func (f Folder) Spec() (Spec, error) {
	var s Spec
	ok, err := readVersioned(f.specPath(), &s, func() int { return s.Version })
	if err == nil && !ok {
		err = ErrNoRun
	}
	if err != nil {
		return Spec{}, fmt.Errorf("read the spec of run %s: %w", f.Run(), err)
	}
	role, err := os.ReadFile(f.RolePath())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Spec{}, fmt.Errorf("read the role of run %s: %w", f.Run(), err)
	}
	s.Role = string(role)
	return s, nil
}

// Supervisor reads supervisor.json; false if no supervisor ever took the run.
func (f Folder) Supervisor() (Supervisor, bool, error) {
	var s Supervisor
	ok, err := readVersioned(f.supervisorPath(), &s, func() int { return s.Version })
	return s, ok, err
}

// WriteSupervisor replaces supervisor.json.
func (f Folder) WriteSupervisor(s Supervisor) error {
	s.Version = FormatVersion
	return writeJSON(f.supervisorPath(), s)
}

// Exit reads exit.json; nil if the run has not ended.
func (f Folder) Exit() (*Exit, error) {
	var e Exit
	ok, err := readVersioned(f.exitPath(), &e, func() int { return e.Version })
	if err != nil || !ok {
		return nil, err
	}
	return &e, nil
}

// WriteExit writes exit.json.
func (f Folder) WriteExit(e Exit) error {
	e.Version = FormatVersion
	return writeJSON(f.exitPath(), e)
}

// StopRequest reads stop.json; false if nobody asked.
func (f Folder) StopRequest() (StopRequest, bool, error) {
	var s StopRequest
	ok, err := readVersioned(f.stopPath(), &s, func() int { return s.Version })
	return s, ok, err
}

// WriteStop asks the supervisor to stop.
func (f Folder) WriteStop(s StopRequest) error {
	s.Version = FormatVersion
	return writeJSON(f.stopPath(), s)
}

// WriteAlive records a sign of life. It is derived: losing it in a power cut
// loses nothing.
func (f Folder) WriteAlive(l Life) error {
	l.Version = FormatVersion
	data, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode a sign of life: %w", err)
	}
	return statefile.ReplaceUnsynced(f.alivePath(), append(data, '\n'), 0o600)
}

// Alive is the last recorded sign of life, the zero value if there is none.
func (f Folder) Alive() Life {
	var l Life
	if ok, err := readVersioned(f.alivePath(), &l, func() int { return l.Version }); err != nil || !ok {
		return Life{}
	}
	return l
}

// Forbid marks the run. The caller holds the lock.
func (f Folder) Forbid() error {
	return statefile.WriteAtomic(f.forbiddenPath(), []byte("given back before an agent was started\n"), 0o600)
}

// Forbidden says whether the run is marked.
func (f Folder) Forbidden() bool { return exists(f.forbiddenPath()) }

// Over says whether nothing of the run may write any more: it has ended or was
// given back, and nobody went on in its session by hand.
func (f Folder) Over() bool {
	_, taken, err := f.taker()
	return err == nil && !taken && (f.Forbidden() || exists(f.exitPath()))
}

// MarkEnding says that no message is taken any more. The caller holds the
// input's lock.
func (f Folder) MarkEnding() error {
	return statefile.ReplaceUnsynced(f.endingPath(), nil, 0o600)
}

// Ending says whether messages are still taken.
func (f Folder) Ending() bool { return exists(f.endingPath()) }

// RecordMessage notes a message before it is sent. The caller holds the
// input's lock.
func (f Folder) RecordMessage(id string, at time.Time, text string) error {
	data, err := json.Marshal(sent{ID: id, At: at, Text: text})
	if err != nil {
		return fmt.Errorf("encode a message's record: %w", err)
	}
	return statefile.AppendLineUnsynced(f.messagesPath(), data)
}

// Messages lists the ids of all messages that were sent, oldest first.
func (f Folder) Messages() ([]string, error) {
	all, err := f.sent()
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.ID
	}
	return ids, nil
}

func (f Folder) sent() ([]sent, error) {
	lines, _, err := statefile.ReadLines(f.messagesPath(), 0)
	if err != nil {
		return nil, err
	}
	var all []sent
	for _, l := range lines {
		var s sent
		if json.Unmarshal(l, &s) == nil && s.ID != "" {
			all = append(all, s)
		}
	}
	return all, nil
}

// create makes the folder and writes what the run is started from.
func (f Folder) create(s Spec) error {
	if err := os.MkdirAll(filepath.Dir(f.dir), 0o700); err != nil {
		return fmt.Errorf("create the folder of runs: %w", err)
	}
	if err := os.Mkdir(f.dir, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%w: %s", ErrRunExists, s.Run)
		}
		return fmt.Errorf("create the run folder: %w", err)
	}
	if err := statefile.WriteAtomic(f.RolePath(), []byte(s.Role), 0o600); err != nil {
		return err
	}
	if s.Settings != "" {
		if err := f.WriteSettings(s.Settings); err != nil {
			return err
		}
	}
	s.Version = FormatVersion
	return writeJSON(f.specPath(), s)
}

// WriteSettings writes the agent's settings.
func (f Folder) WriteSettings(text string) error {
	return statefile.WriteAtomic(f.SettingsPath(), []byte(text), 0o600)
}

// StderrTail is the end of the agent's standard error, cleaned, at most n
// bytes.
func (f Folder) StderrTail(n int64) string { return tailOf(f.StderrPath(), n) }

// OutputTail is the end of the transcript, as it was written.
func (f Folder) OutputTail(n int64) string {
	data, err := endOf(f.TranscriptPath(), n)
	if err != nil {
		return ""
	}
	return string(data)
}

// LogTail is the end of the supervisor's own log.
func (f Folder) LogTail(n int64) string { return tailOf(f.LogPath(), n) }

func tailOf(path string, n int64) string {
	data, err := endOf(path, n)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(Clean(string(data), int(n)))
}

// endOf is the last n bytes of a file.
func endOf(path string, n int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, min(n, info.Size()))
	if _, err := file.ReadAt(buf, info.Size()-int64(len(buf))); err != nil {
		return nil, err
	}
	return buf, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return statefile.WriteAtomic(path, append(data, '\n'), 0o600)
}

// readVersioned reads a file into v; false if it is not there.
func readVersioned(path string, v any, version func() int) (bool, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	if n := version(); n > FormatVersion {
		return false, &statefile.NewerVersionError{Path: path, Version: n, Known: FormatVersion}
	}
	return true, nil
}
