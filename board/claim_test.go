package board_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
)

func TestClaimText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC)
	c := board.Claim{Kind: board.KindDeveloper, Session: "s-1", Stamp: at}
	text := "**[developer]** claimed 2026-08-27T14:05Z · `claude --resume s-1`"
	if c.Text() != text {
		t.Fatalf("%q", c.Text())
	}
	if got, ok := board.ParseClaimText(text); !ok || !cmp.Equal(got, c) {
		t.Fatalf("%v %s", ok, cmp.Diff(c, got))
	}
	c.Kind, c.From = board.KindCleaner, board.RoleHumanReview
	if got, ok := board.ParseClaimText(c.Text()); !ok || !cmp.Equal(got, c) {
		t.Fatalf("%v %s", ok, cmp.Diff(c, got))
	}
	for _, bad := range []string{
		"", "hello", "**[owner]** claimed 2026-08-27T14:05Z · `claude --resume s`",
		"**[developer]** claimed 2026-13-27T14:05Z · `claude --resume s`",
		"**[developer]** claimed 2026-08-27T14:05Z · `claude --resume s` · from nowhere",
		"> " + text, text + "\nmore",
	} {
		if _, ok := board.ParseClaimText(bad); ok {
			t.Errorf("taken for a claim: %q", bad)
		}
	}
}

func TestClaimAgeAndStale(t *testing.T) {
	t.Parallel()
	c := board.Claim{Kind: board.KindReviewer, Session: "s", Stamp: noon}
	if got := c.Short(noon.Add(12*time.Minute + 59*time.Second)); got != "review:s@2026-08-27T12:00Z(12m)" {
		t.Fatalf("%q", got)
	}
	if c.Age(noon.Add(-time.Hour)) != 0 {
		t.Fatal("a stamp in the future has an age")
	}
	window := 90 * time.Minute
	if c.Stale(noon.Add(window), window) || !c.Stale(noon.Add(window+time.Second), window) {
		t.Fatal("the stale window is not what it says")
	}
	for ahead, fresh := range map[time.Duration]bool{5 * time.Minute: true, 1000 * time.Hour: false} {
		f := board.Claim{Stamp: noon.Add(ahead), Written: noon}
		if f.Stale(noon.Add(window), window) || f.Stale(noon.Add(window+time.Minute), window) == fresh || f.Stale(noon.Add(1001*time.Hour), window) == false {
			t.Fatalf("a stamp written %s ahead is fresh for something else than one window", ahead)
		}
	}
	c.LeaseUntil = noon.Add(15 * time.Minute)
	if c.Stale(noon.Add(15*time.Minute), window) || !c.Stale(noon.Add(16*time.Minute), window) {
		t.Fatal("a lease outranks the window")
	}
}

func TestParseRole(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]board.Role{
		"in-progress": board.RoleInProgress, "InProgress": board.RoleInProgress, " hold ": board.RoleBacklog,
		"user-review": board.RoleHumanReview, "ai-review": board.RoleNone, "": board.RoleNone,
	} {
		if got, ok := board.ParseRole(in); got != want || ok != (want != board.RoleNone) {
			t.Errorf("%q: %q %v", in, got, ok)
		}
	}
}
