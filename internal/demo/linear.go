package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// The Linear of a demo: one of our own, on this machine, with its state in the
// demo's folder.
const (
	linearDir  = "linear"
	linearFile = "demo.json"
	linearKey  = "lin_api_demo"
	repository = "demo/todo"
)

// What the demo's Linear allows in an hour: a demo polls every second, a real
// board once a minute.
const (
	demoRequests = 100_000
	demoPoints   = 100_000_000
)

// linearPlace is where a demo's Linear lies: what its configuration says.
type linearPlace struct {
	Address string    `json:"address"` // on loopback
	Made    fake.Made `json:"made"`
}

// platformNow is the platform of the folder: what it was made with, else what
// is asked for.
func (d *Demo) platformNow(asked string) config.Platform {
	if _, err := os.Stat(filepath.Join(d.Dir, linearDir, linearFile)); err == nil {
		return config.PlatformLinear
	}
	if d.Continued || asked == "" {
		return config.PlatformNative
	}
	return config.Platform(asked)
}

// openLinear brings the folder's Linear to life, at the address that the demo's
// configuration names. A new one gets a free address.
func (d *Demo) openLinear(ctx context.Context) error {
	dir := filepath.Join(d.Dir, linearDir)
	world, err := fake.New(fake.Options{Folder: dir, Merged: d.mergedPulls, Requests: demoRequests, Points: demoPoints, AnyKey: true})
	if err != nil {
		return err
	}
	place := linearPlace{Address: "127.0.0.1:0"}
	path := filepath.Join(dir, linearFile)
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &place) //nolint:musttag // the names of the fields are the file's
	}
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("read where the demo's Linear is: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", place.Address)
	if err != nil {
		return fmt.Errorf("serve the demo's Linear: %w; is the demo running already, or `demo --serve`? Its configuration names this address", err)
	}
	place.Address = l.Addr().String()
	if world.Empty() {
		place.Made = world.Set(fake.Setup{Key: linearKey, Team: "DSP", Labels: []string{confirmLabel, "UI"}})
	}
	if err := writePlace(dir, path, place); err != nil {
		_ = l.Close()
		return err
	}
	srv := &http.Server{Handler: world, ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // it ends when it is closed
	}()
	d.linear, d.place = world, &place
	d.close = func() { _ = srv.Close(); <-done }
	return nil
}

func writePlace(dir, path string, place linearPlace) error {
	data, err := json.MarshalIndent(place, "", "  ") //nolint:musttag // the names of the fields are the file's
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = statefile.WriteAtomic(path, append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note where the demo's Linear is: %w", err)
	}
	return nil
}

// mergedPulls are the links of the demo's merged pull requests: what GitHub
// would tell Linear.
func (d *Demo) mergedPulls() []string {
	files, err := filepath.Glob(filepath.Join(d.Repo, ".dispatcher", "pulls", "*.json"))
	if err != nil {
		return nil
	}
	var urls []string
	for _, path := range files {
		var r struct {
			State board.PullState `json:"state"`
		}
		data, err := os.ReadFile(path)
		number := strings.TrimSuffix(filepath.Base(path), ".json")
		if _, bad := strconv.Atoi(number); err == nil && bad == nil && json.Unmarshal(data, &r) == nil && r.State == board.PullMerged {
			urls = append(urls, "https://dispatcher.invalid/"+repository+"/pull/"+number)
		}
	}
	return urls
}

// linearConfiguration turns the demo's configuration into one of its Linear.
func (d *Demo) linearConfiguration(c config.Config) config.Config {
	made := d.place.Made
	states := map[string]string{}
	for _, r := range board.Roles() {
		states[string(r)] = r.DefaultName()
	}
	c.Platform, c.Repository, c.Pulls.Kind = config.PlatformLinear, repository, config.PullsLocal
	c.Native.Key = ""
	c.Linear = &config.Linear{
		Workspace: made.Workspace, TeamID: made.Team, TeamKey: made.TeamKey, ProjectID: made.Project, ProjectURL: made.ProjectURL,
		States: states, Agents: config.LinearAgents{Developer: made.Developer, Reviewer: made.Reviewer},
		APIURL: "http://" + d.place.Address + "/graphql",
	}
	return c
}

// writeKey puts the API key where the command line looks for it.
func (d *Demo) writeKey() error {
	dir := filepath.Join(d.Repo, ".secrets")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = statefile.WriteAtomic(filepath.Join(dir, "api-keys.json"), []byte(`{"Linear": "`+linearKey+`"}`+"\n"), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the demo's key: %w", err)
	}
	return nil
}

// makeLinearIssue writes an issue as its owner would on Linear's own pages.
func (d *Demo) makeLinearIssue(i *issue, role board.Role) (string, error) {
	n := fake.Draft{Title: i.title, Body: i.body, State: role.DefaultName(), Milestone: Milestone}
	if i.label != "" {
		n.Labels = []string{i.label}
	}
	if i.blocker != "" {
		n.Blockers = []string{i.blocker}
	}
	return d.linear.AddIssue(n)
}
