package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

const (
	// defaultTimeout ends a check that names no timeout of its own.
	defaultTimeout = 10 * time.Minute
	// maxSummary bounds what is kept of a check's output: its end, in bytes.
	maxSummary = 4 << 10
	// maxKept bounds the results that a record keeps, all heads together.
	maxKept = 200
)

// RunChecks runs the configured checks that have no result at the head of an
// open pull request, in a detached worktree of ours, and records the results.
// Where none is configured or missing it returns at once. Without a result, an
// error means that the checks could not be run, and says nothing about the
// code.
func (s *Store) RunChecks(ctx context.Context, name string) (board.PullRequest, error) {
	return s.runChecks(ctx, name, func(board.CheckState) bool { return false })
}

// RerunChecks is RunChecks that also runs again what is not green.
func (s *Store) RerunChecks(ctx context.Context, name string) (board.PullRequest, error) {
	return s.runChecks(ctx, name, func(c board.CheckState) bool { return c != board.ChecksGreen })
}

func (s *Store) runChecks(ctx context.Context, name string, again func(board.CheckState) bool) (board.PullRequest, error) {
	pr, err := s.Get(ctx, name)
	if err != nil || pr.State != board.PullOpen {
		return pr, err
	}
	specs := s.missing(&pr, again)
	if len(specs) == 0 {
		return pr, nil
	}
	if !s.o.Git.HasCommit(ctx, s.o.Repo, pr.HeadSHA) {
		return pr, fmt.Errorf("run the checks of %s: its head %.12s is not in this repository", pr.Name, pr.HeadSHA)
	}
	err = s.inCheckout(ctx, &pr, func(dir string) error {
		for _, spec := range specs {
			result, err := s.check(ctx, dir, pr.HeadSHA, spec)
			if err != nil {
				return err
			}
			if err := s.record(ctx, pr.Number, result); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return pr, fmt.Errorf("run the checks of %s: %w", pr.Name, err)
	}
	return s.Get(ctx, name)
}

// missing lists the checks to run.
func (s *Store) missing(pr *board.PullRequest, again func(board.CheckState) bool) []CheckSpec {
	var specs []CheckSpec
	for _, spec := range s.specs() {
		i := slices.IndexFunc(pr.CheckRuns, func(c board.Check) bool { return c.Name == spec.Name })
		if i < 0 || again(pr.CheckRuns[i].State) {
			specs = append(specs, spec)
		}
	}
	return specs
}

// inCheckout runs f in a worktree of ours at the pull request's head. There is
// one such worktree, used by one process at a time; what a killed run left in
// it is ours, and goes.
func (s *Store) inCheckout(ctx context.Context, pr *board.PullRequest, f func(dir string) error) error {
	common, err := s.o.Git.CommonDir(ctx, s.o.Repo)
	if err != nil {
		return err
	}
	lock, err := statefile.Lock(ctx, filepath.Join(common, "dispatcher-checks.lock"))
	if err != nil {
		return fmt.Errorf("wait for other checks: %w", err)
	}
	defer lock.Unlock() //nolint:errcheck // the lock ends with the process at the latest
	// Not among the workers' worktrees: pruning may not find it half made.
	root := filepath.Join(s.o.Repo, ".claude", "dispatcher")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return fmt.Errorf("make the folder of the checks: %w", err)
	}
	dir := filepath.Join(root, "checks")
	if err := s.clear(ctx, dir); err != nil {
		return err
	}
	// Cleaning up goes on when the run is given up.
	defer s.clear(context.WithoutCancel(ctx), dir) //nolint:errcheck // cleared again before the next use
	err = s.o.Git.AddWorktree(ctx, s.o.Repo, git.AddRequest{
		Path: dir, Start: pr.HeadSHA, Reason: fmt.Sprintf("dispatcher checks of %s pid %d", pr.Name, os.Getpid()),
	})
	if err != nil {
		return err
	}
	return f(dir)
}

// clear removes the worktree of the checks, registered or not.
func (s *Store) clear(ctx context.Context, dir string) error {
	list, err := s.o.Git.Worktrees(ctx, s.o.Repo)
	if err != nil {
		return err
	}
	for _, w := range list {
		if !samePath(w.Path, dir) {
			continue
		}
		if w.Locked {
			if err := s.o.Git.UnlockWorktree(ctx, s.o.Repo, w.Path); err != nil {
				return err
			}
		}
		if err := s.o.Git.RemoveWorktree(ctx, s.o.Repo, w.Path, true); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear the worktree of the checks: %w", err)
	}
	return nil
}

func samePath(a, b string) bool {
	if a == b {
		return true
	}
	ra, errA := filepath.EvalSymlinks(filepath.Dir(a))
	rb, errB := filepath.EvalSymlinks(filepath.Dir(b))
	return errA == nil && errB == nil && ra == rb && filepath.Base(a) == filepath.Base(b)
}

// check runs one check. Everything that the check itself does wrong is a red
// result; an error means that ctx ended.
func (s *Store) check(ctx context.Context, dir, head string, spec CheckSpec) (board.Check, error) {
	result := board.Check{Name: spec.Name, Head: head, State: board.ChecksRed, Started: s.now()}
	if len(spec.Command) == 0 {
		result.Summary, result.Finished = "no command is configured for it", s.now()
		return result, nil
	}
	timeout := spec.Timeout
	if timeout <= 0 {
		timeout = defaultTimeout
	}
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	res, err := s.o.Runner.Run(limited, proc.Cmd{
		Name: spec.Command[0], Args: spec.Command[1:], Dir: dir, Env: CheckEnv(s.o.Environ),
		MaxOutput: maxSummary, Tail: true, Merge: true, EndGroup: true,
	})
	if ctx.Err() != nil {
		return result, fmt.Errorf("check %s was given up: %w", spec.Name, context.Cause(ctx))
	}
	result.Finished = s.now()
	result.Summary = strings.ToValidUTF8(strings.TrimSpace(string(res.Stdout)), "\uFFFD")
	if err == nil {
		result.State = board.ChecksGreen
		return result, nil
	}
	why := err.Error()
	if exit, ok := errors.AsType[*proc.ExitError](err); ok {
		why = fmt.Sprintf("exit status %d", exit.Code)
	} else if limited.Err() != nil {
		why = fmt.Sprintf("not done after %s", timeout)
	}
	result.Summary = strings.TrimSpace(result.Summary + "\n" + why)
	return result, nil
}

// record keeps a result, in place of an older one of the same check and head.
func (s *Store) record(ctx context.Context, number int, result board.Check) error {
	// What has been found out is kept also when the run is given up now.
	_, err := s.update(context.WithoutCancel(ctx), number, func(r *record) (bool, error) {
		r.Checks = slices.DeleteFunc(r.Checks, func(c board.Check) bool { return c.Name == result.Name && c.Head == result.Head })
		r.Checks = append(r.Checks, result)
		if n := len(r.Checks); n > maxKept {
			r.Checks = r.Checks[n-maxKept:]
		}
		return true, nil
	})
	return err
}

var (
	// plainEnv is what a check may see of the environment.
	plainEnv = []string{
		"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TMP", "TEMP",
		"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "JAVA_HOME", "VIRTUAL_ENV", "NVM_DIR", "PYENV_ROOT",
		"SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMFILES",
		"PROGRAMDATA", "NUMBER_OF_PROCESSORS", "SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_PATH", "NIX_SSL_CERT_FILE",
	}
	// toolEnv begin the names of what tool chains need to find themselves.
	toolEnv = []string{"GO", "CGO_", "CARGO_", "RUSTUP_", "NODE_", "DOTNET_", "GRADLE_", "MAVEN_", "PYTHON", "CONDA_"}
	// secretEnv are parts of names that a credential may hide behind.
	secretEnv = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH", "_KEY", "PRIVATE", "COOKIE", "SESSION"}
)

// CheckEnv is the environment of a check: an allow-list without credentials
// (design.md, section 7, Environment), and CI=true.
func CheckEnv(environ []string) []string {
	var env []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		name = strings.ToUpper(name)
		known := slices.Contains(plainEnv, name) ||
			slices.ContainsFunc(toolEnv, func(p string) bool { return strings.HasPrefix(name, p) })
		secret := slices.ContainsFunc(secretEnv, func(p string) bool { return strings.Contains(name, p) })
		if known && !secret {
			env = append(env, kv)
		}
	}
	return append(env, "CI=true", "GIT_TERMINAL_PROMPT=0")
}
