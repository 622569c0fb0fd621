//go:build unix

package cli_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/cli"
	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// badWorld is a checkout of acme/widgets, and a GitHub that has its issue #1 on
// a project, its pull request #2, and something wrong.
type badWorld struct {
	t       *testing.T
	repo    string
	url     string
	hub     *github.Server
	project *github.Project
	config  map[string]any
	env     map[string]string
	ahead   time.Duration // of this machine's clock
}

// badRepo is what all bad worlds share, and nothing of theirs changes.
type badRepo struct {
	dir, bare, pem string
	key            *rsa.PrivateKey
}

func newBadRepo(t *testing.T) *badRepo {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	r := &badRepo{dir: filepath.Join(t.TempDir(), "repo"), key: key}
	r.pem = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	r.bare = filepath.Join(filepath.Dir(r.dir), "widgets.git")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=o", "-c", "user.email=o@example.com", "-C", r.dir}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	git("init", "-q", "-b", "main")
	git("commit", "-q", "--allow-empty", "-m", "First")
	git("branch", "change")
	git("clone", "-q", "--bare", r.dir, r.bare)
	git("remote", "add", "origin", r.bare)
	git("fetch", "-q", "origin")
	git("remote", "set-head", "origin", "main")
	git("checkout", "-q", "change")
	git("commit", "-q", "--allow-empty", "-m", "A change")
	git("push", "-q", "origin", "change")
	git("checkout", "-q", "-b", "task/1-blue")
	return r
}

func (r *badRepo) world(t *testing.T) *badWorld {
	t.Helper()
	w := &badWorld{t: t, repo: r.dir, env: map[string]string{"GH_TOKEN": "olive-token", "HOME": filepath.Dir(r.dir)}}
	w.hub = github.New(github.Options{Now: time.Now})
	apps, states := map[string]any{}, map[string]any{}
	for i, role := range []string{"developer", "reviewer"} {
		id := int64(i + 1)
		w.hub.AddApp(github.App{
			ID: id, Slug: "acme-" + role, Key: &r.key.PublicKey, Installation: 10 + id, Account: "acme", Repositories: []string{"widgets"},
			Permissions: map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read"},
		}, 100+id)
		apps[role] = map[string]any{"appId": id, "installationId": 10 + id, "slug": "acme-" + role, "botLogin": "acme-" + role + "[bot]", "botUserId": 100 + id}
		w.secret(role, r.pem)
	}
	w.hub.AddRepo("acme", "widgets", r.bare, "main")
	w.hub.AddUser("olive", 42, "olive-token")
	w.project = w.hub.AddProject("acme", 2, projectOptions()...)
	for _, role := range board.Roles() {
		states[string(role)] = map[string]string{"name": role.DefaultName(), "optionId": "any"}
	}
	w.hub.NewIssue("acme/widgets", github.Issue{Title: "Blue", Milestone: "v1", Author: "olive"}, "Ready", w.project)
	w.hub.With("acme/widgets", func(r *github.Repo) {
		r.Open(&github.Pull{Title: "A change", Body: "Fixes #1", Base: "main", Head: "change", Author: "acme-developer[bot]", Created: time.Now()})
	})
	web := httptest.NewServer(w.hub)
	t.Cleanup(web.Close)
	w.url = web.URL
	w.env["GITHUB_API_URL"], w.env["GITHUB_SERVER_URL"] = web.URL, web.URL
	w.config = map[string]any{
		"platform": "github", "repository": "acme/widgets", "githubApps": apps,
		"github": map[string]any{
			"owner": "acme", "projectNumber": 2, "projectId": w.project.ID,
			"statusFieldId": w.project.Status.ID, "claimedByFieldId": w.project.ClaimedBy.ID, "states": states,
		},
	}
	return w
}

func (w *badWorld) secret(role, text string) {
	w.t.Helper()
	path := filepath.Join(w.repo, ".secrets", "acme-"+role+".private-key.pem")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.RemoveAll(path); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *badWorld) apps() map[string]any { return w.config["githubApps"].(map[string]any) }

