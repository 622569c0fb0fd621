package board

import (
	"errors"
	"fmt"
	"strings"
)

// Conditions that callers test for with errors.Is.
var (
	// ErrNotFound: the board proves that it has no such issue, state, label or
	// milestone. An answer that merely lacks an issue is no proof.
	ErrNotFound = errors.New("not found")
	// ErrClaimConflict: somebody else holds the claim, or the fence has moved
	// on; nothing was written.
	ErrClaimConflict = errors.New("claim conflict")
	// ErrOtherAccount: the claim stands under another account of the board, which
	// alone can take it back. Unless it is an ErrClaimConflict too, everything else
	// that was asked for is written.
	ErrOtherAccount = errors.New("not ours to take back")
	// ErrForbidden: policy refuses this write to this actor.
	ErrForbidden = errors.New("refused")
	// ErrMerged: the pull request of the row is merged; nothing is written.
	ErrMerged = errors.New("pull request is merged")
	// ErrUnreadable: the row cannot be read (a broken or newer file).
	ErrUnreadable = errors.New("unreadable")
	// ErrUnknownOutcome: the write may or may not have happened.
	ErrUnknownOutcome = errors.New("outcome unknown")
	// ErrCycle: the blockers would depend on each other.
	ErrCycle = errors.New("blocker cycle")
	// ErrChanged: the row is not in the state the write expected.
	ErrChanged = errors.New("row changed meanwhile")
	// ErrNoLogin: only the owner may do it, under a login that is not here; the
	// forge's own page is the way.
	ErrNoLogin = errors.New("it takes your own login")
)

// UnlessOtherAccounts drops an ErrOtherAccount, for a row that was moved before
// it was let go: the other account's own tool finds it moved, and takes back its
// claim.
func UnlessOtherAccounts(err error) error {
	if errors.Is(err, ErrOtherAccount) {
		return nil
	}
	return err
}

// ClaimLeft tells of a release why a claim is left, in a line: it is another
// account's, and while that is fresh the delegate and the assignee are left as
// well (Claimer). It answers any other error as it is.
func ClaimLeft(err error) (why string, rest error) {
	if errors.Is(err, ErrOtherAccount) {
		return OneLine(err.Error()), nil
	}
	return "", err
}

// StillUnknown is what a write came to whose first try had the outcome first and
// whose second was answered second: what is said against a second try tells
// nothing of the first, which may have been carried out.
func StillUnknown(first, second error) error {
	if second == nil || errors.Is(second, ErrUnknownOutcome) {
		return second
	}
	return fmt.Errorf("%w; tried again: %w", first, second)
}

func equalFold(a, b string) bool { return strings.EqualFold(a, b) }
