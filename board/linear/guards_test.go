package linear_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// otherTeam makes a second team with a state, which shares the project.
func (p *place) otherTeam(t *testing.T, key string) {
	t.Helper()
	ok(t, p.world.Change(func(d *fake.Data) {
		d.Teams = append(d.Teams, &fake.Team{ID: "team-" + key, Key: key, Name: "Team " + key})
		d.States = append(d.States,
			&fake.State{ID: "ready-" + key, Team: "team-" + key, Name: "Ready", Type: fake.TypeUnstarted},
			&fake.State{ID: "done-" + key, Team: "team-" + key, Name: "Done", Type: fake.TypeCompleted})
		d.Projects[0].Teams = append(d.Projects[0].Teams, "team-"+key)
	}))
}

func refsOf(rows []board.Issue) string {
	var refs []board.Ref
	for i := range rows {
		refs = append(refs, rows[i].Ref)
	}
	return fmt.Sprint(refs)
}

// TestOnlyOurRows: what is not this team's and this project's is dropped,
// whatever the server answers to a filter.
func TestOnlyOurRows(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{AnyIssue: true}, fake.Setup{})
	p.otherTeam(t, "ENG")
	p.add(t, fake.Draft{Title: "ours", State: "Ready", Milestone: "m1"})
	p.add(t, fake.Draft{Title: "ours, without a milestone", State: "Ready"})
	p.add(t, fake.Draft{Title: "done", State: "Done", Milestone: "m1"})
	p.add(t, fake.Draft{Title: "in no project", State: "Ready", NoProject: true})
	p.add(t, fake.Draft{Title: "another team's", Team: "team-ENG", State: "Ready", Milestone: "m1"})
	archived := p.add(t, fake.Draft{Title: "archived", State: "Ready", Milestone: "m1"})
	p.edit(t, archived, func(i *fake.Issue) { i.Archived = p.clock.Now() })
	b := p.open(t)
	for range 2 { // all of it, then what has changed
		rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
		ok(t, err)
		if got := refsOf(rows); got != "[ACM-1 ACM-2]" {
			t.Errorf("polled %s", got)
		}
		p.clock.Advance(time.Minute)
	}
	list, err := b.Milestones(t.Context())
	ok(t, err)
	if got := fmt.Sprint(list); got != "[{m1 1} {(none) 1}]" {
		t.Errorf("milestones %s", got)
	}
}

// TestAnotherTeams: a row that was moved to another team leaves the next poll,
// and whoever asks for it by its old ref is told where it is.
func TestAnotherTeams(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.otherTeam(t, "ENG")
	refs := p.fill(t, 2, "Ready")
	b := p.open(t)
	firing(t, b)
	p.edit(t, refs[1], func(i *fake.Issue) {
		i.Team, i.State, i.Number, i.Previous = "team-ENG", "ready-ENG", 7, []string{string(refs[1])}
	})
	p.clock.Advance(time.Minute)
	if got := refsOf(firing(t, b)); got != "[ACM-1]" {
		t.Errorf("polled %s", got)
	}
	_, err := b.Issue(t.Context(), refs[1])
	if !errors.Is(err, board.ErrNotFound) || !strings.Contains(err.Error(), "ACM-2 is ENG-7 now, an issue of another team") {
		t.Errorf("error %v", err)
	}
	if _, err := b.Claim(t.Context(), theLoop, refs[1], dev("s1")); !errors.Is(err, board.ErrNotFound) {
		t.Errorf("claim: %v", err)
	}
}

// TestNearestIDs: who mistypes the id of a team or a project is shown those
// that the key sees, the nearest first.
func TestNearestIDs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	for n := range 12 {
		p.otherTeam(t, fmt.Sprintf("ZZZ%d", n))
	}
	ok(t, p.world.Change(func(d *fake.Data) {
		slices.Reverse(d.Teams)
		for n := range 12 {
			d.Projects = append(d.Projects, &fake.Project{ID: fmt.Sprintf("zzz-%d", n), Name: "W", Teams: d.Projects[0].Teams})
		}
	}))
	cases := []struct {
		wrong func(*linear.Options)
		want  string
	}{
		{
			func(o *linear.Options) { o.TeamID = "nosuch" },
			"the key sees no team nosuch (linear.teamId); it sees ACM (Team ACM, id " + p.made.Team + "), ZZZ",
		},
		{
			func(o *linear.Options) { o.ProjectID += "0" },
			"the key sees no project " + p.made.Project + "0 (linear.projectId); it sees Widgets (id " + p.made.Project + "), W (id zzz-",
		},
	}
	for _, c := range cases {
		_, err := p.open(t, c.wrong).Poll(t.Context(), board.Query{AllMilestones: true})
		if !errors.Is(err, board.ErrNotFound) || !strings.Contains(err.Error(), c.want) || !strings.HasSuffix(err.Error(), " more") {
			t.Errorf("%v does not say %q", err, c.want)
		}
	}
}

