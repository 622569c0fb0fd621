package ghproject_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// Public bug reports of other clients of GitHub Projects, each as a test of
// ours. Those of options and pages are in board_test.go (18, 19), those of two
// dispatchers in contest_test.go (39).

// TestFailure24WritesAreHeldBack: coalesce-labs/catalyst#1135. A write that is
// refused by 429, each second for ten minutes, causes no other one.
func TestFailure24WritesAreHeldBack(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleReady})
	b := p.open(t)
	p.server.Inject(fake.Fault{Kind: fake.FaultAbuse, Writes: true})
	before := len(p.server.Requests())
	for range 600 {
		_, err := b.Comment(t.Context(), dispatcher, ref, board.ActorDispatcher, "a word")
		if _, limited := errors.AsType[*ghapi.LimitError](err); !limited || errors.Is(err, board.ErrUnknownOutcome) {
			t.Fatalf("err = %v", err)
		}
		p.clock.Advance(time.Second)
	}
	if n := fake.Count(p.server.Requests()[before:]).GraphQL; n == 0 || n > 22 {
		t.Errorf("%d requests in ten minutes of refusals", n)
	}
}

// TestFailure26SecondaryLimitIsNoBadLogin: rjmurillo/ai-agents#4690,
// hivecommons/hive PR#4640. A 403 with a full budget is a wait, not the login's
// fault, and is over when it says.
func TestFailure26SecondaryLimitIsNoBadLogin(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultSecondary, fake.FaultBare, fake.FaultInBody} {
		p := newPlace(t, true)
		b := p.open(t)
		p.server.Inject(fake.Fault{Kind: kind, Times: 1})
		_, err := b.States(t.Context())
		l, limited := errors.AsType[*ghapi.LimitError](err)
		if !limited || !l.Secondary || strings.Contains(err.Error(), "login") {
			t.Fatalf("%s: %v", kind, err)
		}
		p.clock.Advance(2 * time.Minute)
		if _, err := b.States(t.Context()); err != nil {
			t.Errorf("%s, after the time: %v", kind, err)
		}
	}
}

// TestSymptom31LimitInAnAnswerThatIs200: yanyongyu/githubkit#271,
// octokit/plugin-throttling.js#848. Both spellings are a limit.
func TestSymptom31LimitInAnAnswerThatIs200(t *testing.T) {
	t.Parallel()
	for _, kind := range []fake.FaultKind{fake.FaultRateLimited, fake.FaultRateLimit} {
		p := newPlace(t, true)
		b := p.open(t)
		p.server.Inject(fake.Fault{Kind: kind, Times: 1})
		for range 3 {
			_, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
			if l, limited := errors.AsType[*ghapi.LimitError](err); !limited || l.Secondary {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if n := len(p.server.Requests()); n != 1 {
			t.Errorf("%s: %d requests before the reset", kind, n)
		}
	}
}

// TestSymptom39SleptPastTheLease: digitaldrywood/detent#279. A process that
// slept past its claim does not stamp it again once another has the row, and
// its late work does not take that claim away.
func TestSymptom39SleptPastTheLease(t *testing.T) {
	t.Parallel()
	p := newPlace(t, true)
	ref := p.seed(t, board.NewIssue{Title: "one", State: board.RoleInProgress})
	sleeper, other := p.open(t), p.open(t)
	if _, err := sleeper.Claim(t.Context(), dispatcher, ref, claim("s-1")); err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(2 * time.Hour)
	if _, err := other.Claim(t.Context(), dispatcher, ref, claim("s-2")); err != nil {
		t.Fatal(err)
	}
	renew := claim("s-1")
	renew.Renew = true
	if _, err := sleeper.Claim(t.Context(), dispatcher, ref, renew); !errors.Is(err, board.ErrClaimConflict) {
		t.Errorf("err = %v", err)
	}
	if err := sleeper.Release(t.Context(), dispatcher, ref, "s-1"); err != nil {
		t.Error(err)
	}
	if i, err := other.Issue(t.Context(), ref); err != nil || i.Claim == nil || i.Claim.Session != "s-2" {
		t.Errorf("the claim is %+v, %v", i.Claim, err)
	}
}
