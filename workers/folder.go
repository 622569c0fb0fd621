package workers

import (
	"errors"
	"fmt"
	"path/filepath"
)

// FormatVersion is the version that is written into every file of a run
// folder. A file with a newer one is refused and never rewritten.
const FormatVersion = 1

// Conditions that callers test for with errors.Is.
var (
	// ErrNoRun: there is no such run folder, or its spec is gone.
	ErrNoRun = errors.New("no such run")
	// ErrRunExists: the run id has been used before.
	ErrRunExists = errors.New("run exists already")
	// ErrNotRunning: the run has no agent that could hear.
	ErrNotRunning = errors.New("run is not running")
	// ErrNoRequest: the run asks nothing of that name, or no longer.
	ErrNoRequest = errors.New("no such request")
	// ErrAnswered: somebody was quicker.
	ErrAnswered = errors.New("answered already")
	// ErrForbidden: the run was given back; no agent will be started for it.
	ErrForbidden = errors.New("run was given back, no agent is started for it")
	// ErrUnable: the run's agent is of a kind that cannot do that.
	ErrUnable = errors.New("the agent cannot do that")
	// ErrBadName: the id cannot be a folder's name.
	ErrBadName = errors.New("not a valid run id")
)

// Folder is one run folder. Everything that is known of a run stands in it:
//
//	spec.json        what it was started from
//	role.md          the role text
//	settings.json    the agent's settings, in its own form
//	in               the agent's standard input: a named pipe, or the prompt alone for an agent that takes nothing after it
//	in.lock          held while a line is written into it
//	messages.jsonl   the messages sent, before they are sent
//	answers.jsonl    the answers to what the agent asked, before they are sent
//	transcript.jsonl the agent's standard output, whole
//	transcript.index where in it which line stands, for readers of its middle
//	stderr.log       its standard error
//	supervisor.log   what the supervisor had to say
//	lock             held by the supervisor as long as it lives, then by who
//	                 goes on in the session by hand
//	taken.json       who that is, or was
//	taken.lock       held by that one and by all that it has started, to the last
//	supervisor.json  who the supervisor and the agent are
//	alive            the last sign of life
//	stop.json        a request to stop
//	ending           no message is taken any more
//	forbidden        no agent may be started
//	exit.json        how it ended
type Folder struct{ dir string }

// OpenFolder names the run folder at dir, which need not exist.
func OpenFolder(dir string) Folder { return Folder{dir: dir} }

// Dir is the folder's path.
func (f Folder) Dir() string { return f.dir }

// Run is the id of the run.
func (f Folder) Run() string { return filepath.Base(f.dir) }

// The paths of the files.
func (f Folder) specPath() string       { return filepath.Join(f.dir, "spec.json") }
func (f Folder) forbiddenPath() string  { return filepath.Join(f.dir, "forbidden") }
func (f Folder) endingPath() string     { return filepath.Join(f.dir, "ending") }
func (f Folder) stopPath() string       { return filepath.Join(f.dir, "stop.json") }
func (f Folder) exitPath() string       { return filepath.Join(f.dir, "exit.json") }
func (f Folder) supervisorPath() string { return filepath.Join(f.dir, "supervisor.json") }
func (f Folder) alivePath() string      { return filepath.Join(f.dir, "alive") }
func (f Folder) messagesPath() string   { return filepath.Join(f.dir, "messages.jsonl") }
func (f Folder) takenPath() string      { return filepath.Join(f.dir, "taken.json") }
func (f Folder) takenLockPath() string  { return filepath.Join(f.dir, "taken.lock") }
func (f Folder) answersPath() string    { return filepath.Join(f.dir, "answers.jsonl") }

// RolePath is where the role text lies, for the agent to read.
func (f Folder) RolePath() string { return filepath.Join(f.dir, "role.md") }

// SettingsPath is where the agent's settings lie, for the agent to read.
func (f Folder) SettingsPath() string { return filepath.Join(f.dir, "settings.json") }

// InputPath is the named pipe that is the agent's standard input.
func (f Folder) InputPath() string { return filepath.Join(f.dir, "in") }

// InputLockPath is the lock that whoever writes to the input holds.
func (f Folder) InputLockPath() string { return filepath.Join(f.dir, "in.lock") }

// TranscriptPath is the agent's whole output.
func (f Folder) TranscriptPath() string { return filepath.Join(f.dir, "transcript.jsonl") }

// IndexPath is where a reader finds places in the transcript.
func (f Folder) IndexPath() string { return filepath.Join(f.dir, "transcript.index") }

// StderrPath is the agent's standard error.
func (f Folder) StderrPath() string { return filepath.Join(f.dir, "stderr.log") }

// LogPath is what the supervisor had to say.
func (f Folder) LogPath() string { return filepath.Join(f.dir, "supervisor.log") }

// LockPath is the lock that a supervisor holds.
func (f Folder) LockPath() string { return filepath.Join(f.dir, "lock") }

// CheckRunID says whether an id may be the name of a run folder.
func CheckRunID(id string) error {
	ok := id != "" && len(id) <= 128 && id[0] != '.' && id[0] != '-'
	for _, r := range id {
		ok = ok && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
	}
	if !ok {
		return fmt.Errorf("%w: %q", ErrBadName, id)
	}
	return nil
}
