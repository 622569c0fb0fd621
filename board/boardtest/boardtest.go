// Package boardtest is the conformance suite of boards: what every backend
// does under board.Policy, whatever it stores its rows in.
//
// It promises that a backend which passes keeps its claims, fences, order,
// comments and refusals as the rules of package board expect them. It is
// imported by tests only, and knows no backend.
package boardtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Label is a label that exists on every fixture's board.
const Label = "UI"

// Lease is how far Advance goes to let a lease run out.
const Lease = 16 * time.Minute

// The actors of the suite.
var (
	owner      = board.Actor{Kind: board.ActorOwner, Name: "Olive"}
	dispatcher = board.Actor{Kind: board.ActorDispatcher}
	automation = board.Actor{Kind: board.ActorAutomation}
)

// RoleNamed is the role of a state under its default name, RoleNone if it is
// nobody's.
func RoleNamed(name string) board.Role {
	for _, r := range board.Roles() {
		if r.DefaultName() == name {
			return r
		}
	}
	return board.RoleNone
}

// bundle is one test's board under policy.
type bundle struct {
	Fixture
	t                 *testing.T
	owner, loop, auto *board.Policy
	merged            *bool
}

// Run exercises a backend; make gives every case a board of its own.
func Run(t *testing.T, make func(t *testing.T) Fixture) {
	t.Helper()
	cases := []struct {
		name string
		run  func(b *bundle)
	}{
		{"refs in any case", refs},
		{"states and roles", states},
		{"milestones", milestones},
		{"poll filters and order", poll},
		{"moves", moves},
		{"moves that are refused", refusedMoves},
		{"a row that moved meanwhile", changed},
		{"nothing is written for a merged pull request", merged},
		{"claim, renew, release", claims},
		{"claim conflicts", claimConflicts},
		{"another agent's row", foreign},
		{"another account's claim", otherAccount},
		{"hand over", handOver},
		{"release leaves another session alone", releaseOther},
		{"only one of many wins", race},
		{"a worker and its issue", worker},
		{"a worker that was taken over", fence},
		{"comments", comments},
		{"labels", labels},
		{"checkboxes", checkboxes},
		{"blockers", blockers},
		{"children", children},
		{"pull requests", pulls},
		{"questions", questions},
		{"what is not there", missing},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := make(t)
			merged := false
			opts := board.PolicyOptions{Merged: func(context.Context, board.Issue) (bool, error) { return merged, nil }}
			b := &bundle{Fixture: f, t: t, merged: &merged, owner: board.NewPolicy(f.Backend, owner, opts)}
			b.loop, b.auto = b.owner.As(dispatcher), b.owner.As(automation)
			c.run(b)
		})
	}
}

func (b *bundle) ctx() context.Context { return b.t.Context() }

func (b *bundle) seed(title string, state board.Role) board.Ref {
	b.t.Helper()
	return b.Seed(b.t, board.NewIssue{Title: title, Milestone: "m1", State: state})
}

func (b *bundle) issue(ref board.Ref) board.Issue {
	b.t.Helper()
	i, err := b.owner.Issue(b.ctx(), ref)
	if err != nil {
		b.t.Fatalf("read %s: %v", ref, err)
	}
	return i
}

func (b *bundle) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// is fails unless the error is the one that is wanted.
func (b *bundle) is(err, want error) {
	b.t.Helper()
	if !errors.Is(err, want) {
		b.t.Fatalf("error %v, want %v", err, want)
	}
}

// wantRole fails unless the row has the role.
func (b *bundle) wantRole(ref board.Ref, role board.Role) {
	b.t.Helper()
	if i := b.issue(ref); i.Role != role {
		b.t.Fatalf("%s is in %q, want %q", ref, i.Role, role)
	}
}

// dev takes a row for a developer's session and answers the claim.
func (b *bundle) dev(ref board.Ref, session string) board.Claim {
	b.t.Helper()
	c, err := b.loop.Claim(b.ctx(), ref, request(session))
	b.ok(err)
	return c
}

