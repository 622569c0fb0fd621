package board_test

import (
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

// said is one comment a minute after the one before it.
func said(words ...string) []board.Comment {
	var out []board.Comment
	for n := 0; n < len(words); n += 2 {
		out = append(out, board.Comment{Role: board.ActorKind(words[n]), Body: words[n+1], At: noon.Add(time.Duration(n) * time.Minute)})
	}
	return out
}

func TestAttention(t *testing.T) {
	t.Parallel()
	const gaveUp = "needs human attention: 2 failed dispatcher attempts - no report"
	withMark := func(kind board.Kind) string {
		return board.WithMark(gaveUp, board.Mark{Kind: kind, Head: "h1", Base: "b1"})
	}
	cases := []struct {
		name       string
		issue      board.Issue
		head, base string
		want       string // reason; empty is not held
	}{
		{"nothing said", board.Issue{}, "", "", ""},
		{"given up", board.Issue{Comments: said("dispatcher", gaveUp)}, "", "", "2 failed dispatcher attempts - no report"},
		{"bold", board.Issue{Comments: said("dispatcher", "**Needs human attention**: x")}, "", "", "x"},
		{"said by a worker", board.Issue{Comments: said("developer", gaveUp)}, "", "", ""},
		{"owner replied", board.Issue{Comments: said("dispatcher", gaveUp, "owner", "try again")}, "", "", ""},
		{"we replied", board.Issue{Comments: said("dispatcher", gaveUp, "dispatcher", "note", "reviewer", "note")}, "", "", "2 failed dispatcher attempts - no report"},
		{"the owner's act written down", board.Issue{Comments: said("dispatcher", gaveUp, "dispatcher", board.ClearedText("moved"))}, "", "", ""},
		{"again after the owner's act", board.Issue{Comments: said("dispatcher", board.ClearedText("moved"), "dispatcher", gaveUp)}, "", "", "2 failed dispatcher attempts - no report"},
		{"again after the reply", board.Issue{Comments: said("dispatcher", gaveUp, "owner", "go", "dispatcher", "needs human attention: b")}, "", "", "b"},
		{"owner moved it later", board.Issue{Comments: said("dispatcher", gaveUp), StateBy: board.ActorOwner, StateSince: noon.Add(time.Hour)}, "", "", ""},
		{"owner moved it before", board.Issue{Comments: said("dispatcher", gaveUp), StateBy: board.ActorOwner, StateSince: noon}, "", "", "2 failed dispatcher attempts - no report"},
		{"we moved it later", board.Issue{Comments: said("dispatcher", gaveUp), StateBy: board.ActorDispatcher, StateSince: noon.Add(time.Hour)}, "", "", "2 failed dispatcher attempts - no report"},
		{"reviewer, head moved", board.Issue{Comments: said("dispatcher", withMark(board.KindReviewer))}, "h2", "b1", ""},
		{"reviewer, base moved", board.Issue{Comments: said("dispatcher", withMark(board.KindReviewer))}, "h1", "b2", "2 failed dispatcher attempts - no report"},
		{"reviewer, head unknown", board.Issue{Comments: said("dispatcher", withMark(board.KindReviewer))}, "", "", "2 failed dispatcher attempts - no report"},
		{"cleaner, base moved", board.Issue{Comments: said("dispatcher", withMark(board.KindCleaner))}, "h1", "b2", ""},
		{"developer, head moved", board.Issue{Comments: said("dispatcher", withMark(board.KindDeveloper))}, "h2", "b2", "2 failed dispatcher attempts - no report"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			reason, held := board.Attention(&c.issue, c.head, c.base)
			if reason != c.want || held != (c.want != "") {
				t.Fatalf("%q %v, want %q", reason, held, c.want)
			}
		})
	}
	if reason, held := board.Attention(&board.Issue{Comments: said("dispatcher", board.AttentionText("why"))}, "", ""); reason != "why" || !held {
		t.Fatalf("AttentionText is not read back: %q %v", reason, held)
	}
}

func TestHeld(t *testing.T) {
	t.Parallel()
	held := board.HeldText("stopped by hand")
	cases := []struct {
		name     string
		comments []board.Comment
		want     bool
	}{
		{"held", said("dispatcher", held), true},
		{"cleared", said("dispatcher", held, "dispatcher", board.ClearedText("")), false},
		{"held again", said("dispatcher", held, "dispatcher", board.ClearedText(""), "dispatcher", held), true},
		{"owner's comment", said("dispatcher", held, "owner", "go on"), false},
		{"worker's words", said("developer", held), false},
	}
	for _, c := range cases {
		if reason, got := board.Held(&board.Issue{Comments: c.comments}); got != c.want || got && reason != "stopped by hand" {
			t.Errorf("%s: %q %v", c.name, reason, got)
		}
	}
}

func TestAnswerTo(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name     string
		comments []board.Comment
		q, a     string
	}{
		{"nothing", nil, "", ""},
		{"unanswered", said("developer", "q"), "", ""},
		{"answered", said("owner", "hi", "developer", "q", "dispatcher", "note", "owner", "a", "owner", "more"), "q", "a"},
		{"the newest", said("developer", "q1", "owner", "a1", "reviewer", "q2", "owner", "a2"), "q2", "a2"},
		{"asked again", said("developer", "q1", "owner", "a1", "developer", "q2"), "q1", "a1"},
		{"owner only", said("owner", "a"), "", ""},
	}
	for _, c := range cases {
		q, a, ok := board.AnswerTo(&board.Issue{Comments: c.comments})
		if q.Body != c.q || a.Body != c.a || ok != (c.q != "") {
			t.Errorf("%s: %q %q %v", c.name, q.Body, a.Body, ok)
		}
	}
}

func TestMovedWithoutReply(t *testing.T) {
	t.Parallel()
	moved := board.Issue{Role: board.RoleReady, PrevRole: board.RoleQuestion, StateBy: board.ActorOwner}
	cases := []struct {
		name     string
		role     board.Role
		prev     board.Role
		comments []board.Comment
		want     bool
	}{
		{"no reply", board.RoleReady, board.RoleQuestion, said("developer", "q", "dispatcher", "note"), true},
		{"reply", board.RoleReady, board.RoleQuestion, said("developer", "q", "owner", "a"), false},
		{"still parked", board.RoleQuestion, board.RoleInProgress, said("developer", "q"), false},
		{"never parked", board.RoleReady, board.RoleBacklog, said("developer", "q"), false},
		{"nothing said at all", board.RoleChangesRequested, board.RoleQuestion, nil, true},
	}
	for _, c := range cases {
		i := moved
		i.Role, i.PrevRole, i.Comments = c.role, c.prev, c.comments
		if got := board.MovedWithoutReply(&i); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
