package linear_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

const key = "lin_api_test"

func newClock() *boardtest.Clock {
	return boardtest.NewClock(time.Date(2026, 9, 1, 8, 0, 30, 0, time.UTC))
}

// place is a served workspace with what a configuration says of it.
type place struct {
	world *fake.World
	made  fake.Made
	url   string
	clock *boardtest.Clock

	change func(*linear.Options) // of every client; nil changes nothing
}

func newPlace(t *testing.T, o fake.Options, s fake.Setup) *place {
	t.Helper()
	p := &place{clock: newClock()}
	o.Now = p.clock.Now
	var err error
	if p.world, err = fake.New(o); err != nil {
		t.Fatal(err)
	}
	if s.Key == "" {
		s.Key = key
	}
	if s.Team == "" {
		s.Team = "ACM"
	}
	if s.Labels == nil {
		s.Labels = []string{boardtest.Label, "Kind/Bug", "Kind/Chore", "Area/Bug"}
	}
	p.made = p.world.Set(s)
	srv := httptest.NewServer(p.world)
	t.Cleanup(srv.Close)
	p.url = srv.URL + "/graphql"
	return p
}

func roleNames() map[board.Role]string {
	names := map[board.Role]string{}
	for _, r := range board.Roles() {
		names[r] = r.DefaultName()
	}
	return names
}

// options are the board's, as the configuration would say them.
func (p *place) options() linear.Options {
	return linear.Options{
		URL: p.url, Key: key, TeamID: p.made.Team, TeamKey: p.made.TeamKey, ProjectID: p.made.Project, States: roleNames(),
		Developer: p.made.Developer, Reviewer: p.made.Reviewer, StaleWindow: 90 * time.Minute,
		Repository: "acme/widgets", LocalPulls: true, Now: p.clock.Now,
	}
}

func (p *place) open(t *testing.T, change ...func(*linear.Options)) *linear.Board {
	t.Helper()
	o := p.options()
	if p.change != nil {
		p.change(&o)
	}
	for _, c := range change {
		c(&o)
	}
	b, err := linear.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// add puts an issue on the board as its owner would.
func (p *place) add(t *testing.T, n fake.Draft) board.Ref {
	t.Helper()
	ref, err := p.world.AddIssue(n)
	if err != nil {
		t.Fatal(err)
	}
	return board.Ref(ref)
}

// seed is add, for an issue as all boards know it.
func (p *place) seed(t *testing.T, n board.NewIssue) board.Ref {
	t.Helper()
	d := fake.Draft{Title: n.Title, Body: n.Body, State: n.State.DefaultName(), Milestone: n.Milestone, Labels: n.Labels, Parent: string(n.Parent)}
	for _, b := range n.Blockers {
		d.Blockers = append(d.Blockers, string(b))
	}
	return p.add(t, d)
}

// edit changes an issue on its own page, as its owner.
func (p *place) edit(t *testing.T, ref board.Ref, change func(i *fake.Issue)) {
	t.Helper()
	if err := p.world.Edit(string(ref), p.made.Owner, change); err != nil {
		t.Error(err)
	}
}

// backlogLast are states in whose order the work stands before the backlog: the
// suite reads its rows in the order in which they were made.
func backlogLast() []fake.State {
	states := fake.DefaultStates()
	for n := range states {
		if states[n].Name == "Backlog" {
			states[n].Type, states[n].Position = fake.TypeStarted, 9
		}
	}
	return states
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]fake.Options{
		"as documented":                     {},
		"delegating leaves the assignee":    {KeepsAssignee: true},
		"comments leave the issue's time":   {QuietComments: true},
		"lists come oldest first":           {OldestFirst: true},
		"the workspace does not use GitHub": {NoGitHub: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			boardtest.Run(t, func(t *testing.T) boardtest.Fixture { return fixture(t, o) })
		})
	}
}

func fixture(t *testing.T, o fake.Options) boardtest.Fixture {
	t.Helper()
	p := newPlace(t, o, fake.Setup{States: backlogLast()})
	return boardtest.Fixture{
		Backend: p.open(t),
		Seed:    func(t *testing.T, n board.NewIssue) board.Ref { t.Helper(); return p.seed(t, n) },
		Advance: p.clock.Advance,
		Now:     p.clock.Now,
		Reopen:  func(t *testing.T) board.Backend { return p.open(t) },
		SetDelegate: func(t *testing.T, ref board.Ref, d board.Delegate) {
			t.Helper()
			id := p.world.AddUser(fake.User{Name: string(d), DisplayName: string(d), App: true})
			p.edit(t, ref, func(i *fake.Issue) { i.Delegate = id })
		},
		ClaimAs: func(t *testing.T, ref board.Ref, session string, old time.Duration) {
			t.Helper()
			p.claimAs(t, p.world.AddUser(fake.User{Name: "dana", DisplayName: "dana"}), ref, session, old)
		},
	}
}
