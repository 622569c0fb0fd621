package native_test

import (
	"errors"
	"os"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
)

// TestOlderEpochWritesNothing: a worker whose row was taken over is refused by
// its epoch alone, whatever it says of its run (design.md, section 6, Fence).
func TestOlderEpochWritesNothing(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t)
	ctx, loop := t.Context(), board.Actor{Kind: board.ActorDispatcher}
	var epochs []int64
	for _, session := range []string{"s1", "s2"} {
		c, err := b.Claim(ctx, loop, "DSP-1", board.ClaimRequest{Kind: board.KindDeveloper, Session: session, Run: session, Steal: true})
		if err != nil {
			t.Fatal(err)
		}
		epochs = append(epochs, c.Epoch)
	}
	for _, run := range []string{"", "s2"} {
		late := board.Actor{Kind: board.ActorDeveloper, Ref: "DSP-1", Run: run, Epoch: epochs[0]}
		if _, err := b.Comment(ctx, late, "DSP-1", board.ActorDeveloper, "late"); !errors.Is(err, board.ErrClaimConflict) {
			t.Errorf("run %q of epoch %d after %d: %v", run, epochs[0], epochs[1], err)
		}
	}
	now := board.Actor{Kind: board.ActorDeveloper, Ref: "DSP-1", Run: "s2", Epoch: epochs[1]}
	if _, err := b.Comment(ctx, now, "DSP-1", board.ActorDeveloper, "in time"); err != nil {
		t.Error(err)
	}
}

// TestNumbersNeverGoBack: an issue file that its owner restored from an older
// copy gets revisions and epochs that nobody has seen yet (design.md, sections
// 6 and 10).
func TestNumbersNeverGoBack(t *testing.T) {
	t.Parallel()
	b, o, _ := setup(t)
	ctx, loop := t.Context(), board.Actor{Kind: board.ActorDispatcher}
	file := issueFile(o.Dir, "DSP-1")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	claim := board.ClaimRequest{Kind: board.KindDeveloper, Session: "s1", Run: "r1"}
	first, err := b.Claim(ctx, loop, "DSP-1", claim)
	if err != nil {
		t.Fatal(err)
	}
	for _, pr := range []string{"#1", "#2"} {
		if err := b.LinkPR(ctx, loop, "DSP-1", pr); err != nil {
			t.Fatal(err)
		}
	}
	before := lastRev(t, b)
	if err := os.WriteFile(file, old, 0o644); err != nil {
		t.Fatal(err)
	}
	claim.Session, claim.Run = "s2", "r2"
	second, err := b.Claim(ctx, loop, "DSP-1", claim)
	if err != nil {
		t.Fatal(err)
	}
	if second.Epoch <= first.Epoch {
		t.Errorf("epoch %d after %d", second.Epoch, first.Epoch)
	}
	if after := lastRev(t, b); after <= before {
		t.Errorf("revision %d after %d", after, before)
	}
}

func lastRev(t *testing.T, b *native.Board) int64 {
	t.Helper()
	events, _, err := b.Events(0)
	if err != nil || len(events) == 0 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	return events[len(events)-1].Rev
}
