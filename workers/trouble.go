package workers

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Trouble is an obstacle that ended a run and that is none of the run's own
// work: what it means is the same for every issue.
type Trouble string

// The troubles. A run that simply failed has none.
const (
	TroubleNone    Trouble = ""
	TroubleLimit   Trouble = "limit"   // the account's usage limit; Exit.LimitUntil where it is told
	TroubleBusy    Trouble = "busy"    // the model is overloaded or cannot be reached: later it may work
	TroubleSession Trouble = "session" // the session that was to go on is not there, or not to be had
	TroubleSetup   Trouble = "setup"   // the agent cannot work here at all until a person changes something
	TroubleSpent   Trouble = "spent"   // it has used up what one run may: another would do the same
)

// Ending is how an agent ended, for its language to explain.
type Ending struct {
	Result *Result // the last one; nil when there was none
	Began  bool    // a turn had begun
	Code   int     // its exit code; -1 when a signal ended it
	Words  string  // the end of its standard error
	Said   string  // what it printed last outside its protocol, or the end of it where it has none
	At     time.Time
}

// Meaning is what an ending means. The zero value is an ending that needs no
// explanation, or has none.
type Meaning struct {
	Trouble Trouble
	// Text says in one sentence what happened, and the way out; empty where what
	// the agent said is enough.
	Text string
	// Until is when a limit resets (TroubleLimit), where that is told.
	Until time.Time
}

// Explainer is a language that knows its program's own words for a trouble.
type Explainer interface {
	Explain(e Ending) Meaning
}

// What a shell, env and the kernel say of a program that is not there, or is
// none; and the exit codes that a shell gives for it (POSIX, 2.8.2).
const (
	exitCannotRun = 126
	exitNotFound  = 127
)

var notRunnable = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^.*(?:command not found|exec format error|bad interpreter|: not found$|exec: .*(?:not found|permission denied|no such file)|` +
		`env: .*(?:no such file or directory|permission denied)).*$`)
})

// complaintLines is how many lines a shell and what it is wrapped in say at most
// of a program that they cannot run. One that said more has run.
const complaintLines = 3

// NotRunnable finds that a program, or what it is run with, is not there or is
// no program: no second try can help before a person mends it. A shell's exit
// code tells it, or a complaint that is all that was said; a program that worked
// and then failed, whatever it quotes, has only failed. Any language may ask it
// of an ending without a result.
func NotRunnable(e Ending) Meaning {
	if e.Code <= 0 {
		return Meaning{}
	}
	words := nonEmpty(e.Words + "\n" + e.Said)
	var found string
	switch {
	case e.Code == exitCannotRun, e.Code == exitNotFound:
		if len(words) > complaintLines {
			return Meaning{}
		}
		found = fmt.Sprintf("exit code %d", e.Code)
		if len(words) > 0 {
			found = words[len(words)-1]
		}
	case len(words) == 1 && notRunnable().MatchString(words[0]):
		found = words[0]
	default:
		return Meaning{}
	}
	found = strings.Join(strings.Fields(Clean(found, 300)), " ")
	return Meaning{
		Trouble: TroubleSetup,
		Text:    "the agent cannot be run (" + strings.TrimRight(found, ".") + "): install it and what it is run with, or name the program in agents.<name>.command",
	}
}

func nonEmpty(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
