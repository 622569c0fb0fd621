package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// linears are the workspaces of the scripts that play, by their folder.
var linears sync.Map

// workspace is a script's Linear.
type workspace struct {
	world *fake.World
	made  fake.Made
}

const linearKey = "lin_api_script"

// linearCmd is a script's hand on its Linear:
//
//	linear new                       a workspace, its configuration and its key in the current folder
//	linear issue <title> name=value… an issue as its owner writes it
//	linear edit <ref> name=value…    a change on Linear's own pages
//	linear comment <ref> <user> <text>
//	linear user <name>               a stranger in the workspace
//	linear rename <state> <name>     a state is renamed
//	linear fault <kind> [times]      requests fail from now on; mend ends that
//	linear merged <url>              a pull request is merged
//	linear long <file> <n>           a text of so many characters
//	linear asked <n>                 so many requests came since the last time
func linearCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: linear new|issue|edit|comment|user|rename|fault|mend|merged|asked")
	}
	switch args[0] {
	case "new":
		newWorkspace(ts)
		return
	case "long":
		n, err := strconv.Atoi(args[2])
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Repeat("many words", n/10)), 0o600))
		return
	}
	w, ok := linears.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("linear %s before linear new", args[0])
	}
	ts.Check(w.(*workspace).play(args[0], args[1:]))
}

func newWorkspace(ts *testscript.TestScript) {
	world, err := fake.New(fake.Options{})
	ts.Check(err)
	w := &workspace{world: world, made: world.Set(fake.Setup{Key: linearKey, Team: "PLA4", Labels: []string{"UI", "Confirm with user", "Kind/Bug"}})}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	ts.Check(err)
	srv := &http.Server{Handler: world, ReadHeaderTimeout: time.Minute}
	go func() { _ = srv.Serve(l) }()
	linears.Store(ts.Getenv("WORK"), w)
	ts.Defer(func() {
		linears.Delete(ts.Getenv("WORK"))
		_ = srv.Close()
	})
	cfg := map[string]any{
		"platform": "linear", "repository": "acme/widgets", "pulls": map[string]any{"kind": "local"},
		"linear": map[string]any{
			"workspace": w.made.Workspace, "teamId": w.made.Team, "teamKey": w.made.TeamKey, "projectId": w.made.Project,
			"projectUrl": w.made.ProjectURL, "apiUrl": "http://" + l.Addr().String() + "/graphql",
			"states": map[string]string{
				"backlog": "Backlog", "ready": "Ready", "changesRequested": "Changes Requested", "inProgress": "In Progress",
				"question": "Question", "humanReview": "Human Review", "done": "Done",
			},
			"agents": map[string]string{"developer": w.made.Developer, "reviewer": w.made.Reviewer},
		},
	}
	text, err := json.MarshalIndent(cfg, "", "  ")
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("dispatcher.config.json"), text, 0o600))
	ts.Check(os.MkdirAll(ts.MkAbs(".secrets"), 0o700))
	ts.Check(os.WriteFile(ts.MkAbs(".secrets/api-keys.json"), []byte(`{"Linear": "`+linearKey+`"}`), 0o600))
}

func (w *workspace) play(do string, args []string) error {
	switch do {
	case "issue":
		d, err := w.draft(args)
		if err != nil {
			return err
		}
		_, err = w.world.AddIssue(d)
		return err
	case "edit":
		return w.edit(args[0], args[1:])
	case "comment":
		return w.comment(args[0], args[1], strings.Join(args[2:], " "))
	case "user":
		w.world.AddUser(fake.User{Name: args[0], DisplayName: args[0], App: len(args) > 1})
	case "rename":
		return w.world.Change(func(d *fake.Data) {
			for _, s := range d.States {
				if s.Name == args[0] {
					s.Name = args[1]
				}
			}
		})
	case "fault":
		f := fake.Fault{Kind: fake.FaultKind(args[0])}
		if len(args) > 1 {
			f.Times, _ = strconv.Atoi(args[1])
		}
		w.world.Inject(f)
	case "mend":
		w.world.Mend()
	case "merged":
		w.world.Merge(args...)
	case "asked":
		n := w.world.Counts().Requests
		w.world.ResetCounts()
		if strconv.Itoa(n) != args[0] {
			return fmt.Errorf("%d requests came, not %s", n, args[0])
		}
	default:
		return fmt.Errorf("linear does not know %q", do)
	}
	return nil
}

func (w *workspace) draft(args []string) (fake.Draft, error) {
	d := fake.Draft{Title: args[0], State: "Ready", Milestone: "v1"}
	for _, kv := range args[1:] {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "state":
			d.State = value
		case "milestone":
			d.Milestone = value
		case "labels":
			d.Labels = strings.Split(value, ",")
		case "body":
			d.Body = strings.ReplaceAll(value, `\n`, "\n")
		case "parent":
			d.Parent = value
		case "blockers":
			d.Blockers = strings.Split(value, ",")
		case "assignee":
			d.Assignee = w.user(value)
		case "project":
			d.NoProject = value == "none"
		default:
			return d, fmt.Errorf("an issue has no %q", name)
		}
	}
	return d, nil
}

// user is a user's id by display name.
func (w *workspace) user(name string) string {
	id := ""
	_ = w.world.Change(func(d *fake.Data) {
		if n := slices.IndexFunc(d.Users, func(u *fake.User) bool { return u.DisplayName == name }); n >= 0 {
			id = d.Users[n].ID
		}
	})
	return id
}

func (w *workspace) edit(ref string, args []string) error {
	change := map[string]string{}
	for _, kv := range args {
		name, value, _ := strings.Cut(kv, "=")
		if name == "state" {
			value = w.world.StateID(value)
		}
		if name == "delegate" || name == "assignee" {
			value = w.user(value)
		}
		change[name] = value
	}
	return w.world.Edit(ref, w.made.Owner, func(i *fake.Issue) {
		for name, value := range change {
			switch name {
			case "state":
				i.State = value
			case "delegate":
				i.Delegate = value
			case "assignee":
				i.Assignee = value
			case "archived":
				i.Archived = time.Now()
			case "project":
				i.Project = value
			}
		}
	})
}

func (w *workspace) comment(ref, user, text string) error {
	return w.world.AddComment(ref, fake.Comment{Body: text, User: w.user(user)})
}
