// Package gittest makes throw-away git repositories for tests: real git, with
// no configuration of the machine and no identity of a person. It is imported
// by tests only.
package gittest

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/internal/git"
)

// Repo is a repository in a temporary folder.
type Repo struct {
	t   testing.TB
	Dir string // the main checkout, links resolved
}

// Env is the environment that every command of these repositories gets: the
// test's own without git's variables, and without the machine's settings.
func Env() []string {
	return append(git.CleanEnv(os.Environ()), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}

// Client is a typed git in that environment.
func Client() *git.Git { return git.New(git.Options{Environ: Env()}) }

// Empty makes a repository without a commit, its branch called branch.
func Empty(t testing.TB, branch string) *Repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &Repo{t: t, Dir: filepath.Join(dir, "repo")}
	r.init(branch)
	return r
}

func (r *Repo) init(branch string) {
	r.t.Helper()
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		r.t.Fatal(err)
	}
	r.Git("init", "-q", "-b", branch)
	r.identify()
}

func (r *Repo) identify() {
	r.t.Helper()
	r.Git("config", "user.name", "Olive Owner")
	r.Git("config", "user.email", "olive@example.com")
	r.Git("config", "commit.gpgSign", "false")
}

// New makes a repository with one commit on main.
func New(t testing.TB) *Repo {
	t.Helper()
	r, _ := copied(t, kind{branch: "main"})
	return r
}

// WithRemote makes a repository with one commit on branch, pushed to a bare
// remote called origin, whose folder it answers too.
func WithRemote(t testing.TB, branch string) (r *Repo, remote string) {
	t.Helper()
	return copied(t, kind{branch, true})
}

// kind is what repositories are made from: git takes a dozen processes to make
// one, so that each is made once and copied.
type kind struct {
	branch string
	remote bool
}

// entry is a file of a template; one without content is a folder.
type entry struct {
	path    string
	content []byte
}

var (
	mu        sync.Mutex
	templates = map[kind][]entry{}
)

func copied(t testing.TB, k kind) (r *Repo, remote string) {
	t.Helper()
	entries := template(t, k)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.path)
		if e.content == nil {
			err = os.MkdirAll(path, 0o755)
		} else {
			err = os.WriteFile(path, e.content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	r = &Repo{t: t, Dir: filepath.Join(dir, "repo")}
	if k.remote {
		remote = filepath.Join(dir, "remote.git")
		r.Git("config", "remote.origin.url", remote) // the one absolute path
	}
	r.Git("update-index", "-q", "--refresh")
	return r, remote
}

func template(t testing.TB, k kind) []entry {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	if entries, ok := templates[k]; ok {
		return entries
	}
	r := Empty(t, k.branch)
	dir := filepath.Dir(r.Dir)
	r.Write("README.md", "# Widgets\n")
	r.Commit("Start")
	if k.remote {
		remote := filepath.Join(dir, "remote.git")
		r.Git("init", "-q", "--bare", "-b", k.branch, remote)
		r.Git("remote", "add", "origin", remote)
		r.Git("push", "-q", "-u", "origin", k.branch)
		r.Git("remote", "set-head", "origin", k.branch)
	}
	var entries []entry
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) == ".sample" {
			return err
		}
		e := entry{}
		if !d.IsDir() {
			if e.content, err = os.ReadFile(path); err != nil {
				return err
			}
			e.content = append([]byte{}, e.content...) // never nil
		}
		e.path, err = filepath.Rel(dir, path)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	templates[k] = entries
	return entries
}

// Clone clones a remote beside this repository.
func (r *Repo) Clone(remote, name string) *Repo {
	r.t.Helper()
	c := &Repo{t: r.t, Dir: filepath.Join(filepath.Dir(r.Dir), name)}
	r.Git("clone", "-q", remote, c.Dir)
	c.identify()
	return c
}

// At is the same repository seen from another worktree.
func (r *Repo) At(dir string) *Repo { return &Repo{t: r.t, Dir: dir} }

// Git runs git in the repository and answers what it prints; the test ends
// when it fails.
func (r *Repo) Git(args ...string) string {
	r.t.Helper()
	out, err := r.Try(args...)
	if err != nil {
		r.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Try is Git for a command that may fail; it answers both streams.
func (r *Repo) Try(args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = r.Dir
	cmd.Env = Env()
	out, err := cmd.CombinedOutput()
	return strings.TrimRight(string(out), "\n"), err
}

// Write writes a file, folders included.
func (r *Repo) Write(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.Dir, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// Read reads a file.
func (r *Repo) Read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(path)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(data)
}

// Commit commits everything and answers the commit's id.
func (r *Repo) Commit(message string) string {
	r.t.Helper()
	r.Git("add", "-A")
	r.Git("commit", "-q", "--allow-empty", "-m", message)
	return r.Head()
}

// Head is the id of HEAD.
func (r *Repo) Head() string {
	r.t.Helper()
	return r.Git("rev-parse", "HEAD")
}
