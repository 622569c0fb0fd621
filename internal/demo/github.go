package demo

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// The GitHub of a demo: one of our own, on this machine, with its state in the
// demo's folder.
const (
	gitHubDir    = "github"
	gitHubOwner  = "demo" // its organisation
	ownerLogin   = "robin-owner"
	ownerID      = 4711
	ownerToken   = "ghp_demo" //nolint:gosec // it opens nothing but this demo
	projectNo    = 1
	appKeyEnvVar = "DISPATCHER_DEMO_APP_KEY_" // else a person's own keys would be taken
)

// role is one of the two Apps.
type role int

const (
	developer role = iota
	reviewer
)

func (r role) word() string   { return [...]string{"developer", "reviewer"}[r] }
func (r role) botID() int64   { return 900001 + int64(r) }
func (r role) appID() int64   { return 101 + int64(r) }
func (r role) install() int64 { return 201 + int64(r) }
func (r role) slug() string   { return "demo-" + r.word() }
func botName(r role) string   { return r.slug() + "[bot]" }
func botEmail(r role) string {
	return strconv.FormatInt(r.botID(), 10) + "+" + botName(r) + "@users.noreply.github.com"
}

// gitHub is the demo's GitHub while it is open.
type gitHub struct {
	world *fake.Server
	url   string
	keys  map[string]string // private keys by file name, of a new one
	ci    *runner
}

func (g *gitHub) stop() {
	g.ci.stop()
	_ = g.world.Sent() // nobody is told anything any more
}

// gitHubPlace is where a demo's GitHub is: what its configuration names.
type gitHubPlace struct {
	Address string `json:"address"` // on loopback
}

// openGitHub brings the folder's GitHub to life, at the address that the demo's
// configuration names. A new one gets a free address.
func (d *Demo) openGitHub(ctx context.Context) error {
	dir := filepath.Join(d.Dir, gitHubDir)
	place := gitHubPlace{Address: anywhere}
	path := filepath.Join(dir, placeFile)
	if err := readPlace(path, &place); err != nil {
		return err
	}
	l, err := listen(ctx, place.Address)
	if err != nil {
		return fmt.Errorf("serve the demo's GitHub: %w", err)
	}
	g := &gitHub{url: "http://" + l.Addr().String(), ci: newRunner(d), keys: map[string]string{}}
	g.world, err = fake.Open(fake.Options{Folder: dir, URL: g.url, Person: ownerLogin, Points: demoPoints, Notify: g.ci.told})
	if err == nil && g.world.Empty() {
		err = g.furnish(d.Remote)
	}
	if err == nil {
		err = writePlace(path, gitHubPlace{Address: l.Addr().String()})
	}
	if err != nil {
		_ = l.Close() // nothing was served
		return err
	}
	d.github, d.served = g, serve(l, g.world)
	g.ci.start(ctx)
	return nil
}

// furnish makes what an owner sets up once: the two Apps, the repository, the
// project.
func (g *gitHub) furnish(remote string) error {
	for _, r := range []role{developer, reviewer} {
		key, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			return fmt.Errorf("make the key of the demo's %s: %w", r.word(), err)
		}
		text := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)})
		g.keys[r.slug()+".private-key.pem"] = string(text)
		may := map[string]string{"pull_requests": "write", "checks": "read", "statuses": "read"}
		if r == developer {
			may["contents"] = "write"
		}
		g.world.AddApp(fake.App{
			ID: r.appID(), Slug: r.slug(), Key: &key.PublicKey, Installation: r.install(), Account: gitHubOwner,
			Repositories: []string{"todo"}, Permissions: may,
		}, r.botID())
	}
	g.world.AddUser(ownerLogin, ownerID, ownerToken)
	g.world.AddRepo(gitHubOwner, "todo", remote, "main")
	g.world.With(repository, func(r *fake.Repo) {
		r.Public = true
		r.AddLabel(confirmLabel)
		r.AddLabel("UI")
	})
	var columns []string
	for _, r := range board.Roles() {
		columns = append(columns, r.DefaultName())
	}
	g.world.AddProject(gitHubOwner, projectNo, columns...)
	return nil
}

// remote is how git in the main checkout reaches the demo's GitHub: as its owner,
// past any proxy.
func (g *gitHub) remote() [][]string {
	login := `!f() { test "$1" = get && echo username=` + ownerLogin + ` && echo password=` + ownerToken + `; }; f`
	return [][]string{
		{"remote", "set-url", "origin", g.url + "/" + repository + ".git"},
		{"config", "http." + g.url + ".proxy", ""},
		{"config", "credential." + g.url + ".helper", ""},
		{"config", "--add", "credential." + g.url + ".helper", login},
	}
}

// gitHubConfiguration turns the demo's configuration into one of its GitHub.
func (d *Demo) gitHubConfiguration(c config.Config) config.Config {
	p := d.github.world.ProjectOf(gitHubOwner, projectNo)
	states := map[string]config.GitHubState{}
	for _, o := range p.Status.Options {
		for _, r := range board.Roles() {
			if r.DefaultName() == o.Name {
				states[string(r)] = config.GitHubState{Name: o.Name, OptionID: o.ID}
			}
		}
	}
	app := func(r role) config.GitHubApp {
		return config.GitHubApp{
			AppID: r.appID(), InstallationID: r.install(), Slug: r.slug(), BotLogin: botName(r), BotUserID: r.botID(),
			KeyEnvVar: appKeyEnvVar + strings.ToUpper(r.word()),
		}
	}
	c.Platform, c.Repository, c.GitHubURL = config.PlatformGitHub, repository, d.github.url
	c.Native, c.Pulls = config.Native{}, config.Pulls{Kind: config.PullsGitHub}
	c.GitHubApps = &config.GitHubApps{Developer: app(developer), Reviewer: app(reviewer)}
	c.GitHub = &config.GitHub{
		Owner: gitHubOwner, ProjectNumber: projectNo, ProjectID: p.ID, StatusFieldID: p.Status.ID, ClaimedByFieldID: p.ClaimedBy.ID, States: states,
	}
	return c
}

// makeGitHubIssue writes an issue as its owner would on GitHub's own pages.
func (d *Demo) makeGitHubIssue(i *issue) (string, error) {
	n := fake.Issue{Title: i.title, Body: i.body, Author: ownerLogin, Milestone: Milestone}
	if i.label != "" {
		n.Labels = []string{i.label}
	}
	if i.blocker != "" {
		blocker, err := strconv.Atoi(strings.TrimPrefix(d.ref(i.blocker), "#"))
		if err != nil {
			return "", fmt.Errorf("%s waits for %q: %w", i.ref, i.blocker, err)
		}
		n.BlockedBy = []int{blocker}
	}
	w := d.github.world
	return "#" + strconv.Itoa(w.NewIssue(repository, n, i.role().DefaultName(), w.ProjectOf(gitHubOwner, projectNo))), nil
}
