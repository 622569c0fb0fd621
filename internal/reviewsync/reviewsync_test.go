package reviewsync_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/reviewsync"
)

var _ reviewsync.Board = (*board.Policy)(nil)

func TestApplies(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		i    board.Issue
		want bool
	}{
		{board.Issue{Role: board.RoleHumanReview}, true},
		{board.Issue{Role: board.RoleHumanReview, Delegate: board.DelegateDeveloper}, true},
		{board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateReviewer}, true},
		{board.Issue{Role: board.RoleInProgress, Delegate: board.DelegateDeveloper}, false},
		{board.Issue{Role: board.RoleInProgress}, false},
		{board.Issue{Role: board.RoleChangesRequested}, false},
		{board.Issue{Role: board.RoleQuestion}, false},
		{board.Issue{Role: board.RoleDone, Closed: true}, false},
		{board.Issue{Role: board.RoleHumanReview, Closed: true}, false},
		{board.Issue{Role: board.RoleHumanReview, Unreadable: "half a file"}, false},
	} {
		if got := reviewsync.Applies(&tc.i); got != tc.want {
			t.Errorf("Applies(%+v) = %v", tc.i, got)
		}
	}
}

// log is a board that writes down what is asked of it.
type log struct {
	lines []string
	fail  board.Ref
	first board.Ref // sent back by another meanwhile
	other board.Ref // under another account's claim
}

func (l *log) Row(_ context.Context, ref board.Ref) (board.Issue, error) {
	if ref == l.first {
		return board.Issue{Ref: ref, Role: board.RoleChangesRequested}, nil
	}
	return board.Issue{Ref: ref, Role: board.RoleReady}, nil
}

func (l *log) SetStateFrom(_ context.Context, ref board.Ref, role, from board.Role) error {
	if ref == l.fail || ref == l.first {
		return board.ErrChanged
	}
	l.lines = append(l.lines, fmt.Sprintf("%s: %s -> %s", ref, from, role))
	return nil
}

func (l *log) Release(_ context.Context, ref board.Ref, session string) error {
	l.lines = append(l.lines, fmt.Sprintf("%s: release %q", ref, session))
	if ref == l.other {
		return fmt.Errorf("%w: %w", board.ErrClaimConflict, board.ErrOtherAccount)
	}
	return nil
}

func TestSendBack(t *testing.T) {
	t.Parallel()
	l := &log{fail: "DSP-2", first: "DSP-5", other: "DSP-4"}
	rows := []board.Issue{
		{Ref: "DSP-1", Role: board.RoleHumanReview},
		{Ref: "DSP-2", Role: board.RoleHumanReview},
		{Ref: "DSP-3", Role: board.RoleReady},
		{Ref: "DSP-4", Role: board.RoleInProgress, Delegate: board.DelegateReviewer},
		{Ref: "DSP-5", Role: board.RoleHumanReview},
	}
	got, err := reviewsync.SendBack(context.Background(), l, rows)
	if !errors.Is(err, board.ErrChanged) {
		t.Errorf("err = %v", err)
	}
	want := []reviewsync.Result{{Ref: "DSP-1", Sent: true}, {Ref: "DSP-3"}, {Ref: "DSP-4", Sent: true, Left: "claim conflict: not ours to take back"}, {Ref: "DSP-5", Sent: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	writes := []string{
		"DSP-1: humanReview -> changesRequested", `DSP-1: release ""`,
		"DSP-4: inProgress -> changesRequested", `DSP-4: release ""`,
	}
	if diff := cmp.Diff(writes, l.lines); diff != "" {
		t.Error(diff)
	}
}
