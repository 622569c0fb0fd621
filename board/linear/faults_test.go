package linear_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// TestWritesThatFail plays every write against every failure: what was carried
// out is found and not done twice, what was not is done, and nothing is guessed
// when neither can be told.
func TestWritesThatFail(t *testing.T) {
	t.Parallel()
	writes := []struct {
		name string
		do   func(ctx context.Context, b *linear.Board, ref board.Ref) error
		done func(i *board.Issue) bool
	}{
		{"move", func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			return b.SetState(ctx, theLoop, ref, "In Progress", board.RoleReady)
		}, func(i *board.Issue) bool { return i.Role == board.RoleInProgress }},
		{"comment", func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			_, err := b.Comment(ctx, theLoop, ref, board.ActorDispatcher, "a word")
			return err
		}, func(i *board.Issue) bool { return len(i.Comments) == 1 && i.Comments[0].Body == "a word" }},
		{"tick", func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			return b.Tick(ctx, theOwner, ref, board.Box{N: 1, Set: true})
		}, func(i *board.Issue) bool { return i.Body == "- [x] one" }},
		{"label", func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			return b.Label(ctx, theOwner, ref, "UI", true)
		}, func(i *board.Issue) bool { return len(i.Labels) == 1 }},
		{"link", func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			return b.LinkPR(ctx, theOwner, ref, "#3")
		}, func(i *board.Issue) bool { return len(i.PRs) == 1 }},
		{"claim", func(ctx context.Context, b *linear.Board, ref board.Ref) error {
			_, err := b.Claim(ctx, theLoop, ref, dev("s1"))
			return err
		}, func(i *board.Issue) bool { return i.Claim != nil && i.Delegate == board.DelegateDeveloper }},
	}
	for _, kind := range []fake.FaultKind{fake.FaultDrop, fake.FaultLost, fake.FaultHTML, fake.FaultTruncated, fake.FaultInternal, fake.FaultRateLimit, fake.FaultKey, fake.FaultEmpty, fake.FaultVoid, fake.FaultRefused} {
		for _, w := range writes {
			t.Run(string(kind)+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, fake.Options{}, fake.Setup{})
				ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Body: "- [ ] one"})
				b := p.open(t)
				p.world.Inject(fake.Fault{Kind: kind, Writes: true})
				err := w.do(t.Context(), b, ref)
				refused := kind == fake.FaultRateLimit || kind == fake.FaultKey
				if refused != (err != nil) || errors.Is(err, board.ErrUnknownOutcome) {
					t.Fatalf("error %v", err)
				}
				p.clock.Advance(2 * time.Hour)
				i, err := p.open(t).Issue(t.Context(), ref)
				ok(t, err)
				if w.done(&i) == refused {
					t.Errorf("after %s: %+v", kind, i)
				}
			})
		}
	}
	for _, w := range writes {
		p := newPlace(t, fake.Options{}, fake.Setup{})
		ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Body: "- [ ] one"})
		p.world.Inject(fake.Fault{Kind: fake.FaultLost, Writes: true, Times: -1})
		if err := w.do(t.Context(), p.open(t), ref); err != nil {
			t.Errorf("%s, all answers lost: %v", w.name, err)
		}
		p.world.Mend()
		p.world.Inject(fake.Fault{Kind: fake.FaultDrop, Writes: true, Times: -1})
		other := p.add(t, fake.Draft{Title: "two", State: "Ready", Body: "- [ ] one"})
		if err := w.do(t.Context(), p.open(t), other); !errors.Is(err, board.ErrUnknownOutcome) {
			t.Errorf("%s, no write gets through: %v", w.name, err)
		}
	}
}

// TestLostAndLookedForTooEarly: an answer is lost and the look for what was
// written comes too early, so that it is sent again. What Linear then says
// against it, that there is one already or that the hour is over, proves nothing
// against what is written.
func TestLostAndLookedForTooEarly(t *testing.T) {
	t.Parallel()
	for _, again := range []fake.FaultKind{fake.FaultNone, fake.FaultRateLimit, fake.FaultKey} {
		for _, lost := range []fake.FaultKind{fake.FaultLost, fake.FaultVoid} {
			for _, looks := range []int{1, -1} {
				t.Run(fmt.Sprintf("%s/%s/%d", again, lost, looks), func(t *testing.T) {
					t.Parallel()
					p := newPlace(t, fake.Options{}, fake.Setup{})
					ref := p.add(t, fake.Draft{Title: "one", State: "Ready"})
					b := p.open(t)
					ok(t, p.world.Edit(string(ref), p.made.Owner, func(i *fake.Issue) { i.Delegate = p.made.Developer }))
					p.world.Inject(fake.Fault{Kind: lost, Writes: true})
					if again != fake.FaultNone {
						p.world.Inject(fake.Fault{Kind: again, Writes: true})
					}
					reads := 0
					p.world.Inject(fake.Fault{Reads: true, Choose: func(bool) fake.FaultKind {
						if reads++; reads > 1 && (looks < 0 || reads <= 1+looks) {
							return fake.FaultStale
						}
						return fake.FaultNone
					}})
					_, err := b.Claim(t.Context(), theLoop, ref, dev("s1"))
					if sure := again == fake.FaultNone || again == fake.FaultKey && looks > 0; sure != (err == nil) || !sure && !errors.Is(err, board.ErrUnknownOutcome) {
						t.Errorf("error %v", err)
					}
					p.world.Mend()
					p.clock.Advance(2 * time.Hour)
					i, err := p.open(t).Issue(t.Context(), ref)
					ok(t, err)
					if i.Claim == nil || i.Claim.Session != "s1" {
						t.Errorf("claim %+v", i.Claim)
					}
				})
			}
		}
	}
}

