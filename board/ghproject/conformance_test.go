package ghproject_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

func newClock() *boardtest.Clock {
	return boardtest.NewClock(time.Date(2026, 9, 1, 8, 0, 30, 0, time.UTC))
}

// place is a served project of acme/widgets.
type place struct {
	server  *fake.Server
	project *fake.Project
	url     string
	clock   *boardtest.Clock
	states  map[board.Role]string
}

// columns are the options, the backlog last: the suite reads its rows in the
// order in which they were made.
func columns() []string {
	var names []string
	for _, r := range board.Roles() {
		if r != board.RoleBacklog {
			names = append(names, r.DefaultName())
		}
	}
	return append(names[:len(names)-1], board.RoleBacklog.DefaultName(), board.RoleDone.DefaultName())
}

func newPlace(t *testing.T, question bool) *place {
	t.Helper()
	p := &place{clock: newClock(), states: map[board.Role]string{}}
	names := columns()
	for _, r := range board.Roles() {
		p.states[r] = r.DefaultName()
	}
	if !question {
		delete(p.states, board.RoleQuestion)
		names = slices.DeleteFunc(names, func(n string) bool { return n == board.RoleQuestion.DefaultName() })
	}
	p.server = fake.New(fake.Options{Now: p.clock.Now})
	p.server.AddRepo("acme", "widgets", t.TempDir(), "main")
	p.server.AddUser("olive", 42, "olive-token")
	p.server.With("acme/widgets", func(r *fake.Repo) { r.AddLabel(boardtest.Label) })
	p.project = p.server.AddProject("acme", 2, names...)
	srv := httptest.NewServer(p.server)
	t.Cleanup(srv.Close)
	p.url = srv.URL + "/graphql"
	return p
}

func (p *place) open(t *testing.T, with ...func(*ghproject.Options)) *ghproject.Board {
	t.Helper()
	o := ghproject.Options{
		URL: p.url, Token: func(context.Context) (string, error) { return "olive-token", nil },
		Owner: "acme", ProjectNumber: 2, ProjectID: p.project.ID, Repository: "acme/widgets", States: p.states,
		StaleWindow: 90 * time.Minute, Now: p.clock.Now, Pause: func(context.Context) error { return nil },
	}
	for _, change := range with {
		change(&o)
	}
	b, err := ghproject.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func refNumber(t *testing.T, ref board.Ref) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(string(ref), "#"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// seed puts an issue on the board as its owner would.
func (p *place) seed(t *testing.T, n board.NewIssue) board.Ref {
	t.Helper()
	column := n.State.DefaultName()
	if n.State == board.RoleQuestion && p.states[board.RoleQuestion] == "" {
		column = board.RoleInProgress.DefaultName()
	}
	i := fake.Issue{Title: n.Title, Body: n.Body, Milestone: n.Milestone, Labels: n.Labels, Author: "olive"}
	if n.Parent != "" {
		i.Parent = refNumber(t, n.Parent)
	}
	for _, b := range n.Blockers {
		i.BlockedBy = append(i.BlockedBy, refNumber(t, b))
	}
	number := p.server.NewIssue("acme/widgets", i, column, p.project)
	if column != n.State.DefaultName() {
		p.field(number, "question:-")
	}
	return board.Ref("#" + strconv.Itoa(number))
}

func (p *place) field(number int, text string) {
	p.server.Project(p.project, func(pr *fake.Project) {
		it := pr.Item("acme/widgets", number)
		it.Claimed, it.Updated = &text, p.clock.Now()
	})
}

// claimed is what the field Claimed By of a row holds.
func (p *place) claimed(t *testing.T, ref board.Ref) (text string) {
	t.Helper()
	n := refNumber(t, ref)
	p.server.Project(p.project, func(pr *fake.Project) {
		if c := pr.Item("acme/widgets", n).Claimed; c != nil {
			text = *c
		}
	})
	return text
}

// column moves a row on the project's page.
func (p *place) column(number int, to board.Role) {
	p.server.Project(p.project, func(pr *fake.Project) {
		pr.Move(pr.Item("acme/widgets", number), to.DefaultName(), p.clock.Now())
	})
}

// say comments on an issue's page.
func (p *place) say(number int, by, text string) {
	p.server.With("acme/widgets", func(r *fake.Repo) { r.Say(r.Issue(number), by, text, p.clock.Now()) })
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, question := range map[string]bool{"with a question column": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			boardtest.Run(t, func(t *testing.T) boardtest.Fixture {
				p := newPlace(t, question)
				return boardtest.Fixture{
					Backend: p.open(t),
					Seed:    func(t *testing.T, n board.NewIssue) board.Ref { t.Helper(); return p.seed(t, n) },
					Advance: p.clock.Advance, Now: p.clock.Now,
					Reopen: func(t *testing.T) board.Backend { t.Helper(); return p.open(t) },
					SetDelegate: func(t *testing.T, ref board.Ref, d board.Delegate) {
						t.Helper()
						p.field(refNumber(t, ref), string(d))
					},
					Link: func(t *testing.T, ref board.Ref, pr string) {
						t.Helper()
						p.server.With("acme/widgets", func(r *fake.Repo) {
							r.Open(&fake.Pull{Number: refNumber(t, board.Ref(pr)), Closes: []int{refNumber(t, ref)}, Author: "olive", Created: p.clock.Now()})
						})
					},
				}
			})
		})
	}
}
