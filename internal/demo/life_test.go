package demo_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers/report"
)

func TestLifeThatPassesAtOnceAndFreesAnother(t *testing.T) {
	t.Parallel()
	h := newHand(t)
	if i := h.issue("DSP-4"); len(i.OpenBlockers()) != 1 {
		t.Errorf("DSP-4 is not blocked: %+v", i.Blockers)
	}
	h.develop("DSP-1")
	h.review("DSP-1", report.VerdictPass)
	h.done("DSP-1")
	if i := h.issue("DSP-4"); len(i.OpenBlockers()) != 0 {
		t.Errorf("DSP-4 is still blocked: %+v", i.Blockers)
	}
	h.develop("DSP-4")
	h.review("DSP-4", report.VerdictPass)
	h.done("DSP-4")
}

func TestLifeWithAQuestion(t *testing.T) {
	t.Parallel()
	h := newHand(t)
	final := h.work(board.KindDeveloper, "DSP-2", 1, 0)
	if r := report.Parse(board.KindDeveloper, final); r.Status != report.StatusIncomplete {
		t.Fatalf("%q", final)
	}
	i := h.issue("DSP-2")
	if q, ok := board.OpenQuestion(&i); !ok || i.Role != board.RoleQuestion || i.Claim != nil || i.Delegate != "" || !strings.Contains(q.Body, "due:") {
		t.Fatalf("not parked: %+v", i)
	}
	h.hasCommits("DSP-2")
	h.owner("board", "answer", "DSP-2", "--body", "The first: due:2026-12-24")
	if i := h.issue("DSP-2"); i.Role != board.RoleReady {
		t.Fatalf("answered and in %s", i.State)
	}
	h.develop("DSP-2")
	if p := h.pull("DSP-2"); !strings.Contains(p.Body, "The first: due:2026-12-24") {
		t.Errorf("the answer went unheard: %s", p.Body)
	}
	h.review("DSP-2", report.VerdictPass)
	h.done("DSP-2")
}

func TestLifeThatIsSentBackTwice(t *testing.T) {
	heavy(t)
	h := newHand(t)
	h.develop("DSP-3")
	h.review("DSP-3", report.VerdictChangesRequested)
	first := h.pull("DSP-3")
	h.develop("DSP-3")
	second := h.pull("DSP-3")
	if second.Number != first.Number || second.Head != first.Head || second.HeadSHA == first.HeadSHA {
		t.Errorf("not reworked on the same branch and pull request: %+v, then %+v", first, second)
	}
	h.review("DSP-3", report.VerdictPass)
	h.owner("pulls", "request-changes", first.Name, "--body", "Say what happens on a full disk.")
	if i := h.issue("DSP-3"); i.Role != board.RoleChangesRequested {
		t.Fatalf("sent back by the owner and in %s", i.State)
	}
	h.develop("DSP-3")
	if p := h.pull("DSP-3"); p.HeadSHA == second.HeadSHA {
		t.Error("nothing came of the owner's request")
	}
	h.review("DSP-3", report.VerdictPass)
	h.done("DSP-3")
}

func TestLifeThatFailsTwice(t *testing.T) {
	heavy(t)
	h := newHand(t)
	if final := h.work(board.KindDeveloper, "DSP-6", 1, 0); final != "" {
		t.Fatalf("the first try ended with %q", final)
	}
	final := h.work(board.KindDeveloper, "DSP-6", 2, 0)
	if r := report.Parse(board.KindDeveloper, final); r.Status != report.StatusIncomplete {
		t.Fatalf("the second try ended with %q", final)
	}
	h.hasCommits("DSP-6")
	h.owner("board", "comment", "DSP-6", "--as", "dispatcher", "--body", board.AttentionText("2 failed dispatcher attempts - tests"))
	h.owner("board", "release", "DSP-6")
	h.owner("board", "state", "DSP-6", "ready")
	h.develop("DSP-6")
	h.review("DSP-6", report.VerdictPass)
	h.done("DSP-6")
}

func TestLivesThatTheOwnerStarts(t *testing.T) {
	heavy(t)
	h := newHand(t)
	if i := h.issue("DSP-5"); !i.HasLabel("Confirm with user") {
		t.Errorf("labels %v", i.Labels)
	}
	h.owner("board", "label", "DSP-5", "remove", "Confirm with user")
	h.owner("board", "state", "DSP-7", "ready")
	h.owner("board", "create", "--milestone", "demo", "--state", "ready", "--body", "- [ ] a\n- [ ] b\n", "Something new")
	for _, ref := range []string{"DSP-5", "DSP-7", "DSP-11"} {
		h.develop(ref)
		h.review(ref, report.VerdictPass)
		h.done(ref)
	}
}

// A worker that is killed at any tool call, again and again, comes to the same
// end as one that is left alone.
func TestKilledWorkersComeToTheSameEnd(t *testing.T) {
	heavy(t)
	h := newHand(t)
	for at := 3; at <= 18; at += 3 {
		if h.work(board.KindDeveloper, "DSP-3", 1, at) != "" {
			break // it was through before that many calls
		}
	}
	h.develop("DSP-3")
	for at := 2; at <= 10; at += 2 {
		if h.work(board.KindReviewer, "DSP-3", 1, at) != "" {
			break
		}
	}
	h.review("DSP-3", report.VerdictChangesRequested)
	p := h.pull("DSP-3")
	if len(p.Reviews) != 1 {
		t.Errorf("%d reviews", len(p.Reviews))
	}
	if n := gitOut(t, h.d.Remote, "rev-list", "--count", "main.."+p.Head); n != "1" {
		t.Errorf("%s commits", n)
	}
	comments := 0
	i := h.issue("DSP-3")
	for _, c := range i.Comments {
		if c.Role == board.ActorReviewer {
			comments++
		}
	}
	if comments != 1 {
		t.Errorf("%d comments of the reviewer", comments)
	}
}

// hasCommits holds an issue that was started to one branch on the remote, with
// commits by the developer and nobody else.
func (h *hand) hasCommits(ref string) {
	h.t.Helper()
	pattern := "refs/heads/task/" + strings.ToLower(ref) + "-*"
	branches := strings.Fields(gitOut(h.t, h.d.Remote, "for-each-ref", "--format=%(refname:short)", pattern))
	if len(branches) != 1 {
		h.t.Fatalf("branches of %s: %v", ref, branches)
	}
	authors := strings.Fields(gitOut(h.t, h.d.Remote, "log", "--format=%ae", "main.."+branches[0]))
	if len(authors) == 0 || slices.ContainsFunc(authors, func(a string) bool { return a != "developer@demo.invalid" }) {
		h.t.Errorf("authors on %s: %v", branches[0], authors)
	}
}