// TestStateOfTheOppositeType: a role whose state closes where it must not, or
// does not where it must, stops every use.
func TestStateOfTheOppositeType(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Done":  `the role done: the state "Done" is of the type started`,
		"Ready": `the role ready: the state "Ready" is of the type canceled`,
	} {
		states := fake.DefaultStates()
		for n := range states {
			switch {
			case states[n].Name == name && name == "Done":
				states[n].Type = fake.TypeStarted
			case states[n].Name == name:
				states[n].Type = fake.TypeCanceled
			}
		}
		p := newPlace(t, fake.Options{}, fake.Setup{States: states})
		ref := p.add(t, fake.Draft{Title: "one", State: "In Progress", Milestone: "m1"})
		b := p.open(t)
		_, polled := b.Poll(t.Context(), board.Query{AllMilestones: true})
		_, read := b.Issue(t.Context(), ref)
		_, claimed := b.Claim(t.Context(), theLoop, ref, dev("s1"))
		for _, err := range []error{polled, read, claimed, b.SetState(t.Context(), theLoop, ref, "Question", "")} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		}
	}
}

// TestOrderInAColumn: inside a column rows stand as Linear's board has them,
// whatever their age.
func TestOrderInAColumn(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	for _, order := range []float64{3, -2.5, 1, 1} {
		p.add(t, fake.Draft{Title: "r", State: "Ready", Milestone: "m1", Order: order})
	}
	p.add(t, fake.Draft{Title: "in the column after", State: "Question", Milestone: "m1", Order: -9})
	b := p.open(t)
	if got := refsOf(firing(t, b)); got != "[ACM-2 ACM-3 ACM-4 ACM-1 ACM-5]" {
		t.Errorf("polled %s", got)
	}
	p.edit(t, "ACM-1", func(i *fake.Issue) { i.Order = -3 })
	p.clock.Advance(time.Minute)
	if got := refsOf(firing(t, b)); got != "[ACM-1 ACM-2 ACM-3 ACM-4 ACM-5]" {
		t.Errorf("after a move polled %s", got)
	}
}

// TestLongHistory: the last move is known of a row with many changes, in
// whichever order a page of them comes, and costs a request more only where the
// page does not hold it.
func TestLongHistory(t *testing.T) {
	t.Parallel()
	for _, oldest := range []bool{false, true} {
		p := newPlace(t, fake.Options{OldestFirst: oldest}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Backlog", Milestone: "m1"})
		for _, state := range []string{"Ready", "In Progress", "Question", "Ready", "In Progress", "Question", "In Progress", "Human Review", "Ready"} {
			p.clock.Advance(time.Minute)
			id := p.world.StateID(state)
			p.edit(t, ref, func(i *fake.Issue) { i.State = id })
		}
		since := p.clock.Now()
		p.clock.Advance(time.Hour)
		b := p.open(t)
		p.world.ResetCounts()
		row := firing(t, b)[0]
		if since.Sub(row.StateSince).Abs() > time.Second || row.PrevRole != board.RoleHumanReview {
			t.Errorf("oldest first %v: since %v, not %v; from %s", oldest, row.StateSince, since, row.PrevRole)
		}
		want := 2
		if oldest {
			want++
		}
		if n := p.world.Counts().Requests; n != want {
			t.Errorf("oldest first %v: %d requests, want %d", oldest, n, want)
		}
	}
}

// TestForeignBlockers: an issue of another team or project holds our rows back
// until it is closed there, and again when it is reopened.
func TestForeignBlockers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.otherTeam(t, "ENG")
	for _, d := range []fake.Draft{
		{Title: "another team's", Team: "team-ENG", State: "Ready", NoProject: true},
		{Title: "in no project", State: "Ready", NoProject: true},
	} {
		blocker := p.add(t, d)
		states := []string{p.world.StateID("Done"), p.world.StateID("Ready")}
		if d.Team != "" {
			states = []string{"done-ENG", "ready-ENG"}
		}
		p.add(t, fake.Draft{Title: "held by " + d.Title, State: "Ready", Milestone: "m1", Blockers: []string{string(blocker)}})
		b := p.open(t)
		held := func() int {
			t.Helper()
			p.clock.Advance(time.Minute)
			rows := firing(t, b)
			return len(rows[len(rows)-1].OpenBlockers())
		}
		if n := held(); n != 1 {
			t.Errorf("%s: %d open blockers", d.Title, n)
		}
		for n, id := range states {
			p.edit(t, blocker, func(i *fake.Issue) { i.State = id })
			if got := held(); got != n {
				t.Errorf("%s in %s: %d open blockers", d.Title, id, got)
			}
		}
	}
}

// TestNobodysWord: what an integration, an app or somebody outside writes is
// neither our role's nor the owner's word, and no claim.
func TestNobodysWord(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Question", Milestone: "m1"})
	claim := board.Claim{Kind: board.KindDeveloper, Session: "s9", Stamp: p.clock.Now()}
	writers := []fake.Comment{{Bot: "sentry"}, {External: "mail"}, {User: p.made.Developer}}
	for _, c := range writers {
		for _, body := range []string{"Go on.", "**[dispatcher]** held by owner", claim.Text()} {
			c.Body = body
			ok(t, p.world.AddComment(string(ref), c))
		}
	}
	for _, row := range []func() board.Issue{
		func() board.Issue { return firing(t, p.open(t))[0] },
		func() board.Issue { i, err := p.open(t).Issue(t.Context(), ref); ok(t, err); return i },
	} {
		i := row()
		if i.Claim != nil || len(i.Comments) != 3*len(writers) {
			t.Errorf("claim %+v, %d comments", i.Claim, len(i.Comments))
		}
		for _, c := range i.Comments {
			if c.Role != board.ActorAutomation {
				t.Errorf("%q counts as %s's", c.Body, c.Role)
			}
		}
	}
}
