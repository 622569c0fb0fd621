package linear_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// Public bug reports of other Linear clients, each as a test of ours. Those of
// the budget are in cost_test.go, those of claims in contest_test.go.

var (
	theOwner = board.Actor{Kind: board.ActorOwner}
	theLoop  = board.Actor{Kind: board.ActorDispatcher}
)

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func dev(session string) board.ClaimRequest {
	return board.ClaimRequest{Kind: board.KindDeveloper, Session: session}
}

// TestSymptom01NestedConnections: linearis-oss/linearis#276, #286;
// mvanhorn/printing-press-library#946. A connection without `first` is charged
// as 50 for each parent row, whatever there is.
func TestSymptom01NestedConnections(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	everything(t, p)
	for _, s := range p.world.Queries() {
		if s.Cost > 9500 {
			t.Errorf("a query of %.0f points: %s", s.Cost, s.Query)
		}
		connections(t, s.Query, func(f *ast.Field) {
			if f.Arguments.ForName("first") == nil {
				t.Errorf("%s without first in %s", f.Name, s.Query)
			}
		})
	}
	// A page that is refused all the same is asked again, smaller.
	p = newPlace(t, fake.Options{QueryPoints: 2500}, fake.Setup{})
	p.fill(t, 60, "Ready")
	b := p.open(t)
	if rows := firing(t, b); len(rows) != 60 {
		t.Errorf("%d rows", len(rows))
	}
	p.world.ResetCounts()
	p.fill(t, 20, "Ready")
	firing(t, b)
	if n := p.world.Counts().Requests; n > 6 {
		t.Errorf("the size that passed is not kept: %d requests", n)
	}
}

// TestSymptom02NoIntrospection: contentful-labs/gqli.rb#23.
func TestSymptom02NoIntrospection(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	everything(t, p)
	for _, s := range p.world.Queries() {
		if strings.Contains(s.Query, "__") {
			t.Errorf("%s", s.Query)
		}
	}
}

// TestSymptom06LabelsInGroups: linear/linear#1045. Grouped labels do not
// round-trip by the name that is shown.
func TestSymptom06LabelsInGroups(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Ready"})
	b := p.open(t)
	cases := []struct {
		name string
		add  bool
		want string
		err  error
	}{
		{"Chore", true, "[Chore]", nil},
		{"Bug", true, "[Chore]", board.ErrNotFound}, // of Kind or of Area?
		{"kind/bug", true, "[Bug Chore]", nil},
		{"Bug", true, "[Bug Chore]", nil},
		{"Area/Bug", false, "[Bug Chore]", nil},
		{"Kind", true, "[Bug Chore]", board.ErrNotFound}, // a group
		{"Bug", false, "[Chore]", nil},                   // the one that it has
		{"Area/Bug", true, "[Bug Chore]", nil},
		{"kind/Bug", true, "[Bug Bug Chore]", nil},
		{"bug", false, "[Bug Bug Chore]", board.ErrNotFound}, // both are there
		{"Kind/Bug", false, "[Bug Chore]", nil},
		{"Kind/Bug", false, "[Bug Chore]", nil},
		{"Bug", false, "[Chore]", nil},
		{"nosuch", false, "[Chore]", nil},
		{"chore", false, "[]", nil},
	}
	for _, c := range cases {
		err := b.Label(t.Context(), theOwner, ref, c.name, c.add)
		if !errors.Is(err, c.err) || err != nil && !strings.HasPrefix(err.Error(), "label ACM-1: ") {
			t.Errorf("%s %v: %v", c.name, c.add, err)
		}
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if got := fmt.Sprint(i.Labels); got != c.want {
			t.Errorf("after %s %v: %s, want %s", c.name, c.add, got, c.want)
		}
	}
}

// TestSymptom07OtherLabelsStay: schpet/linear-cli#258, #259. labelIds replaces
// the whole set.
func TestSymptom07OtherLabelsStay(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Labels: []string{"Chore"}})
	ok(t, p.open(t).Label(t.Context(), theOwner, ref, boardtest.Label, true))
	i, err := p.open(t).Issue(t.Context(), ref)
	ok(t, err)
	if fmt.Sprint(i.Labels) != "[Chore UI]" {
		t.Errorf("labels %v", i.Labels)
	}
}