func request(session string) board.ClaimRequest {
	return board.ClaimRequest{Kind: board.KindDeveloper, Session: session, Run: "run-" + session}
}

// as is the policy of the worker that holds a claim.
func (b *bundle) as(kind board.Kind, ref board.Ref, c board.Claim) *board.Policy {
	return b.owner.As(board.Actor{Kind: board.ActorOfKind(kind), Run: c.Run, Ref: ref, Epoch: c.Epoch})
}

func refs(b *bundle) {
	ref := b.seed("one", board.RoleReady)
	for _, s := range []string{string(ref), strings.ToLower(string(ref)), " " + strings.ToUpper(string(ref)) + " "} {
		got, err := b.owner.ParseRef(s)
		if err != nil || got != ref {
			b.t.Errorf("ParseRef(%q) = %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "x", string(ref) + "x", "../" + string(ref), string(ref) + "/..", "-1"} {
		if got, err := b.owner.ParseRef(s); err == nil {
			b.t.Errorf("ParseRef(%q) = %q", s, got)
		}
	}
	if i := b.issue(board.Ref(strings.ToLower(string(ref)))); i.Ref != ref {
		b.t.Errorf("a ref in lower case answers %q", i.Ref)
	}
}

func states(b *bundle) {
	all, err := b.owner.States(b.ctx())
	b.ok(err)
	byRole := map[board.Role]board.State{}
	for _, s := range all {
		byRole[s.Role] = s
	}
	for _, r := range board.Roles() {
		name, ok := b.owner.RoleState(r)
		if !ok || byRole[r].Name != name || byRole[r].Closed != r.Closed() || byRole[r].ID == "" {
			b.t.Errorf("role %s: state %+v, RoleState %q %v", r, byRole[r], name, ok)
		}
	}
	if _, ok := b.owner.RoleState(board.RoleNone); ok {
		b.t.Error("no role has a state")
	}
}

func milestones(b *bundle) {
	b.seed("one", board.RoleReady)
	b.Seed(b.t, board.NewIssue{Title: "two", State: board.RoleReady})
	got, err := b.owner.Milestones(b.ctx())
	b.ok(err)
	if want := "[{m1 1} {(none) 1}]"; fmt.Sprint(got) != want {
		b.t.Fatalf("milestones %v, want %s", got, want)
	}
}

func poll(b *bundle) {
	one := b.seed("one", board.RoleReady)
	two := b.Seed(b.t, board.NewIssue{Title: "two", Milestone: "m2", State: board.RoleReady})
	three := b.Seed(b.t, board.NewIssue{Title: "three", State: board.RoleBacklog})
	done := b.seed("done", board.RoleHumanReview)
	b.ok(b.auto.SetState(b.ctx(), done, board.RoleDone))
	cases := []struct {
		q    board.Query
		want []board.Ref
	}{
		{board.Query{Milestones: []string{"m1"}}, []board.Ref{one}},
		{board.Query{Milestones: []string{"M2", "m1"}}, []board.Ref{one, two}},
		{board.Query{Milestones: []string{board.NoMilestone}}, []board.Ref{three}},
		{board.Query{AllMilestones: true}, []board.Ref{one, two, three}},
		{board.Query{Milestones: []string{"m1"}, Closed: true}, []board.Ref{one, done}},
		{board.Query{AllMilestones: true, Closed: true}, []board.Ref{one, two, three, done}},
	}
	for _, c := range cases {
		rows, err := b.owner.Poll(b.ctx(), c.q)
		b.ok(err)
		var got []board.Ref
		for _, r := range rows {
			got = append(got, r.Ref)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			b.t.Errorf("%+v answers %v, want %v", c.q, got, c.want)
		}
	}
	_, err := b.owner.Poll(b.ctx(), board.Query{Milestones: []string{"no such"}})
	b.is(err, board.ErrNotFound)
}

func moves(b *bundle) {
	ref := b.seed("one", board.RoleBacklog)
	b.ok(b.owner.SetStateName(b.ctx(), ref, "ready"))
	b.Advance(time.Minute)
	b.ok(b.loop.SetState(b.ctx(), ref, board.RoleInProgress))
	i := b.issue(ref)
	if i.Role != board.RoleInProgress || i.PrevRole != board.RoleReady || i.StateBy != board.ActorDispatcher {
		b.t.Fatalf("after the move: %+v", i)
	}
	since := i.StateSince
	b.Advance(time.Minute)
	b.ok(b.loop.SetState(b.ctx(), ref, board.RoleInProgress))
	if again := b.issue(ref); !again.StateSince.Equal(since) || again.PrevRole != board.RoleReady {
		b.t.Fatal("a move to where the row is counts as a move")
	}
	b.ok(b.loop.SetState(b.ctx(), ref, board.RoleHumanReview))
	b.ok(b.owner.SetStateName(b.ctx(), ref, "HOLD"))
	b.wantRole(ref, board.RoleBacklog)
	name, _ := b.owner.RoleState(board.RoleChangesRequested)
	b.ok(b.owner.SetStateName(b.ctx(), ref, strings.ToUpper(name)))
	b.wantRole(ref, board.RoleChangesRequested)
	b.ok(b.auto.SetState(b.ctx(), ref, board.RoleDone))
	b.ok(b.auto.SetState(b.ctx(), ref, board.RoleDone))
	if i := b.issue(ref); !i.Closed || i.Role != board.RoleDone {
		b.t.Fatalf("after done: %+v", i)
	}
}

func refusedMoves(b *bundle) {
	backlog, review := b.seed("one", board.RoleBacklog), b.seed("two", board.RoleHumanReview)
	question := b.seed("three", board.RoleQuestion)
	b.is(b.loop.SetState(b.ctx(), backlog, board.RoleReady), board.ErrForbidden)
	b.is(b.loop.SetState(b.ctx(), question, board.RoleReady), board.ErrForbidden)
	b.is(b.owner.SetState(b.ctx(), review, board.RoleDone), board.ErrForbidden)
	b.is(b.loop.SetState(b.ctx(), review, board.RoleDone), board.ErrForbidden)
	b.is(b.owner.SetStateName(b.ctx(), review, "ai-review"), board.ErrNotFound)
	b.is(b.owner.SetStateName(b.ctx(), review, "nowhere"), board.ErrNotFound)
	b.wantRole(backlog, board.RoleBacklog)
	b.wantRole(review, board.RoleHumanReview)
	b.wantRole(question, board.RoleQuestion)
}

func changed(b *bundle) {
	ref := b.seed("one", board.RoleReady)
	b.is(b.loop.SetStateFrom(b.ctx(), ref, board.RoleInProgress, board.RoleChangesRequested), board.ErrChanged)
	name, _ := b.owner.RoleState(board.RoleInProgress)
	b.is(b.Backend.SetState(b.ctx(), dispatcher, ref, name, board.RoleQuestion), board.ErrChanged)
	b.wantRole(ref, board.RoleReady)
	b.ok(b.loop.SetStateFrom(b.ctx(), ref, board.RoleInProgress, board.RoleReady))
	b.ok(b.loop.SetStateFrom(b.ctx(), ref, board.RoleInProgress, board.RoleReady)) // twice is once
}

func merged(b *bundle) {
	ref := b.seed("one", board.RoleInProgress)
	c := b.dev(ref, "s1")
	*b.merged = true
	b.is(b.loop.SetState(b.ctx(), ref, board.RoleHumanReview), board.ErrMerged)
	b.is(b.as(board.KindDeveloper, ref, c).SetState(b.ctx(), ref, board.RoleQuestion), board.ErrMerged)
	b.wantRole(ref, board.RoleInProgress)
	b.ok(b.loop.Release(b.ctx(), ref, "s1"))
	b.ok(b.auto.SetState(b.ctx(), ref, board.RoleDone))
	b.wantRole(ref, board.RoleDone)
}
