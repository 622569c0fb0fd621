package board

import (
	"fmt"
	"strconv"
)

// refuse is a refusal by policy, with its reason.
func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrForbidden, fmt.Sprintf(format, args...))
}

func unreadable(i *Issue) error { return fmt.Errorf("%w: %s", ErrUnreadable, i.Unreadable) }

func errNotOurs(session string) error {
	return fmt.Errorf("%w: session %s holds it", ErrClaimConflict, session)
}

// quoteState quotes a name that comes from outside, so that it cannot carry
// control characters into a message.
func quoteState(s string) string { return strconv.Quote(s) }