// TestSymptom08AgentIsTheDelegate: coalesce-labs/catalyst#2059. The read-back
// looked for the agent in assignee, so that every claim was reported failed.
func TestSymptom08AgentIsTheDelegate(t *testing.T) {
	t.Parallel()
	for _, keeps := range []bool{false, true} {
		p := newPlace(t, fake.Options{KeepsAssignee: keeps}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Ready"})
		b := p.open(t)
		_, err := b.Claim(t.Context(), theLoop, ref, dev("s1"))
		ok(t, err)
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if i.Delegate != board.DelegateDeveloper || i.HumanOwned() || (i.Assignee == "") != keeps {
			t.Errorf("delegate %q, assignee %q", i.Delegate, i.Assignee)
		}
	}
}

// TestSymptom09DelegatedIsNotTheHumans: TsukumoHQ/WRAI.TH#126. Routing by the
// assignee sent delegated work to the human.
func TestSymptom09DelegatedIsNotTheHumans(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	mine := p.add(t, fake.Draft{Title: "a person's", State: "Ready", Assignee: p.made.Owner})
	ours := p.add(t, fake.Draft{Title: "delegated", State: "Ready", Assignee: p.made.Owner})
	ok(t, p.world.Edit(string(ours), p.made.Owner, func(i *fake.Issue) { i.Delegate = p.made.Developer }))
	b := p.open(t)
	for ref, human := range map[board.Ref]bool{mine: true, ours: false} {
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if i.HumanOwned() != human || i.Assignee != "olive" {
			t.Errorf("%s: assignee %q, delegate %q", ref, i.Assignee, i.Delegate)
		}
	}
}

// TestSymptom10StaleRead: KyaniteHQ/linctl#42. A read right after a write still
// showed the old state: the mutation's own payload is the confirmation.
func TestSymptom10StaleRead(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		p := newPlace(t, fake.Options{QuietComments: quiet}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Milestone: "m1"})
		b := p.open(t)
		firing(t, b)
		ctx := t.Context()
		stale := func() { p.world.Inject(fake.Fault{Kind: fake.FaultStale, Reads: true}) }
		stale() // arms the memory of the fake; the first read is as it is
		_, err := b.Issue(ctx, ref)
		ok(t, err)

		ok(t, b.SetState(ctx, theLoop, ref, "In Progress", board.RoleReady))
		stale()
		i, err := b.Issue(ctx, ref)
		ok(t, err)
		if i.Role != board.RoleInProgress {
			t.Errorf("a stale read shows %s", i.State)
		}
		stale()
		if rows := firing(t, b); rows[0].Role != board.RoleReady && rows[0].Role != board.RoleInProgress {
			t.Errorf("a stale poll shows %s", rows[0].State)
		}
		_, err = b.Claim(ctx, theLoop, ref, dev("s1"))
		ok(t, err)
		stale()
		if i, err = b.Issue(ctx, ref); err != nil || i.Claim == nil || i.Claim.Session != "s1" {
			t.Errorf("a stale read shows the claim %+v, %v", i.Claim, err)
		}
		ok(t, b.Release(ctx, theLoop, ref, "s1"))
		stale()
		if i, err = b.Issue(ctx, ref); err != nil || i.Claim != nil || i.Delegate != board.DelegateNone {
			t.Errorf("after the release a stale read shows %+v, %q, %v", i.Claim, i.Delegate, err)
		}
		// What somebody else did since counts.
		_, err = b.Claim(ctx, theLoop, ref, dev("s2"))
		ok(t, err)
		ok(t, p.open(t).Release(ctx, theOwner, ref, ""))
		if i, err = b.Issue(ctx, ref); err != nil || !quiet && i.Claim != nil {
			t.Errorf("another's release is not seen: %+v, %v", i.Claim, err)
		}
		p.clock.Advance(10 * time.Second)
		if i, err = b.Issue(ctx, ref); err != nil || i.Claim != nil {
			t.Errorf("another's release is not seen after a while: %+v, %v", i.Claim, err)
		}
		if rows := firing(t, b); rows[0].Role != board.RoleInProgress || rows[0].Claim != nil {
			t.Errorf("the poll after it shows %s, %+v", rows[0].State, rows[0].Claim)
		}
	}
}

