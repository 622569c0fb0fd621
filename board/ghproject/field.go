package ghproject

import (
	"fmt"
	"regexp"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// held is what the field Claimed By says.
type held struct {
	claim    *board.Claim
	delegate board.Delegate
	question bool
}

// The texts of rows that nobody works.
const (
	queuedDeveloper = "dev:-"
	queuedReviewer  = "review:-"
	parked          = "question:-"
)

const stampLayout = "2006-01-02T15:04Z"

var claimForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(dev|review|cleanup):([A-Za-z0-9][A-Za-z0-9._:-]{0,127})@(\d{4}-\d\d-\d\dT\d\d:\d\dZ)(?: · from ([a-z-]+))?$`)
})

// readField reads the field; a text that is none of ours is another agent's.
func readField(text string) held {
	switch text {
	case "":
		return held{}
	case queuedDeveloper:
		return held{delegate: board.DelegateDeveloper}
	case queuedReviewer:
		return held{delegate: board.DelegateReviewer}
	case parked:
		return held{question: true}
	}
	if c, ok := parseClaim(text); ok {
		return held{claim: &c, delegate: board.DelegateOf(c.Kind)}
	}
	other := board.Delegate(board.OneLine(text))
	if other.Ours() {
		other = "another agent: " + other
	}
	return held{delegate: other}
}

func parseClaim(text string) (board.Claim, bool) {
	m := claimForm().FindStringSubmatch(text)
	if m == nil {
		return board.Claim{}, false
	}
	kind, ok := board.ParseClaimWord(m[1])
	at, err := time.Parse(stampLayout, m[3])
	if !ok || err != nil {
		return board.Claim{}, false
	}
	c := board.Claim{Kind: kind, Session: m[2], Stamp: at}
	if m[4] != "" {
		if c.From, ok = board.ParseRole(m[4]); !ok {
			return board.Claim{}, false
		}
	}
	return c, true
}

// fieldText is a claim as the field holds it.
func fieldText(c *board.Claim) string {
	s := fmt.Sprintf("%s:%s@%s", c.Kind.ClaimWord(), c.Session, c.Stamp.UTC().Format(stampLayout))
	if c.From != board.RoleNone {
		s += " · from " + c.From.Word()
	}
	return s
}

func queued(d board.Delegate) string {
	if d == board.DelegateReviewer {
		return queuedReviewer
	}
	return queuedDeveloper
}
