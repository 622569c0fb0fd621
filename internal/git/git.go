// Package git is the git binary, typed: the few commands this program needs.
//
// It promises that a caller's GIT_* environment never redirects a command to
// another repository or identity; that reads take no optional lock and disturb
// nobody; that messages are in English and never asked on a terminal; that
// names from outside are validated before they become arguments; and that a
// git that is missing or too old is said so with the way out. It never decides
// what should happen to a repository, and it has no state but the answer to
// which version there is.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// Conditions that callers test for with errors.Is.
var (
	// ErrMissing: there is no git on the PATH.
	ErrMissing = errors.New("git is not on the PATH: install git 2.38 or newer (https://git-scm.com/downloads)")
	// ErrTooOld: the git on the PATH is older than 2.38.
	ErrTooOld = errors.New("git is too old: 2.38 or newer is needed (https://git-scm.com/downloads)")
	// ErrNotRepository: the folder is in no git repository.
	ErrNotRepository = errors.New("not in a git repository: run it inside one, or make one with `git init`")
	// ErrBare: the repository has no main checkout.
	ErrBare = errors.New("the repository is bare, there is no main checkout: clone it and work in the clone")
	// ErrNoCommits: nothing has been committed yet.
	ErrNoCommits = errors.New("the repository has no commits: make a first commit, for example `git commit --allow-empty -m \"Start\"`")
	// ErrNoDefaultBranch: the default branch cannot be told.
	ErrNoDefaultBranch = errors.New("the default branch cannot be told: name it as `pulls.base` in dispatcher.config.json")
	// ErrNotFound: there is no such commit, branch or file.
	ErrNotFound = errors.New("not found in the repository")
	// ErrChanged: a ref is no longer where the write expected it.
	ErrChanged = errors.New("the branch moved meanwhile: try again")
	// ErrInvalidName: a name is no valid branch name or commit id.
	ErrInvalidName = errors.New("invalid name")
)

// runner runs one external command.
type runner interface {
	Run(ctx context.Context, c proc.Cmd) (proc.Result, error)
}

// Options are what a Git needs; the zero value is this process's own git.
type Options struct {
	Runner  runner   // nil: run for real
	Environ []string // nil: of this process
	Bin     string   // empty: git
}

// Git runs the git binary. It is safe for concurrent use.
type Git struct {
	run     runner
	bin     string
	env     []string
	hookEnv []string // of commands that run a person's hooks

	mu      sync.Mutex
	version Version // zero until it is known to be good
}

// New answers a Git. Nothing is run before the first command.
func New(o Options) *Git {
	g := &Git{run: o.Runner, bin: o.Bin, env: o.Environ}
	if g.run == nil {
		g.run = proc.Exec{}
	}
	if g.bin == "" {
		g.bin = "git"
	}
	if g.env == nil {
		g.env = os.Environ()
	}
	g.hookEnv = hookEnv(g.env)
	g.env = CleanEnv(g.env)
	return g
}

// keepEnv are the GIT_* variables that say how a person reaches and configures
// git, and not which repository, index or identity is meant.
var keepEnv = []string{
	"GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH", "GIT_SSL_NO_VERIFY", "GIT_PROXY_COMMAND",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_EXEC_PATH", "GIT_TEMPLATE_DIR",
}

// CleanEnv is an environment in which git, and whatever calls git, works on
// the repository of its folder: GIT_* variables that redirect it are left out.
// Hooks, for example, are started with GIT_DIR set. Messages are in English,
// and nothing is asked on a terminal.
func CleanEnv(env []string) []string {
	return append(without(env, "LC_ALL", "LANGUAGE"), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0")
}

// hookEnv is CleanEnv with the person's own character set: their hooks run
// programs that would stumble over their file names in the C locale.
func hookEnv(env []string) []string {
	clean := without(env, "LC_ALL", "LC_MESSAGES", "LANGUAGE")
	for _, kv := range env {
		if all, ok := strings.CutPrefix(kv, "LC_ALL="); ok && all != "" {
			clean = append(without(clean, "LC_CTYPE"), "LC_CTYPE="+all)
		}
	}
	return append(clean, "LC_MESSAGES=C", "GIT_TERMINAL_PROMPT=0")
}

// without leaves out the named variables, and those of git that redirect it.
func without(env []string, names ...string) []string {
	kept := make([]string, 0, len(env)+2)
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(names, name) || strings.HasPrefix(name, "GIT_") && !slices.Contains(keepEnv, name) {
			continue
		}
		kept = append(kept, kv)
	}
	return kept
}

// call is one git command.
type call struct {
	dir   string
	args  []string
	stdin []byte
	write bool // may take optional locks
	hooks bool // runs a person's hooks
	limit int
}

// exec runs one command after the version was found good.
func (g *Git) exec(ctx context.Context, c call) ([]byte, error) {
	if err := g.Check(ctx); err != nil {
		return nil, err
	}
	return g.raw(ctx, c)
}

func (g *Git) raw(ctx context.Context, c call) ([]byte, error) {
	env := g.env
	if c.hooks {
		env = g.hookEnv
	}
	if !c.write {
		env = append(slices.Clone(env), "GIT_OPTIONAL_LOCKS=0")
	}
	cmd := proc.Cmd{Name: g.bin, Args: c.args, Dir: c.dir, Env: env, MaxOutput: c.limit}
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	res, err := g.run.Run(ctx, cmd)
	if err == nil {
		return res.Stdout, nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return nil, ErrMissing
	}
	return res.Stdout, explain(err)
}

// explain turns what git says into a sentinel where a caller can act on it.
func explain(err error) error {
	exit, ok := errors.AsType[*proc.ExitError](err)
	if !ok {
		return err
	}
	switch {
	case strings.Contains(exit.Stderr, "not a git repository"):
		return fmt.Errorf("%w (%w)", ErrNotRepository, err)
	case strings.Contains(exit.Stderr, "this operation must be run in a work tree"):
		return fmt.Errorf("%w (%w)", ErrBare, err)
	}
	return err
}

// read runs a command that changes nothing.
func (g *Git) read(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return g.exec(ctx, call{dir: dir, args: args})
}

// readLine is read for a command that answers one line.
func (g *Git) readLine(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := g.read(ctx, dir, args...)
	return strings.TrimRight(string(out), "\r\n"), err
}

// write runs a command that changes something.
func (g *Git) write(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return g.exec(ctx, call{dir: dir, args: args, write: true})
}

// writeWithHooks is write for a command that runs a person's hooks.
func (g *Git) writeWithHooks(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return g.exec(ctx, call{dir: dir, args: args, write: true, hooks: true})
}

// exitCode is the code of a bad exit; false for every other error.
func exitCode(err error) (int, bool) {
	exit, ok := errors.AsType[*proc.ExitError](err)
	if !ok {
		return 0, false
	}
	return exit.Code, true
}

// Stderr is what git said when it failed; the whole error where it is another.
func Stderr(err error) string {
	if exit, ok := errors.AsType[*proc.ExitError](err); ok && strings.TrimSpace(exit.Stderr) != "" {
		return strings.TrimSpace(exit.Stderr)
	}
	return err.Error()
}

// splitZ splits output of a command run with -z.
func splitZ(out []byte) []string {
	s := strings.TrimSuffix(string(out), "\x00")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\x00")
}
