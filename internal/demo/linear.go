package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// The Linear of a demo: one of our own, on this machine, with its state in the
// demo's folder.
const (
	linearDir  = "linear"
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

// openLinear brings the folder's Linear to life, at the address that the demo's
// configuration names. A new one gets a free address.
func (d *Demo) openLinear(ctx context.Context) error {
	dir := filepath.Join(d.Dir, linearDir)
	world, err := fake.New(fake.Options{Folder: dir, Merged: d.mergedPulls, Requests: demoRequests, Points: demoPoints, AnyKey: true})
	if err != nil {
		return err
	}
	place := linearPlace{Address: anywhere}
	path := filepath.Join(dir, placeFile)
	if err := readPlace(path, &place); err != nil {
		return err
	}
	l, err := listen(ctx, place.Address)
	if err != nil {
		return fmt.Errorf("serve the demo's Linear: %w", err)
	}
	place.Address = l.Addr().String()
	if world.Empty() {
		place.Made = world.Set(fake.Setup{Key: linearKey, Team: "DSP", Labels: []string{confirmLabel, "UI"}})
	}
	if err := writePlace(path, place); err != nil {
		_ = l.Close()
		return err
	}
	d.linear, d.place, d.served = world, &place, serve(l, world)
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
