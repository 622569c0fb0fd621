package ghproject_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/boardtest"
	"github.com/backside4charter/dispatcher/board/ghproject"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// boardWrite is one way to write, and how it shows that it was done once.
type boardWrite struct {
	name string
	do   func(ctx context.Context, b *ghproject.Board, ref board.Ref) error
	done func(i *board.Issue) bool
}

func boardWrites() []boardWrite {
	return []boardWrite{
		{"move", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			return b.SetState(ctx, dispatcher, ref, "In Progress", board.RoleReady)
		}, func(i *board.Issue) bool { return i.Role == board.RoleInProgress }},
		{"comment", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			_, err := b.Comment(ctx, dispatcher, ref, board.ActorDispatcher, "a word")
			return err
		}, func(i *board.Issue) bool { return len(i.Comments) == 1 && i.Comments[0].Body == "a word" }},
		{"tick", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			return b.Tick(ctx, theOwner, ref, board.Box{N: 1, Set: true})
		}, func(i *board.Issue) bool { return i.Body == "- [x] one" }},
		{"label", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			return b.Label(ctx, theOwner, ref, boardtest.Label, true)
		}, func(i *board.Issue) bool { return len(i.Labels) == 1 }},
		{"claim", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			_, err := b.Claim(ctx, dispatcher, ref, claim("s1"))
			return err
		}, func(i *board.Issue) bool { return i.Claim != nil && i.Delegate == board.DelegateDeveloper }},
		{"assign", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			return b.Assign(ctx, dispatcher, ref, board.DelegateReviewer)
		}, func(i *board.Issue) bool { return i.Delegate == board.DelegateReviewer }},
		{"release", func(ctx context.Context, b *ghproject.Board, ref board.Ref) error {
			return b.Release(ctx, dispatcher, ref, "")
		}, func(i *board.Issue) bool { return i.Assignee == "" }},
	}
}

// TestWritesThatFail plays every write against every failure: what was carried
// out is found and not done twice, what was not is done, and nothing is guessed
// when neither can be told.
func TestWritesThatFail(t *testing.T) {
	t.Parallel()
	refused := append([]fake.FaultKind{fake.FaultExpired}, limits...)
	for _, w := range boardWrites() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, true)
			try := func(f fake.Fault) (board.Issue, error) {
				p.server.Mend()
				ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady, Body: "- [ ] one"})
				if w.name == "release" {
					p.server.With("acme/widgets", func(r *fake.Repo) { r.Issue(refNumber(t, ref)).Assignees = []string{"olive"} })
				}
				f.Writes = true
				p.server.Inject(f)
				failed := w.do(t.Context(), p.open(t), ref)
				p.server.Mend()
				i, err := p.open(t).Issue(t.Context(), ref)
				if err != nil {
					t.Fatal(err)
				}
				return i, failed
			}
			for _, kind := range lost {
				if i, err := try(fake.Fault{Kind: kind, Times: 1}); err != nil || !w.done(&i) {
					t.Errorf("%s once: %v, %+v", kind, err, i)
				}
			}
			for _, kind := range refused {
				i, err := try(fake.Fault{Kind: kind})
				if err == nil || errors.Is(err, board.ErrUnknownOutcome) || w.done(&i) {
					t.Errorf("%s: %v, %+v", kind, err, i)
				}
			}
			if i, err := try(fake.Fault{Kind: fake.FaultHangUp}); !errors.Is(err, board.ErrUnknownOutcome) || w.done(&i) {
				t.Errorf("no write gets through: %v, %+v", err, i)
			}
		})
	}
}

