package board

import "fmt"

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

// Verdict is the last review's (dispatcher-system.md, Reviewer: an agent's review
// without a blocking finding is its PASS; a person's is only what it says).
func (p *PullRequest) Verdict() Verdict {
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
	case r.State == ReviewChangesRequested:
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
