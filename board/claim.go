package board

import (
	"fmt"
	"regexp"
	"time"
)

// Claim says which session works an issue now (dispatcher-system.md, Delegate
// and claim). Its stamp is the heartbeat, with minute precision in the text
// form. On the native board it also carries the fence and where its worker
// lives.
//
// What two dispatchers may rely on: on a fenced board exactly one claim holds
// at a time and a late writer gets ErrClaimConflict; elsewhere a claim is
// advisory and settled by the rules of design.md, section 6. A stamp is
// compared with one clock only, the reader's.
type Claim struct {
	Kind    Kind      `json:"kind"`
	Session string    `json:"session"`
	Stamp   time.Time `json:"stamp"`          // UTC
	From    Role      `json:"from,omitempty"` // a clean-up claim's prior state

	// Written is when the stamp was written, by the board's own clock; zero where
	// the board does not tell.
	Written time.Time `json:"written,omitzero"`
	// Account is whose account the claim stands under, where that is another than
	// ours and nobody else can take the claim back (Linear); empty elsewhere.
	Account string `json:"account,omitempty"`

	// Fence and home; zero on boards that keep only the text form.
	Run        string    `json:"run,omitempty"`
	Epoch      int64     `json:"epoch,omitempty"`
	LeaseUntil time.Time `json:"leaseUntil,omitzero"`
	Host       string    `json:"host,omitempty"`
	Boot       string    `json:"boot,omitempty"` // boot id of the host
	PID        int       `json:"pid,omitempty"`  // supervisor
	PIDStart   string    `json:"pidStart,omitempty"`
}

// stampLayout is the UTC-minute stamp of the claim comment.
const stampLayout = "2006-01-02T15:04Z"

// claimText is the exact form of a claim comment, with our suffix for a
// clean-up's prior state.
var claimText = regexp.MustCompile(
	"^\\*\\*\\[(developer|reviewer|cleaner)\\]\\*\\* claimed (\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\dZ) · `claude --resume ([^`\\s]+)`(?: · from ([A-Za-z-]+))?\\s*$")

// Text is the claim as a comment:
//
//	**[developer]** claimed 2026-08-27T14:05Z · `claude --resume <session-id>`
//
// A clean-up claim ends with ` · from <state>` (design.md, section 6).
func (c Claim) Text() string {
	s := fmt.Sprintf("**[%s]** claimed %s · `claude --resume %s`", c.Kind, c.Stamp.UTC().Format(stampLayout), c.Session)
	if c.From != RoleNone {
		s += " · from " + c.From.Word()
	}
	return s
}

// ParseClaimText reads a claim comment; it reports false for any other text.
func ParseClaimText(s string) (Claim, bool) {
	m := claimText.FindStringSubmatch(s)
	if m == nil {
		return Claim{}, false
	}
	kind, _ := ParseKind(m[1])
	at, err := time.Parse(stampLayout, m[2])
	if err != nil {
		return Claim{}, false
	}
	c := Claim{Kind: kind, Session: m[3], Stamp: at}
	if m[4] != "" {
		from, ok := ParseRole(m[4])
		if !ok {
			return Claim{}, false
		}
		c.From = from
	}
	return c, true
}

// ClockTolerance is more than clocks differ by that are right.
const ClockTolerance = 20 * time.Minute

// Heard is when the session of the claim was last heard of: its stamp. A stamp
// that lies far beyond the moment in which the board saw it written is worth
// that moment: it is not fresh for ever (design.md, section 6).
func (c Claim) Heard() time.Time {
	if !c.Written.IsZero() && c.Stamp.Sub(c.Written) > ClockTolerance {
		return c.Written
	}
	return c.Stamp
}

// Age is how long ago the session was heard of, in whole minutes, never
// negative.
func (c Claim) Age(now time.Time) int {
	d := now.Sub(c.Heard())
	if d < 0 {
		return 0
	}
	return int(d / time.Minute)
}

// Short renders the claim as poll does: `dev:<session>@<stamp>(<age>m)`.
func (c Claim) Short(now time.Time) string {
	return fmt.Sprintf("%s:%s@%s(%dm)", c.Kind.ClaimWord(), c.Session, c.Stamp.UTC().Format(stampLayout), c.Age(now))
}

// Stale says whether the claim may be taken over by its age alone: its session
// was last heard of before the stale window, and where there is a lease the
// lease has run out. It says nothing about signs of life (design.md, section 6).
func (c Claim) Stale(now time.Time, window time.Duration) bool {
	if !c.LeaseUntil.IsZero() {
		return now.After(c.LeaseUntil)
	}
	return now.Sub(c.Heard()) > window
}

// ClaimRequest asks a backend for a claim.
type ClaimRequest struct {
	Kind    Kind
	Session string
	From    Role // a clean-up's prior state
	Run     string
	// Renew re-stamps a claim this session already holds and fails with
	// ErrClaimConflict when it no longer does; without it a claim is taken.
	Renew bool
	// Steal takes a row from another session. Without it a claim that is not
	// stale by its lease and not this session's is refused on a fenced board.
	Steal    bool
	Host     string
	Boot     string
	PID      int
	PIDStart string
}
