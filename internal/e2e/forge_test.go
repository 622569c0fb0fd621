//go:build unix

package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
	"github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/fake/linear"
)

// forge is a bench whose pull requests live on a GitHub on loopback: the real
// git pushes to it through the credential helper, and the real gh of workers
// speaks to it over a socket.
type forge struct {
	*bench
	hub     *github.Server
	project *github.Project // where the board is one
	lin     *linear.World   // where the board is on Linear
	pull    string          // number of the first pull request
	key     string          // of both Apps, in PEM
}

const (
	ownerToken = "olive-token-e2e-77aa"
	linearKey  = "lin_api_e2e_88bb"
	appToken   = "ghs_111111_ey" // begins every token of the developer App
	issueTitle = "Greet in French"
	issueBody  = "Add a greeting in French.\n\n- [ ] A file with the greeting\n"
)

// newForge is a bench with its GitHub, whose tokens last for life.
func newForge(t *testing.T, life time.Duration, conversations ...*anthropic.Conversation) *forge {
	t.Helper()
	if _, err := exec.LookPath("gh"); err != nil && os.Getenv("DISPATCHER_E2E") == "1" {
		t.Fatalf("DISPATCHER_E2E is 1 and there is no gh: %v", err)
	}
	f := &forge{bench: newBench(t, &anthropic.Script{Conversations: conversations})}
	f.hub = github.New(github.Options{TokenLife: life, Departs: func(err error) { t.Errorf("a request departs from GitHub's description: %v", err) }})
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	f.key = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	for i, role := range []string{"developer", "reviewer"} {
		f.hub.AddApp(github.App{
			ID: int64(111111 * (i + 1)), Slug: "acme-" + role, Key: &key.PublicKey, Installation: int64(10000001 + i), Account: "acme",
			Repositories: []string{"widgets"}, Permissions: map[string]string{"contents": "write", "pull_requests": "write", "checks": "read", "statuses": "read"},
		}, int64(100000001+i))
		f.write(".secrets/acme-"+role+".private-key.pem", f.key)
	}
	f.hub.AddRepo("acme", "widgets", f.remote, "main")
	f.hub.AddUser("olive", 42, ownerToken)
	web := httptest.NewServer(f.hub)
	t.Cleanup(web.Close)
	f.more = []string{"GITHUB_API_URL=" + web.URL, "GITHUB_SERVER_URL=" + web.URL, "GH_TOKEN=" + ownerToken}
	f.git("remote", "set-url", "origin", web.URL+"/git/acme/widgets.git")
	f.git("config", "credential."+web.URL+".helper", "!f() { echo username=olive; echo password="+ownerToken+"; }; f")
	f.gh()
	return f
}

// gh has the workers' gh, which has no login, find the GitHub: it takes the
// place where that would lie.
func (f *forge) gh() {
	f.t.Helper()
	program, err := build()
	if err != nil {
		f.t.Fatal(err)
	}
	copied, err := app.CopySelf(filepath.Join(f.repo, ".claude", "dispatcher"), program)
	if err != nil {
		f.t.Fatal(err)
	}
	socket := filepath.Join(f.dir, "gh.sock")
	l, err := (&net.ListenConfig{}).Listen(f.t.Context(), "unix", socket)
	if err != nil {
		f.t.Fatal(err)
	}
	srv := &http.Server{Handler: f.hub, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(l) }()
	f.t.Cleanup(func() {
		_ = srv.Close() // Serve tells how it ended
		<-done
	})
	login, err := filepath.Rel(f.repo, filepath.Join(filepath.Dir(copied), "no-gh-login", "config.yml"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.write(login, "http_unix_socket: "+socket+"\nprompt: disabled\n")
}

// apps is how a configuration names the two Apps.
func apps() map[string]any {
	of := func(role string, n int64) map[string]any {
		return map[string]any{
			"appId": 111111 * n, "installationId": 10000000 + n, "slug": "acme-" + role, "botLogin": "acme-" + role + "[bot]", "botUserId": 100000000 + n,
		}
	}
	return map[string]any{"developer": of("developer", 1), "reviewer": of("reviewer", 2)}
}

// onProject makes the board a project of the same GitHub, with one issue.
func (f *forge) onProject() {
	f.t.Helper()
	var names []string
	states := map[string]any{}
	for _, r := range board.Roles() {
		names = append(names, r.DefaultName())
		states[string(r)] = map[string]string{"name": r.DefaultName(), "optionId": "any"}
	}
	f.project = f.hub.AddProject("acme", 2, names...)
	f.dispatch(map[string]any{
		"platform": "github", "repository": "acme/widgets", "githubApps": apps(),
		"github": map[string]any{
			"owner": "acme", "projectNumber": 2, "projectId": f.project.ID,
			"statusFieldId": f.project.Status.ID, "claimedByFieldId": f.project.ClaimedBy.ID, "states": states,
		},
	})
	n := f.hub.NewIssue("acme/widgets", github.Issue{Title: issueTitle, Body: issueBody, Milestone: "M1", Author: "olive"}, "Ready", f.project)
	f.ref, f.pull = board.Ref(fmt.Sprint("#", n)), fmt.Sprint(n+1)
}

// onLinear makes the board a project of a Linear, with one issue.
func (f *forge) onLinear() {
	f.t.Helper()
	var err error
	if f.lin, err = linear.New(linear.Options{Requests: 100_000, Points: 100_000_000}); err != nil {
		f.t.Fatal(err)
	}
	made := f.lin.Set(linear.Setup{Key: linearKey, Team: "ACM"})
	web := httptest.NewServer(f.lin)
	f.t.Cleanup(web.Close)
	f.write(".secrets/api-keys.json", `{"Linear": "`+linearKey+`"}`)
	states := map[string]string{}
	for _, r := range board.Roles() {
		states[string(r)] = r.DefaultName()
	}
	f.dispatch(map[string]any{
		"platform": "linear", "repository": "acme/widgets", "pulls": map[string]any{"kind": "github"}, "githubApps": apps(),
		"linear": map[string]any{
			"workspace": made.Workspace, "teamId": made.Team, "teamKey": made.TeamKey, "projectId": made.Project,
			"projectUrl": made.ProjectURL, "apiUrl": web.URL + "/graphql", "states": states,
			"agents": map[string]string{"developer": made.Developer, "reviewer": made.Reviewer},
		},
	})
	ref, err := f.lin.AddIssue(linear.Draft{Title: issueTitle, Body: issueBody, State: "Ready", Milestone: "M1"})
	if err != nil {
		f.t.Fatal(err)
	}
	f.ref, f.pull = board.Ref(ref), "1"
}

// merge is the owner's press of the button on GitHub's page, of which GitHub
// tells the board.
func (f *forge) merge() {
	f.t.Helper()
	pr := f.pulls()[0]
	if err := f.hub.MergePull("acme/widgets", pr.Number, "olive"); err != nil {
		f.t.Fatal(err)
	}
	if f.lin != nil {
		f.lin.Merge(pr.URL)
	}
}
