package supervise

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/workers"
)

// ended is how the agent process ended.
type ended struct {
	code   int    // -1 when a signal ended it
	signal string // its name
}

// How much of the agent's own words goes into a problem, in bytes.
const problemTail = 2000

// exitOf puts together how the run ended. problem is what the supervisor
// itself found wrong; it wins over what the agent says.
func exitOf(c *course, e ended, problem, stderr string, now time.Time) workers.Exit {
	x := workers.Exit{
		Code:     e.code,
		Signal:   e.signal,
		Ended:    now,
		CostUSD:  c.usage.CostUSD(),
		Tokens:   c.usage.Tokens(),
		Unbilled: c.usage.Unbilled(),
		Problem:  problem,
		Missing:  c.missing.String(),
	}
	if r := c.last; r != nil {
		x.IsError, x.Subtype, x.Terminal = r.IsError, r.Subtype, r.Terminal
		if !r.IsError {
			x.Final, x.Answer = r.Text, r.Answer
		}
		if x.Problem == "" {
			x.Problem = r.Reason()
		}
	} else if x.Problem == "" {
		x.Problem = noResult(e, firstOf(stderr, c.raw))
	}
	if c.limited() {
		x.Trouble, x.LimitUntil = workers.TroubleLimit, c.limitUntil()
	}
	return x
}

// explain lets the agent's language say what an ending means that nobody asked
// for. What the supervisor found wrong itself stays as it is.
func explain(x *workers.Exit, c *course, agent workers.Agent, words, said string) {
	lang, ok := agent.(workers.Explainer)
	if !ok || x.Trouble != workers.TroubleNone || x.Stopped {
		return
	}
	m := lang.Explain(workers.Ending{Result: c.last, Began: c.began, Code: x.Code, Words: words, Said: said, At: x.Ended})
	x.Trouble, x.LimitUntil = m.Trouble, m.Until
	if m.Text != "" {
		x.Problem = m.Text
	}
}

// unusable says whether a program could not be started because it is not
// there, or is no program.
func unusable(err error) bool {
	return errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, exec.ErrDot) ||
		strings.Contains(err.Error(), "exec format error")
}

// noResult says why an agent that ended without a result is no success,
// whatever its exit code.
func noResult(e ended, words string) string {
	how := fmt.Sprintf("the agent exited %d without a result", e.code)
	if e.signal != "" {
		how = "the agent was ended by " + e.signal + " without a result"
	}
	if words = strings.TrimSpace(words); words == "" {
		return how
	}
	return how + ": " + words
}

// noStart says that a run hangs before its first turn.
func noStart(within time.Duration, words string) string {
	s := fmt.Sprintf("no sign of a start within %s: it probably waits on a prompt that nobody sees", within)
	if words = strings.TrimSpace(words); words != "" {
		s += "; its last words: " + workers.Clean(words, problemTail)
	}
	return s
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return workers.Clean(t, problemTail)
		}
	}
	return ""
}
