// Package report reads a worker's final message: its status or verdict, and
// the parts that are shown to the owner.
//
// It promises to be strict where a wrong answer would move a row, and never to
// guess: a status or verdict counts only as an exact line of its own in the
// place that the prompts ask for (design.md, section 7, Reports). Quoted text,
// code fences, diffs, other spelling, a signature after the line, or two
// different answers give none, and Why says which of these it was.
//
// It is pure and never fails. It proves nothing about the work: a worker that
// says COMPLETE is verified by the loop. Which head a verdict was given on is
// not in the text; the loop knows it from the run.
package report

import (
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Status is how a developer or a cleaner says its work ended.
type Status string

// The statuses (dispatcher-system.md, Developer, Report).
const (
	StatusNone       Status = ""
	StatusComplete   Status = "COMPLETE"
	StatusIncomplete Status = "INCOMPLETE"
)

// Verdict is what a reviewer concludes.
type Verdict string

// The verdicts (dispatcher-system.md, Reviewer).
const (
	VerdictNone             Verdict = ""
	VerdictPass             Verdict = "PASS"
	VerdictChangesRequested Verdict = "CHANGES_REQUESTED"
	VerdictQuestion         Verdict = "QUESTION"
)

// Report is a final message, parsed. All but Status and Verdict are for people
// to read and are claims of the worker, nothing more.
type Report struct {
	Status  Status  `json:"status,omitempty"`  // developer and cleaner
	Verdict Verdict `json:"verdict,omitempty"` // reviewer
	// PR is the pull request that the message names, by URL or as `#3`;
	// Branch the task branch. Both are untrusted.
	PR     string `json:"pr,omitempty"`
	Branch string `json:"branch,omitempty"`
	// FollowUps are the entries of the "Follow-ups" section, at most
	// maxFollowUps; HowToVerify is the text of the section of that name.
	FollowUps   []string `json:"followUps,omitempty"`
	HowToVerify string   `json:"howToVerify,omitempty"`
	Text        string   `json:"text,omitempty"` // the whole final message
	// Why says why there is no status or verdict; empty when there is one.
	Why string `json:"why,omitempty"`
}

// Parse reads the final message of a worker of the given kind. A reviewer's
// has a verdict on its last non-empty line outside code fences; a developer's
// or cleaner's has a status on its first or last such line.
func Parse(kind board.Kind, final string) Report {
	doc := split(final)
	r := Report{Text: final}
	if kind == board.KindReviewer {
		var word string
		word, r.Why = answer(doc, "VERDICT", verdictWords, placeLast)
		r.Verdict = Verdict(word)
	} else {
		var word string
		word, r.Why = answer(doc, "STATUS", statusWords, placeEither)
		r.Status = Status(word)
	}
	r.PR, r.Branch = mentions(final)
	r.HowToVerify = cut(section(doc, "how to verify"), maxPartRunes)
	r.FollowUps = entries(section(doc, "follow-ups"))
	return r
}

// Agree holds a report to what the worker answered in the form that it was asked
// for, where it was. The text is the contract: the answer adds nothing to it,
// and one that differs takes the verdict away.
func (r Report) Agree(answer string) Report {
	if answer == "" || r.Verdict == VerdictNone || string(r.Verdict) == answer {
		return r
	}
	r.Why = fmt.Sprintf("two different answers: VERDICT: %s in the text, %.40q beside it", r.Verdict, answer)
	r.Verdict = VerdictNone
	return r
}

var (
	statusWords  = []string{string(StatusComplete), string(StatusIncomplete)}
	verdictWords = []string{string(VerdictPass), string(VerdictChangesRequested), string(VerdictQuestion)}
)

// place says where an answer may stand.
type place int

const (
	placeLast   place = iota // the last line
	placeEither              // the first or the last line
)

// answer finds the word after `KEY: ` in its place, or says why there is none.
func answer(doc document, key string, words []string, where place) (word, why string) {
	first, last := doc.ends()
	if last == "" {
		if doc.open {
			return "", "the whole message is a code block"
		}
		return "", "the final message is empty"
	}
	if doc.open {
		return "", "a code block in the message is never closed"
	}
	word = exact(last, key, words)
	if word == "" && where == placeEither {
		word = exact(first, key, words)
	}
	if word == "" {
		return "", missing(doc, key, words, where)
	}
	for _, l := range doc.lines {
		if l.code {
			continue
		}
		if other := spoken(l.text, key, words); other != "" && other != word {
			return "", fmt.Sprintf("two different answers: %s: %s and %s: %s", key, word, key, other)
		}
	}
	return word, ""
}

// exact is the word of a line that reads `KEY: WORD` and nothing else.
func exact(line, key string, words []string) string {
	for _, w := range words {
		if line == key+": "+w {
			return w
		}
	}
	return ""
}

// spoken is the word of a line that a reader would take for an answer although
// it is not exact: in another case, emphasised, or in back-ticks. It never
// decides anything; it only shows that a message contradicts itself. Quoted
// text is somebody else's.
func spoken(line, key string, words []string) string {
	bare := strings.ToUpper(strings.Trim(line, " \t*_`#."))
	rest, ok := strings.CutPrefix(bare, key)
	if !ok {
		return ""
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " *_`"), ":")
	if !ok {
		return ""
	}
	rest = strings.Trim(rest, " \t*_`.")
	for _, w := range words {
		if rest == w {
			return w
		}
	}
	return ""
}

// missing explains why no answer stands in its place.
func missing(doc document, key string, words []string, where place) string {
	want := key + ": " + strings.Join(words, "|")
	spot := "last line"
	if where == placeEither {
		spot = "first or last line"
	}
	inCode, inText := false, ""
	for _, l := range doc.lines {
		switch {
		case l.code && exact(l.text, key, words) != "":
			inCode = true
		case !l.code && exact(l.text, key, words) != "":
			inText = "it stands elsewhere"
		case !l.code && inText == "" && spoken(l.text, key, words) != "":
			inText = "it is there, but not spelled exactly"
		case !l.code && inText == "" && strings.HasPrefix(strings.TrimLeft(l.text, " \t"), ">") && strings.Contains(l.text, key+":"):
			inText = "it is only quoted"
		}
	}
	switch {
	case inText != "":
		return fmt.Sprintf("no %s on the %s: %s", want, spot, inText)
	case inCode:
		return fmt.Sprintf("no %s on the %s: it stands in a code block", want, spot)
	}
	return fmt.Sprintf("no %s on the %s", want, spot)
}