// TestLostAndLookedForTooEarly: an answer is lost, the look for what was written
// comes too early, and the second try is refused: that proves nothing against
// the first.
func TestLostAndLookedForTooEarly(t *testing.T) {
	t.Parallel()
	for _, w := range boardWrites() {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, true)
			ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady, Body: "- [ ] one"})
			if w.name == "release" {
				p.server.With("acme/widgets", func(r *fake.Repo) { r.Issue(refNumber(t, ref)).Assignees = []string{"olive"} })
			}
			b := p.open(t)
			wrote := false
			p.server.Inject(fake.Fault{Choose: func(r fake.Request) fake.FaultKind {
				switch {
				case r.Write && wrote:
					return fake.FaultPrimary
				case r.Write:
					wrote = true
					return fake.FaultLost
				case wrote:
					return fake.FaultStale
				}
				return fake.FaultNone
			}})
			err := w.do(t.Context(), b, ref)
			p.server.Mend()
			p.clock.Advance(2 * time.Hour)
			i, look := p.open(t).Issue(t.Context(), ref)
			if look != nil || !w.done(&i) || !errors.Is(err, board.ErrUnknownOutcome) {
				t.Errorf("done %v, error %v, look %v", w.done(&i), err, look)
			}
		})
	}
}

// TestAnswersWithoutData: an answer that is none, with status 200, is an error;
// the rows that it does not hold are not gone.
func TestAnswersWithoutData(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultEmpty, fake.FaultVoid} {
		p := newPlace(t, true)
		for range 3 {
			p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
		}
		b := p.open(t)
		for at := range 3 {
			n := 0
			p.server.Inject(fake.Fault{Choose: func(fake.Request) fake.FaultKind {
				if n++; n == at+1 {
					return kind
				}
				return fake.FaultNone
			}})
			rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
			if (err == nil) != (n <= at) || err == nil && len(rows) != 3 {
				t.Errorf("%s at read %d of %d: %d rows, error %v", kind, at+1, n, len(rows), err)
			}
			p.server.Mend()
			p.clock.Advance(20 * time.Minute)
		}
	}
}

// TestCommentThatIsNotSeenYet: a comment whose answer was lost, and which the
// next read is too old to show, is found all the same and not written again.
func TestCommentThatIsNotSeenYet(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
	written, stale := false, false
	p.server.Inject(fake.Fault{Choose: func(r fake.Request) fake.FaultKind {
		switch {
		case r.Write && !written:
			written = true
			return fake.FaultLost
		case !r.Write && written && !stale:
			stale = true
			return fake.FaultStale
		}
		return fake.FaultNone
	}})
	if _, err := p.open(t).Comment(t.Context(), dispatcher, ref, board.ActorDispatcher, "a word"); err != nil {
		t.Fatal(err)
	}
	p.server.Mend()
	if i, err := p.open(t).Issue(t.Context(), ref); err != nil || len(i.Comments) != 1 || !stale {
		t.Errorf("%d comments, %v; a read was stale: %v", len(i.Comments), err, stale)
	}
}

// slow lets every request take its time.
type slow struct {
	clock *boardtest.Clock
	takes time.Duration
}

func (s *slow) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	s.clock.Advance(s.takes)
	return resp, err
}

// TestSlowClaim: a claim whose write was long under way may replace one that its
// session has looked at for the last time: it is given back, and the row left
// as it was, its phase too (SYMPTOMS.md, 39).
func TestSlowClaim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		takes  time.Duration
		phase  board.Delegate
		want   string
		refuse bool
	}{
		{takes: 3 * time.Second, want: "dev:s1@2026-09-01T08:00Z"},
		{takes: 12 * time.Second, want: "", refuse: true},
		{takes: 12 * time.Second, phase: board.DelegateReviewer, want: "review:-", refuse: true},
	} {
		p := newPlace(t, true)
		ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
		if c.phase != "" {
			if err := p.open(t).Assign(t.Context(), dispatcher, ref, c.phase); err != nil {
				t.Fatal(err)
			}
		}
		b := p.open(t, func(o *ghproject.Options) { o.Transport = &slow{clock: p.clock, takes: c.takes} })
		_, err := b.Claim(t.Context(), dispatcher, ref, claim("s1"))
		if got := p.claimed(t, ref); got != c.want || c.refuse != errors.Is(err, board.ErrClaimConflict) {
			t.Errorf("%s after %q: the field holds %q, %v", c.takes, c.phase, got, err)
		}
	}
}
