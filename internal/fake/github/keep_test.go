package github_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/backside4charter/dispatcher/internal/fake/github"
)

const owned = "acme/widgets"

// signs is the key of the App of all tests here.
var signs = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// run runs git in a folder.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=olive", "-c", "user.email=olive@example.com"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// place is a GitHub with one repository of two branches, main and task/1, its
// state in a folder, served on loopback.
type place struct {
	t    *testing.T
	o    github.Options
	work string // a clone
	s    *github.Server
	web  *httptest.Server
}

func newPlace(t *testing.T, o github.Options) *place {
	t.Helper()
	dir := t.TempDir()
	bare := filepath.Join(dir, "widgets.git")
	p := &place{t: t, o: o, work: filepath.Join(dir, "work")}
	p.o.Folder, p.o.Person = filepath.Join(dir, "state"), "olive"
	run(t, dir, "init", "-q", "--bare", "-b", "main", bare)
	run(t, dir, "clone", "-q", bare, p.work)
	p.commit("main", "one")
	run(t, p.work, "push", "-q", "origin", "HEAD:main")
	p.commit("task/1", "two")
	run(t, p.work, "push", "-q", "origin", "HEAD:task/1")
	p.open()
	key, err := signs()
	if err != nil {
		t.Fatal(err)
	}
	p.s.AddApp(github.App{
		ID: 1, Slug: "acme-developer", Key: &key.PublicKey, Installation: 7, Account: "acme", Repositories: []string{"widgets"},
		Permissions: map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read"},
	}, 100)
	p.s.AddUser("olive", 42, "olive-token")
	p.s.AddRepo("acme", "widgets", bare, "main")
	project := p.s.AddProject("acme", 2, "Ready", "Done")
	p.s.NewIssue(owned, github.Issue{Title: "An issue", Author: "olive", Milestone: "v1", Labels: []string{"UI"}}, "Ready", project)
	return p
}

func (p *place) commit(branch, text string) {
	p.t.Helper()
	run(p.t, p.work, "checkout", "-q", "-B", branch)
	if err := os.WriteFile(filepath.Join(p.work, text+".txt"), []byte(text+"\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	run(p.t, p.work, "add", ".")
	run(p.t, p.work, "commit", "-qm", text)
}

// open opens the folder anew, as another process would.
func (p *place) open() {
	p.t.Helper()
	s, err := github.Open(p.o)
	if err != nil {
		p.t.Fatal(err)
	}
	web := httptest.NewServer(s)
	p.t.Cleanup(web.Close)
	p.s, p.web = s, web
}

// ask sends a request as olive.
func (p *place) ask(method, path, body string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.web.URL+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer olive-token")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// openPull opens a pull request of task/1.
func (p *place) openPull() {
	p.t.Helper()
	code, text := p.ask(http.MethodPost, "/api/v3/repos/"+owned+"/pulls", `{"title": "Two", "body": "Fixes #1", "head": "task/1", "base": "main"}`)
	if code != http.StatusCreated {
		p.t.Fatalf("%d: %s", code, text)
	}
}

// column is where issue 1 stands, by GraphQL.
func (p *place) column() string {
	p.t.Helper()
	body, err := json.Marshal(map[string]string{"query": `{ repository(owner: "acme", name: "widgets") { issue(number: 1) { state projectItems(first: 1) { nodes {
		fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { name } } } } } } }`})
	if err != nil {
		p.t.Fatal(err)
	}
	_, text := p.ask(http.MethodPost, "/api/graphql", string(body))
	return text
}

// What was answered is there after the end of the process; numbers go on.
func TestStateIsKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t, github.Options{})
	p.openPull()
	tip := run(t, p.work, "rev-parse", "task/1")
	p.s.With(owned, func(r *github.Repo) {
		r.Public = true
		r.SetCheck(tip, github.Check{Name: "tests", Done: true, Conclusion: "success"})
	})
	p.open()
	if p.s.Empty() {
		t.Fatal("nothing is left")
	}
	code, text := p.ask(http.MethodGet, "/api/v3/repos/"+owned+"/pulls/2", "")
	if code != http.StatusOK || !strings.Contains(text, `"title":"Two"`) {
		t.Errorf("the pull request: %d %s", code, text)
	}
	if _, text := p.ask(http.MethodGet, "/api/v3/repos/"+owned+"/commits/"+tip+"/check-runs", ""); !strings.Contains(text, `"name":"tests"`) {
		t.Errorf("the checks: %s", text)
	}
	if got := p.column(); !strings.Contains(got, `"name":"Ready"`) || !strings.Contains(got, `"state":"OPEN"`) {
		t.Errorf("the issue: %s", got)
	}
	if n := p.s.NewIssue(owned, github.Issue{Title: "Another", Author: "olive"}, ""); n != 3 {
		t.Errorf("the next issue is %d", n)
	}
	// Whoever asks may read a public repository, and only that.
	run(t, p.work, "ls-remote", p.web.URL+"/"+owned+".git")
	push := exec.CommandContext(t.Context(), "git", "push", "-q", p.web.URL+"/"+owned+".git", "task/1:task/9")
	push.Dir, push.Env = p.work, append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=true", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := push.CombinedOutput(); err == nil {
		t.Errorf("a push without a login: %s", out)
	}
}

// A folder that holds something else is said to be so.
func TestStateThatIsNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "github.json"), []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := github.Open(github.Options{Folder: dir}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
}
