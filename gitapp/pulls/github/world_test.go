package github_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/github"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/git/gittest"
)

// world is a repository with a remote, and the fake GitHub that has that
// remote: acme/widgets.
type world struct {
	*testing.T
	repo   *gittest.Repo
	bare   string
	server *fake.Server
	url    string
	store  *github.Store
	o      github.Options // of store
	now    *clock
	sent   sent
}

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

var appKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{T: t, now: &clock{at: time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC)}}
	w.repo, w.bare = gittest.WithRemote(t, "main")
	w.server = fake.New(fake.Options{Now: w.now.now, Departs: func(err error) { t.Errorf("a request departs from GitHub's description: %v", err) }})
	w.server.AddRepo("acme", "widgets", w.bare, "main")
	w.server.AddUser("olive", 42, "olive-token")
	secrets := t.TempDir()
	text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(appKey())})
	if err := os.WriteFile(filepath.Join(secrets, "key.pem"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	app := func(role string, n int64) *gitapp.App {
		w.server.AddApp(fake.App{
			ID: n, Slug: "acme-" + role, Key: &appKey().PublicKey, Installation: n, Account: "acme", Repositories: []string{"widgets"},
			Permissions: map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read"},
		}, 100+n)
		return &gitapp.App{
			Role: role, AppID: n, InstallationID: n, Slug: "acme-" + role, BotLogin: "acme-" + role + "[bot]", BotUserID: 100 + n,
			KeyEnvVar: "NONE", KeyFile: "key.pem",
		}
	}
	srv := httptest.NewServer(w.server)
	t.Cleanup(srv.Close)
	w.url = srv.URL
	dev := app("developer", 1)
	w.o = github.Options{
		Forge: &gitapp.Forge{
			API: srv.URL, Repository: "acme/widgets", Now: w.now.now, Transport: &w.sent,
			Keys: gitapp.Keys{Getenv: func(string) string { return "" }, Secrets: secrets},
		},
		Developer: dev, Reviewer: app("reviewer", 2), Base: "main", Remote: "origin", Now: w.now.now,
		History: pulls.History{Git: gittest.Client(), Dir: w.repo.Dir, Developer: dev.Identity()},
		Owner:   func(context.Context) (string, error) { return "olive-token", nil },
		Pause:   func(_ context.Context, d time.Duration) error { w.now.pass(d); return nil },
	}
	w.reopen()
	return w
}

// reopen is the next process.
func (w *world) reopen() {
	w.Helper()
	store, err := github.Open(w.o)
	if err != nil {
		w.Fatal(err)
	}
	w.store = store
}

// says adds a person's request for changes.
func (w *world) says(name, by, body string) {
	w.pull(name, func(r *fake.Repo, p *fake.Pull) { r.Review(p, by, "CHANGES_REQUESTED", body, w.now.now()) })
}

// branch pushes a branch off main with one commit of the developer's that
// writes a file, and answers the commit.
func (w *world) branch(name, file, text string) string {
	w.Helper()
	w.repo.Git("checkout", "-q", "-B", name, "origin/main")
	return w.commit(file, text)
}

// commit adds one to the branch that is checked out, and pushes it.
func (w *world) commit(file, text string) string {
	w.Helper()
	w.repo.Write(file, text)
	w.repo.Git("add", file)
	w.repo.Git("-c", "user.name=acme-developer[bot]", "-c", "user.email=101+acme-developer[bot]@users.noreply.github.com", "commit", "-q", "-m", "Write "+file)
	w.repo.Git("push", "-q", "origin", "HEAD")
	return w.repo.Head()
}

// many pushes n branches at once and opens a pull request from each.
func (w *world) many(n int) {
	w.Helper()
	push := []string{"push", "-q", "origin"}
	for i := range n {
		at := w.repo.Git("commit-tree", "-p", "origin/main", "-m", "Work "+strconv.Itoa(i), "origin/main^{tree}")
		push = append(push, at+":refs/heads/task/acm-"+strconv.Itoa(i)+"-x")
	}
	w.repo.Git(push...)
	w.server.With("acme/widgets", func(r *fake.Repo) {
		for i := range n {
			r.Open(&fake.Pull{Title: "T", Base: "main", Head: "task/acm-" + strconv.Itoa(i) + "-x", Author: "acme-developer[bot]", Created: w.now.now()})
		}
	})
}

// main moves main on the remote by one file.
func (w *world) main(file, text string) {
	w.Helper()
	w.repo.Git("checkout", "-q", "--detach", "origin/main")
	w.repo.Write(file, text)
	w.repo.Git("add", file)
	w.repo.Git("commit", "-q", "-m", "Move main")
	w.repo.Git("push", "-q", "origin", "HEAD:main")
	w.repo.Git("fetch", "-q", "origin")
}

// open opens a pull request from a branch.
func (w *world) open(head, body string) string {
	w.Helper()
	pr, err := w.store.Create(w.Context(), pulls.CreateRequest{Title: "About " + head, Body: body, Head: head})
	if err != nil {
		w.Fatal(err)
	}
	return pr.Name
}

// asked counts the requests of f: GraphQL, and the rest.
func (w *world) asked(f func()) (graphql, rest int) {
	w.Helper()
	before := len(w.server.Requests())
	f()
	for _, r := range w.server.Requests()[before:] {
		if r.Path == "/graphql" {
			graphql++
		} else {
			rest++
		}
	}
	return graphql, rest
}

func (w *world) pull(name string, change func(*fake.Repo, *fake.Pull)) {
	w.Helper()
	n, err := strconv.Atoi(name[1:])
	if err != nil {
		w.Fatal(err)
	}
	w.server.With("acme/widgets", func(r *fake.Repo) { change(r, r.Pull(n)) })
}
