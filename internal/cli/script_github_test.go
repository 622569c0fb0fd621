package cli_test

import (
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// forgeValue keeps a script's GitHub in its environment.
type forgeKey struct{}

var forgeValue forgeKey

// scriptForge is a script's GitHub and its project.
type scriptForge struct {
	server  *github.Server
	project *github.Project
}

// projectOptions are the columns, in the board's order.
func projectOptions() []string {
	var names []string
	for _, r := range board.Roles() {
		names = append(names, r.DefaultName())
	}
	return names
}

// githubCmd is a script's hand on its GitHub:
//
//	github new [no-question]          the configuration of its project in the current folder
//	github issue <title> name=value…  an issue as its owner writes it
//	github edit <number> name=value…  a change on GitHub's own pages
//	github comment <number> <user> <text>
//	github rename <option> <name>     a column is renamed
//	github field <name> <type>        the fields of the project change
//	github fault <kind> [times]       requests fail from now on; mend ends that
//	github pull <number> <text>       a pull request of that text
//	github close <pull>               it is merged; what it names is closed
//	github long <file> <n>            a text of so many characters
//	github hook                       signed deliveries come to a workflow of ours: into events/<event>.<action>.json
//	github review <pull> <user> <state> <text>
func githubCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: github new|issue|edit|comment|rename|field|fault|mend|pull|close|long")
	}
	f, _ := ts.Value(forgeValue).(*scriptForge)
	ts.Check(f.play(ts, args[0], args[1:]))
}

func (f *scriptForge) play(ts *testscript.TestScript, do string, args []string) error {
	switch do {
	case "new":
		return f.configure(ts, len(args) == 0)
	case "issue":
		return errors.Join(f.issue(args[0], args[1:]), f.delivered())
	case "edit":
		return f.edit(args[0], args[1:])
	case "comment":
		n, err := strconv.Atoi(args[0])
		f.server.With("acme/widgets", func(r *github.Repo) {
			i := r.Issue(n)
			i.Comments = append(i.Comments, github.Comment{ID: int64(9000 + len(i.Comments)), Author: args[1], Body: strings.Join(args[2:], " "), At: time.Now()})
		})
		return err
	case "rename", "field":
		f.server.Project(f.project, func(p *github.Project) { change(p, do, args[0], args[1]) })
	case "fault":
		fault := github.Fault{Kind: github.FaultKind(args[0])}
		if len(args) > 1 {
			fault.Times, _ = strconv.Atoi(args[1])
		}
		f.server.Inject(fault)
	case "mend":
		f.server.Mend()
	case "pull":
		n, err := strconv.Atoi(args[0])
		f.server.With("acme/widgets", func(r *github.Repo) {
			r.Open(&github.Pull{Number: n, Title: "A change", Body: args[1], Base: "main", Head: "change", Author: "acme-developer[bot]", Created: time.Now()})
		})
		return err
	case "close":
		n, err := strconv.Atoi(args[0])
		if err != nil {
			return err
		}
		return errors.Join(f.server.MergePull("acme/widgets", n, "olive"), f.delivered())
	case "long":
		n, err := strconv.Atoi(args[1])
		if err != nil {
			return err
		}
		return os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Repeat("many words", n/10)), 0o600)
	case "hook":
		return f.hook(ts)
	case "review":
		n, err := strconv.Atoi(args[0])
		if err == nil {
			err = f.server.ReviewPull("acme/widgets", n, args[1], args[2], strings.Join(args[3:], " "))
		}
		return errors.Join(err, f.delivered())
	default:
		return fmt.Errorf("github does not know %q", do)
	}
	return nil
}

func change(p *github.Project, do, name, to string) {
	if do == "rename" {
		for i := range p.Status.Options {
			if p.Status.Options[i].Name == name {
				p.Status.Options[i].Name = to
			}
		}
		return
	}
	for _, field := range []*github.Field{&p.Status, &p.ClaimedBy} {
		if strings.ReplaceAll(field.Name, " ", "") == name {
			if to == "gone" {
				field.Name = "Renamed"
			} else {
				field.Type = to
			}
		}
	}
}

