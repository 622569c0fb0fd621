// Package limit reads what agents say when the usage limit of their account is
// reached, whatever the words, the form of the time and its zone (failures.md,
// 8).
//
// It promises that a warning, a limit of something else (tokens, requests, a
// context) and a time that it does not understand are told from what it looks
// for: whoever asks pauses everything on the account. It never judges who said a
// text: a quotation reads as the original.
package limit

import (
	"regexp"
	"strings"
	"sync"
	"time"
)

// limitWords are compiled when the first text is judged: most supervisors
// never see one.
var limitWords = sync.OnceValue(func() (p struct{ met, named, over, spent, other, warning *regexp.Regexp }) {
	const (
		bound   = `(?:limits?|quota|cap|allowance)`
		which   = `(?:session|usage|hourly|daily|weekly|monthly|annual|spend(?:ing)?|billing|\d+[\s-]?h(?:ou)?rs?|five-hour|\d+[\s-]?day|opus|sonnet|haiku|fable)`
		reached = `(?:hit|reached|met|exceeded|exhausted|used\s+up|gone\s+over)`
	)
	// "you have hit your org's monthly spend limit"
	p.met = regexp.MustCompile(`(?i)\b` + reached + `\s+(?:your|the|its|our|this|a)\s+((?:[\w'’-]+\s+){0,4})` + bound + `\b`)
	// "session limit, resets 3pm", "usage_limit_reached"
	p.named = regexp.MustCompile(`(?i)\b` + which + `(?:\s+(?:usage|spend|message|token))?\s+` + bound + `\b|\busage_limit_reached\b`)
	// "Limit reached", "your quota has been exhausted": no word of which one
	p.over = regexp.MustCompile(`(?i)((?:[\w'’-]+\s+){0,3})\b` + bound + `\s+(?:(?:has|have)\s+been\s+|is\s+|was\s+|now\s+)?` + reached + `\b`)
	// "used all of your included usage", "used 100% of your 5-hour usage", "out of extra usage"
	p.spent = regexp.MustCompile(`(?i)\bused\s+(?:up\s+)?(?:all\s+(?:of\s+)?|100\s?%\s+of\s+)(?:your|the)\s+(?:[\w'’-]+\s+){0,4}(?:usage|` + bound + `)\b|` +
		`\bout\s+of\s+(?:extra\s+|your\s+)?(?:[\w-]+\s+)?usage\b`)
	// What else has a limit, and is none of the account's.
	p.other = regexp.MustCompile(`(?i)\b(?:rate|tokens?|context|window|turns?|output|input|length|size|file|time|retry|retries|concurrency|requests?|connections?|memory|disk|line)\s+$`)
	// "80% of your weekly limit", "approaching your usage limit"
	p.warning = regexp.MustCompile(`(?i)\b\d{1,2}(?:\.\d+)?\s?%|\b(?:approaching|nearing|near|close\s+to|almost|about\s+to|soon|left|remaining|until\s+you|before\s+you|if\s+you|when\s+you)\b`)
	return p
})

// textLimit is how much of a text is read, in bytes.
const textLimit = 2 << 10

// furthest is how far ahead a reset may lie: what is said to be further away
// was not understood.
const furthest = 40 * 24 * time.Hour

// Parse reads what an agent says when its account's limit is used up: "session limit, resets 3:20pm (Europe/Berlin)", "You've hit your 5-hour
// limit · resets 1:07pm (UTC)", "usage limit reached|1796044043", "usage limit
// reached, try again at 2026-11-30T15:20:00Z". It answers whether the text says
// so, and when the limit resets; zero where it does not tell. A warning ("80% of
// your weekly limit") and a limit of something else ("rate limit", "token
// limit") are none. now is when it was said: a time of day is the next one after
// it, in the zone named, else in now's.
func Parse(text string, now time.Time) (until time.Time, limited bool) {
	text = text[:min(len(text), textLimit)]
	until = resetIn(text, now)
	if !saysLimit(text, !until.IsZero()) {
		return time.Time{}, false
	}
	if until.Sub(now) > furthest {
		until = time.Time{}
	}
	return until, true
}

// lastLines is how many of the last lines of a program may tell why it ended.
const lastLines = 5

// Last looks for a limit in the last lines of what a program said before it
// ended with an error, the last one first.
func Last(words string, now time.Time) (until time.Time, limited bool) {
	lines := strings.Split(strings.TrimSpace(words), "\n")
	for i := len(lines) - 1; i >= max(0, len(lines)-lastLines); i-- {
		if until, limited = Parse(lines[i], now); limited {
			return until, true
		}
	}
	return time.Time{}, false
}

// saysLimit says whether a text tells of an account's limit that was reached.
// resets says that it names a time as well: "limit reached" alone is anything's.
func saysLimit(text string, resets bool) bool {
	p := limitWords()
	if p.spent.MatchString(text) || ofAccount(p.met, text) {
		return true
	}
	over := ofAccount(p.over, text)
	if !over && p.warning.MatchString(text) {
		return false
	}
	return p.named.MatchString(text) || over && resets
}

// ofAccount says whether a form stands in a text with words in its first group
// that do not make it the limit of something else.
func ofAccount(form *regexp.Regexp, text string) bool {
	for _, m := range form.FindAllStringSubmatch(text, -1) {
		if !limitWords().other.MatchString(m[1]) {
			return true
		}
	}
	return false
}