// TestAnswersWithoutData: an answer that is none, with status 200, is an error;
// the rows that it does not hold are not gone.
func TestAnswersWithoutData(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultEmpty, fake.FaultVoid} {
		p := newPlace(t, fake.Options{}, fake.Setup{})
		refs := p.fill(t, 3, "Ready")
		b := p.open(t)
		firing(t, b)
		for reads := range 3 {
			p.clock.Advance(time.Minute)
			ok(t, p.world.Edit(string(refs[0]), p.made.Owner, func(i *fake.Issue) { i.Title += "." }))
			n := 0
			p.world.Inject(fake.Fault{Reads: true, Choose: func(bool) fake.FaultKind {
				if n++; n == reads+1 {
					return kind
				}
				return fake.FaultNone
			}})
			rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
			if (err == nil) != (reads == 2) || err == nil && len(rows) != 3 {
				t.Errorf("%s at read %d: %d rows, error %v", kind, reads+1, len(rows), err)
			}
			p.world.Mend()
		}
		if rows := firing(t, b); len(rows) != 3 {
			t.Errorf("%s: %d rows", kind, len(rows))
		}
	}
}

// TestRenameStopsAMove: a state that is renamed between two writes is not
// written to by its old name or its old id.
func TestRenameStopsAMove(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "Ready", Milestone: "m1"})
	b := p.open(t)
	firing(t, b)
	ok(t, p.world.Change(func(d *fake.Data) {
		for _, s := range d.States {
			if s.Name == "In Progress" {
				s.Name = "Doing"
			}
		}
	}))
	err := b.SetState(t.Context(), theLoop, ref, "In Progress", board.RoleReady)
	if err == nil || !strings.Contains(err.Error(), `the team has no state "In Progress"; it has`) {
		t.Fatal(err)
	}
	if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err == nil || !strings.Contains(err.Error(), "the role inProgress") {
		t.Fatal(err)
	}
}

// TestRowsThatLeave: a row that is archived, moved to another project or away
// from its milestone leaves the next poll.
func TestRowsThatLeave(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	refs := p.fill(t, 5, "Ready")
	b := p.open(t)
	firing(t, b)
	leave := []func(i *fake.Issue){
		func(i *fake.Issue) { i.Archived = p.clock.Now() },
		func(i *fake.Issue) { i.Archived, i.Trashed = p.clock.Now(), true },
		func(i *fake.Issue) { i.Project, i.Milestone = "", "" },
		func(i *fake.Issue) { i.Milestone = "" },
	}
	for n, change := range leave {
		ok(t, p.world.Edit(string(refs[n]), p.made.Owner, change))
	}
	p.clock.Advance(time.Minute)
	if rows := firing(t, b); len(rows) != 1 || rows[0].Ref != refs[4] {
		t.Errorf("%d rows are left: %+v", len(rows), rows)
	}
	// A comment that is deleted leaves no trace; it is gone when all is read anew.
	ok(t, p.world.Change(func(d *fake.Data) { d.Comments = nil }))
	p.clock.Advance(31 * time.Minute)
	if rows := firing(t, b); len(rows[0].Comments) != 0 {
		t.Errorf("comments %+v", rows[0].Comments)
	}
}

// TestMoversAcrossProcesses: who made a move is known to every process of the
// checkout, and is the owner's where no process of ours made it.
func TestMoversAcrossProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "one", State: "In Progress"})
	folder := filepath.Join(t.TempDir(), "state")
	here := func() *linear.Board { return p.open(t, func(o *linear.Options) { o.StateDir = folder }) }
	want := func(b *linear.Board, by board.ActorKind, prev board.Role) {
		t.Helper()
		i, err := b.Issue(t.Context(), ref)
		ok(t, err)
		if i.StateBy != by || i.PrevRole != prev {
			t.Errorf("moved by %q from %q, want %q from %q", i.StateBy, i.PrevRole, by, prev)
		}
	}
	ok(t, here().SetState(t.Context(), theLoop, ref, "Ready", ""))
	want(here(), board.ActorDispatcher, board.RoleInProgress)
	want(p.open(t), board.ActorOwner, board.RoleInProgress) // another machine takes it for its owner's
	reader := here()
	want(reader, board.ActorDispatcher, board.RoleInProgress)
	progress, ready := p.world.StateID("In Progress"), p.world.StateID("Ready")
	for _, id := range []string{progress, ready} { // by hand, there and back again
		p.clock.Advance(time.Minute)
		ok(t, p.world.Edit(string(ref), p.made.Owner, func(i *fake.Issue) { i.State = id }))
	}
	want(reader, board.ActorOwner, board.RoleInProgress)
	p.clock.Advance(time.Minute)
	ok(t, here().SetState(t.Context(), board.Actor{Kind: board.ActorReviewer}, ref, "Question", ""))
	want(reader, board.ActorReviewer, board.RoleReady)
	gwen := p.world.AddUser(fake.User{Name: "gwen", DisplayName: "gwen"})
	ok(t, p.world.Edit(string(ref), gwen, func(i *fake.Issue) { i.State = ready }))
	want(reader, board.ActorOwner, board.RoleQuestion)
}