// noKey takes the developer's key away, and may leave a folder in its place.
func (w *badWorld) noKey(instead string) {
	w.t.Helper()
	path := filepath.Join(w.repo, ".secrets", "acme-developer.private-key.pem")
	err := os.Remove(path)
	if instead != "" && err == nil {
		err = os.Mkdir(path, 0o700)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// grant changes the developer App.
func (w *badWorld) grant(change func(*github.App)) { w.hub.Change(1, change) }

// pull changes the pull request.
func (w *badWorld) pull(change func(*github.Pull)) {
	w.hub.With("acme/widgets", func(r *github.Repo) { change(r.Pull(2)) })
}

// ofProject changes the project.
func ofProject(change func(*github.Project)) func(*badWorld) {
	return func(w *badWorld) { w.hub.Project(w.project, change) }
}

// fail lets every request fail.
func fail(k github.FaultKind) func(*badWorld) {
	return func(w *badWorld) { w.hub.Inject(github.Fault{Kind: k}) }
}

// run plays one command in the checkout.
func (w *badWorld) run(args ...string) (code int, out, errs string) {
	w.t.Helper()
	text, err := json.Marshal(w.config)
	if err == nil {
		err = os.WriteFile(filepath.Join(w.repo, "dispatcher.config.json"), text, 0o600)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	env := maps.Clone(w.env)
	f := &app.Factory{
		IO:      &app.IO{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Width: func() int { return 0 }},
		Getenv:  func(k string) string { return env[k] },
		Environ: func() []string { return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + env["HOME"]} },
		Dir:     w.repo, Now: func() time.Time { return time.Now().Add(w.ahead) }, Version: "test",
	}
	code = cli.Main(w.t.Context(), f, args)
	return code, stdout.String(), stderr.String()
}

// What can be wrong with a GitHub, each with what the person is told. The whole
// list and where each line is shown:
//
//	missing or unreadable PEM             here (PEM …); gitapp TestMintRefused
//	wrong App id                          here; gitapp TestMintRefused
//	App not installed on the repository   here; gitapp TestMintRefused
//	missing permission, named             here; gitapp/pulls/github TestFailure38AndSymptom25UpdateRefused
//	clock off by minutes                  here; gitapp TestSymptom29ClockSkew
//	token expired in mid-command          here; gitapp/pulls/github TestFailure27TokenEnds
//	repository renamed                    here
//	default branch protected              testdata/github/protected.txtar
//	branch deleted                        here; gitapp/pulls/github TestFailure38AndSymptom25UpdateRefused
//	pull request from a fork              here; gitapp/pulls/github TestFailure38AndSymptom25UpdateRefused
//	project or field missing, wrong type  here; board/ghproject TestWrongProject
//	option renamed between poll and write here; board/ghproject TestSymptom18RenumberedOptions
//	502 pages                             here
//	403 that is a secondary limit         here; gitapp/pulls/github TestFailure24And26Limits
func TestBadInputOnGitHub(t *testing.T) {
	t.Parallel()
	r := newBadRepo(t)
	for _, tc := range []struct {
		name string
		bad  func(*badWorld)
		args string
		code int
		says string
	}{
		{"PEM missing", func(w *badWorld) { w.noKey("") }, "token", 1, "no private key for the developer App acme-developer: put the PEM that GitHub gave you"},
		{"PEM unreadable, another text", func(w *badWorld) { w.secret("developer", "hunter2") }, "token", 1, "it is no RSA private key in PEM"},
		{"PEM unreadable, cut", func(w *badWorld) { w.secret("developer", r.pem[:len(r.pem)/2]) }, "pulls list", 2, "it is no RSA private key in PEM"},
		{"PEM unreadable, a folder", func(w *badWorld) { w.noKey("folder") }, "token", 1, "is no file of a key: it is a folder"},
		{"wrong App id", func(w *badWorld) { w.apps()["developer"].(map[string]any)["appId"] = 5 }, "pulls list", 2, "the private key is not one of App 5: check githubApps.developer.appId and the key"},
		{"wrong installation", func(w *badWorld) { w.apps()["developer"].(map[string]any)["installationId"] = 5 }, "pulls list", 2, "App acme-developer has no installation 5: install it on acme"},
		{"App not installed on the repository", func(w *badWorld) { w.grant(func(a *github.App) { a.Repositories = []string{"other"} }) }, "pulls list", 2, "App acme-developer is not installed on acme/widgets: give its installation access"},
		{"missing permission, asked for", func(w *badWorld) {
			w.grant(func(a *github.App) { a.Permissions = map[string]string{"pull_requests": "write"} })
		}, "identity", 1, "contents: write"},
		{"missing permission, met", func(w *badWorld) {
			w.grant(func(a *github.App) { a.Permissions = map[string]string{"contents": "write"} })
		}, "pr --title T --body x --head change2", 1, "lacks the permission pull_requests=write; grant it in the App's settings"},
		{"clock ahead by minutes", func(w *badWorld) { w.ahead = 5 * time.Minute }, "pulls list", 2, "this machine's clock is wrong: it is 5m"},
		{"clock behind by minutes", func(w *badWorld) { w.ahead = -15 * time.Minute }, "token", 1, "this machine's clock is wrong: it is "},
		{"token expired in mid-command", func(w *badWorld) { w.hub.Inject(github.Fault{Kind: github.FaultExpired, Path: "/graphql", Times: 1}) }, "pulls view 2", 0, "# #2 A change"},
		{"repository renamed, Apps", func(w *badWorld) { w.hub.Rename("acme/widgets", "gadgets") }, "pulls list", 2, "or mend `repository` if it was renamed"},
		{"repository renamed, board", func(w *badWorld) { w.hub.Rename("acme/widgets", "gadgets") }, "board poll --all-milestones", 2, "acme/widgets is acme/gadgets now"},
		{"repository renamed, one row", func(w *badWorld) { w.hub.Rename("acme/widgets", "gadgets") }, "board issue 1", 2, "acme/widgets is acme/gadgets now"},
		{"branch deleted, before the pull request", func(*badWorld) {}, "pr --title T --body x --head task/gone", 1, "GitHub has no branch task/gone: `git push -u origin task/gone` first"},
		{"branch deleted, after it", func(w *badWorld) { w.pull(func(p *github.Pull) { p.Head, p.HeadSHA = "gone", "" }) }, "pulls view 2", 0, "branch: gone into main"},
		{"pull request from a fork", func(w *badWorld) { w.pull(func(p *github.Pull) { p.Fork, p.Author = "stranger", "stranger" }) }, "pulls view 2", 0, "branch: fork:change into main"},
		{"project missing", func(w *badWorld) { w.hub.Project(w.project, func(p *github.Project) { p.Forbidden = true }) }, "board poll --all-milestones", 2, "your login sees no project"},
		{"field missing, Status", ofProject(func(p *github.Project) { p.Status.Name = "State" }), "board states", 2, "has no field Status"},
		{"field missing, Claimed By", ofProject(func(p *github.Project) { p.ClaimedBy.Name = "Claimed" }), "board poll --all-milestones", 2, "has no field Claimed By: add one of the type Text"},
		{"field of the wrong type, Status", ofProject(func(p *github.Project) { p.Status.Type = "TEXT" }), "board poll --all-milestones", 2, "is no single select field"},
		{"field of the wrong type, Claimed By", ofProject(func(p *github.Project) { p.ClaimedBy.Type = "NUMBER" }), "board claim 1 dev --session s", 2, "is no text field"},
		{"option renamed between poll and write", func(w *badWorld) {
			if code, _, errs := w.run("board", "poll", "--all-milestones"); code != 0 {
				w.t.Error(errs)
			}
			w.hub.Project(w.project, func(p *github.Project) { change(p, "rename", "In Progress", "Doing") })
		}, "board state 1 in-progress", 2, "github.states do not fit the options of Status: the role inProgress: not found: Status has no option \"In Progress\"; it has"},
		{"no login, a write", func(w *badWorld) { w.env["GH_TOKEN"] = "" }, "board state 1 in-progress", 2, "it takes your own GitHub login: `gh auth login`, or a token in GH_TOKEN"},
		{"no answer at all, board", fail(github.FaultHangUp), "board states", 2, "GitHub cannot be reached: "},
		{"no answer at all, pull requests", fail(github.FaultHangUp), "pulls list", 2, "GitHub cannot be reached: "},
		{"no answer at all, limits", fail(github.FaultHangUp), "board limits", 2, "GitHub cannot be reached: "},
		{"502 page, board", fail(github.FaultBadGate), "board poll --all-milestones", 2, "no answer of GitHub's: HTTP 502"},
		{"502 page, pull requests", fail(github.FaultBadGate), "pulls list", 2, "no answer of GitHub's: HTTP 502"},
		{"502 page, GraphQL", func(w *badWorld) { w.hub.Inject(github.Fault{Kind: github.FaultBadGate, Path: "/graphql"}) }, "pulls list", 2, "no answer of GitHub's: HTTP 502"},
		{"502 page, REST", func(w *badWorld) { w.hub.Inject(github.Fault{Kind: github.FaultBadGate, Path: "/repos"}) }, "pulls diff 2", 2, "no answer of GitHub's: HTTP 502"},
		{"502 page, token", fail(github.FaultBadGate), "token", 1, "no answer of GitHub's: HTTP 502"},
		{"403 of a secondary limit, board", fail(github.FaultSecondary), "board states", 2, "GitHub asked to wait (too many requests at once); nothing is sent before"},
		{"403 of a secondary limit, pull requests", func(w *badWorld) { w.hub.Inject(github.Fault{Kind: github.FaultBare, Path: "/graphql"}) }, "pulls list", 2, "GitHub asked to wait (too many requests at once)"},
		{"403 of a secondary limit, token", fail(github.FaultSecondary), "token", 1, "GitHub asked to wait (too many requests at once)"},
		{"403 of a secondary limit, without a word of when", fail(github.FaultBare), "identity", 1, "GitHub asked to wait (too many requests at once)"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := r.world(t)
			tc.bad(w)
			code, out, errs := w.run(strings.Fields(tc.args)...)
			if code != tc.code || !strings.Contains(out+errs, tc.says) {
				t.Errorf("exit %d, want %d\n%s%s\nwant %q", code, tc.code, out, errs, tc.says)
			}
			for _, secret := range []string{"olive-token", "ghs_1", "eyJ", "<html", "\x1b", r.pem[100:140]} {
				if strings.Contains(out+errs, secret) && tc.args != "token" {
					t.Errorf("%q was shown: %s%s", secret, out, errs)
				}
			}
		})
	}
}
