// Package gittest makes throw-away git repositories for tests: real git, with
// no configuration of the machine and no identity of a person. It is imported
// by tests only.
package gittest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
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
	r.configure(filepath.Join(r.Dir, ".git"), identity+Quick)
}

// identity is who commits in these repositories.
const identity = "[user]\n\tname = Olive Owner\n\temail = olive@example.com\n[commit]\n\tgpgSign = false\n"

// Quick is git's configuration for repositories that are thrown away: without
// what takes processes and waits there and helps nobody, packing, and care for
// a loss of power.
const Quick = "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n[core]\n\tfsync = none\n"

// QuickConfig is a file with Quick, for GIT_CONFIG_GLOBAL.
func QuickConfig(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gitconfig")
	if err := os.WriteFile(path, []byte(Quick), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// configure adds lines to the configuration in a git folder.
func (r *Repo) configure(gitDir, lines string) {
	r.t.Helper()
	f, err := os.OpenFile(filepath.Join(gitDir, "config"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(lines)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		r.t.Fatal(err)
	}
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
		// The one absolute path.
		r.configure(filepath.Join(r.Dir, ".git"), "[remote \"origin\"]\n\turl = "+strconv.Quote(remote)+"\n")
	}
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
		r.configure(remote, Quick)
		r.Git("remote", "add", "origin", remote)
		r.Git("push", "-q", "-u", "origin", k.branch)
		r.Git("remote", "set-head", "origin", k.branch)
		r.Git("config", "--unset", "remote.origin.url") // each copy has its own
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
	if id := r.readHead(); id != "" {
		return id
	}
	return r.Git("rev-parse", "HEAD")
}

// readHead is HEAD as the files of a checkout tell it; empty where git itself
// has to be asked, as for packed branches.
func (r *Repo) readHead() string {
	gitDir := filepath.Join(r.Dir, ".git")
	if text, err := os.ReadFile(gitDir); err == nil { // a worktree names its folder
		gitDir = strings.TrimSpace(strings.TrimPrefix(string(text), "gitdir: "))
	}
	head, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	ref, symbolic := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	if !symbolic {
		return ref
	}
	if common, err := os.ReadFile(filepath.Join(gitDir, "commondir")); err == nil {
		gitDir = filepath.Join(gitDir, strings.TrimSpace(string(common)))
	}
	id, err := os.ReadFile(filepath.Join(gitDir, filepath.FromSlash(ref)))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
