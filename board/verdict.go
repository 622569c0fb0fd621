package board

import (
	"fmt"
	"strings"
)

// verdictHead is how much of a commit a verdict names, as git itself abbreviates.
const verdictHead = 7

// Verdict is what the last review of a pull request came to.
type Verdict struct {
	// Text is the word and the head that it was given on: `PASS at 9c1f2e0`, `2
	// blocking at 77aa012, older` where the head has moved since; empty without
	// a review, and where its findings were not read.
	Text string
	Pass bool // an agent found nothing blocking
	Old  bool // the head has moved since
}

// How the dispatcher's comment on an issue begins when it routes a reviewer's
// verdict; the head that it was given on follows.
const (
	SaidPass     = "VERDICT: PASS at "
	SaidSentBack = "VERDICT: CHANGES_REQUESTED at "
)

// sentBack says whether the newest verdict that an issue's comments have of a
// commit asked for changes.
func sentBack(i *Issue, commit string) bool {
	if i == nil || commit == "" {
		return false
	}
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := &i.Comments[n]
		if c.Role != ActorDispatcher {
			continue
		}
		rest, back := strings.CutPrefix(c.Body, SaidSentBack)
		if !back {
			var pass bool
			if rest, pass = strings.CutPrefix(c.Body, SaidPass); !pass {
				continue
			}
		}
		head, _, _ := strings.Cut(rest, " ")
		if head = strings.TrimRight(head, ".;"); len(head) >= verdictHead && strings.HasPrefix(commit, head) {
			return back
		}
	}
	return false
}

// Verdict is the last review's (dispatcher-system.md, Reviewer: an agent's review
// without a blocking finding is its PASS; a person's is only what it says). An
// agent may ask for changes without one: a forge keeps no such conclusion, the
// issue's comments do. The issue is nil where it is not known.
func (p *PullRequest) Verdict(i *Issue) Verdict {
	if len(p.Reviews) == 0 {
		return Verdict{}
	}
	r := &p.Reviews[len(p.Reviews)-1]
	blocking := 0
	for _, f := range r.Findings {
		if f.Severity == SeverityBlocking {
			blocking++
		}
	}
	v := Verdict{}
	switch {
	case blocking > 0:
		v.Text = fmt.Sprintf("%d blocking", blocking)
	case r.State == ReviewChangesRequested, r.Bot && sentBack(i, r.Commit):
		v.Text = "changes requested"
	case r.FindingsUnread:
		return v
	case r.Bot:
		v.Text, v.Pass = "PASS", true
	default:
		v.Text = "commented"
	}
	if r.Commit == "" {
		return v
	}
	v.Text += " at " + r.Commit[:min(len(r.Commit), verdictHead)]
	if v.Old = r.Commit != p.HeadSHA; v.Old {
		v.Text += ", older"
	}
	return v
}