// configure writes the configuration of the script's project.
func (f *scriptForge) configure(ts *testscript.TestScript, question bool) error {
	states := map[string]any{}
	for _, r := range board.Roles() {
		if r != board.RoleQuestion || question {
			states[string(r)] = map[string]string{"name": r.DefaultName(), "optionId": "any"}
		}
	}
	if !question {
		f.server.Project(f.project, func(p *github.Project) { change(p, "rename", "Question", "Parked") })
	}
	bot := func(role string, n int64) map[string]any {
		return map[string]any{
			"appId": 111111 * n, "installationId": 10000000 + n, "slug": "acme-" + role, "botLogin": "acme-" + role + "[bot]", "botUserId": 100000000 + n,
		}
	}
	text, err := json.MarshalIndent(map[string]any{
		"platform": "github", "repository": "acme/widgets",
		"githubApps": map[string]any{"developer": bot("developer", 1), "reviewer": bot("reviewer", 2)},
		"github": map[string]any{
			"owner": "acme", "projectNumber": 2, "projectId": f.project.ID,
			"statusFieldId": f.project.Status.ID, "claimedByFieldId": f.project.ClaimedBy.ID, "states": states,
		},
	}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs("dispatcher.config.json"), text, 0o600)
}

func (f *scriptForge) issue(title string, args []string) error {
	i, column := github.Issue{Title: title, Milestone: "v1", Author: "olive"}, "Ready"
	on := []*github.Project{f.project}
	for _, kv := range args {
		name, value, _ := strings.Cut(kv, "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "state":
			column = value
		case "milestone":
			i.Milestone = value
		case "labels":
			i.Labels = strings.Split(value, ",")
		case "body":
			i.Body = strings.ReplaceAll(value, `\n`, "\n")
		case "blocker":
			i.BlockedBy = append(i.BlockedBy, n)
		case "parent":
			i.Parent = n
		case "assignee":
			i.Assignees = []string{value}
		case "project":
			on = nil
		default:
			return fmt.Errorf("an issue has no %q", name)
		}
	}
	f.server.NewIssue("acme/widgets", i, column, on...)
	return nil
}

func (f *scriptForge) edit(number string, args []string) error {
	n, err := strconv.Atoi(number)
	if err != nil {
		return err
	}
	f.server.Project(f.project, func(p *github.Project) {
		it := p.Item("acme/widgets", n)
		for _, kv := range args {
			name, value, _ := strings.Cut(kv, "=")
			switch name {
			case "claimed":
				it.Claimed = &value
			case "archived":
				it.Archived = true
			case "redacted":
				it.Redacted = true
			default:
				err = fmt.Errorf("an item has no %q", name)
			}
		}
		it.Updated = time.Now()
	})
	return err
}

// hookSecret signs the deliveries to a script's workflow.
const hookSecret = "of this script alone"

// hook takes deliveries as GitHub's own runner does, and lays them where a
// workflow's steps find theirs.
func (f *scriptForge) hook(ts *testscript.TestScript) error {
	dir := ts.MkAbs("events")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	takes := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || !hmac.Equal([]byte(r.Header.Get("X-Hub-Signature-256")), []byte(github.Signature(hookSecret, body))) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var e struct{ Action string }
		if err = json.Unmarshal(body, &e); err == nil {
			err = os.WriteFile(filepath.Join(dir, r.Header.Get("X-Github-Event")+"."+e.Action+".json"), body, 0o600)
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	ts.Defer(takes.Close)
	return f.server.AddHook("acme/widgets", github.Hook{URL: takes.URL, Secret: hookSecret})
}

// delivered waits for what is under way, and says what was not taken.
func (f *scriptForge) delivered() error {
	for _, s := range f.server.Sent() {
		if s.Code != http.StatusOK {
			return fmt.Errorf("%s %s was answered %d", s.Event, s.Action, s.Code)
		}
	}
	return nil
}