// TestSymptom11ExplicitNulls: linearis-oss/linearis#282. An assignee could not
// be cleared, since an absent value was left out.
func TestSymptom11ExplicitNulls(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Assignee: p.made.Owner})
	ok(t, p.open(t).Release(t.Context(), theOwner, ref, ""))
	i, err := p.open(t).Issue(t.Context(), ref)
	ok(t, err)
	if i.Assignee != "" {
		t.Errorf("assignee %q", i.Assignee)
	}
	var input map[string]any
	for _, s := range p.world.Queries() {
		if s.Write {
			input, _ = s.Vars["input"].(map[string]any)
		}
	}
	for _, key := range []string{"delegateId", "assigneeId"} {
		if v, stated := input[key]; !stated || v != nil {
			t.Errorf("%s is %v, stated %v", key, v, stated)
		}
	}
}

// TestSymptom14ClosedRows: linear/linear#764. Lists return completed issues as
// well.
func TestSymptom14ClosedRows(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.add(t, fake.Draft{Title: "open", State: "Ready", Milestone: "m1"})
	for _, s := range []string{"Done", "Canceled", "Duplicate"} {
		p.add(t, fake.Draft{Title: s, State: s, Milestone: "m1"})
		p.add(t, fake.Draft{Title: s, State: s, Milestone: "m2"})
	}
	p.add(t, fake.Draft{Title: "in no project", State: "Ready", NoProject: true})
	b := p.open(t)
	for _, c := range []struct {
		q    board.Query
		want int
	}{
		{board.Query{AllMilestones: true}, 1},
		{board.Query{Milestones: []string{"m2"}}, 0},
		{board.Query{Milestones: []string{"m1"}, Closed: true}, 4},
		{board.Query{AllMilestones: true, Closed: true}, 7},
		{board.Query{Milestones: []string{board.NoMilestone}, Closed: true}, 0},
	} {
		rows, err := b.Poll(t.Context(), c.q)
		ok(t, err)
		if len(rows) != c.want {
			t.Errorf("%+v answers %d rows, want %d", c.q, len(rows), c.want)
		}
	}
	for _, s := range p.world.Queries() {
		if f, listed := s.Vars["issues"]; listed && !strings.Contains(s.Query, "orderBy: updatedAt, includeArchived") && !strings.Contains(fmt.Sprint(f), "type:map[") {
			t.Errorf("a list without a filter of types: %v", f)
		}
	}
}

// TestSymptom15UnlinkedPullRequest: WithAutonomi/ant-node#222. A bare
// identifier in a pull request's body does not link it: we attach it.
func TestSymptom15UnlinkedPullRequest(t *testing.T) {
	t.Parallel()
	for _, none := range []bool{false, true} {
		p := newPlace(t, fake.Options{NoGitHub: none}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Human Review"})
		b := p.open(t)
		const pr = "https://github.com/acme/widgets/pull/7"
		ok(t, b.LinkPR(t.Context(), theLoop, ref, pr))
		ok(t, b.LinkPR(t.Context(), theLoop, ref, pr))
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if fmt.Sprint(i.PRs) != "["+pr+"]" {
			t.Errorf("without GitHub %v: %v", none, i.PRs)
		}
		if moved := p.world.Merge(pr); len(moved) != 1 {
			t.Errorf("the automation moved %v", moved)
		}
		if i, err = b.Issue(t.Context(), ref); err != nil || i.Role != board.RoleDone || i.StateBy != board.ActorAutomation {
			t.Errorf("after the merge: %s by %s, %v", i.State, i.StateBy, err)
		}
	}
}

// TestSymptom39SleptPastTheLease: digitaldrywood/detent#279. A process that
// slept past its lease re-stamped a claim that another had taken.
func TestSymptom39SleptPastTheLease(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Ready"})
	sleeper, other := p.open(t), p.open(t)
	_, err := sleeper.Claim(t.Context(), theLoop, ref, dev("sleeper"))
	ok(t, err)
	p.clock.Advance(2 * time.Hour)
	_, err = other.Claim(t.Context(), theLoop, ref, dev("other"))
	ok(t, err)
	renew := dev("sleeper")
	renew.Renew = true
	if _, err := sleeper.Claim(t.Context(), theLoop, ref, renew); !errors.Is(err, board.ErrClaimConflict) {
		t.Errorf("the sleeper's renewal: %v", err)
	}
	i, err := other.Issue(t.Context(), ref)
	ok(t, err)
	if i.Claim == nil || i.Claim.Session != "other" {
		t.Errorf("claim %+v", i.Claim)
	}
}
