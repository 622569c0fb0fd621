package issue

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// fact is one labelled line beside the text.
type fact struct {
	label, text string
	tone        themes.Tone
}

// list answers what is known of a row besides its text.
func (m *Model) list(row *state.Row, now time.Time) []fact {
	issue := &row.Issue
	worker, pull := present.WorkerOf(m.snap, row), present.PullOf(m.snap, issue.Ref)
	s := present.Describe(row, worker, pull, now, &m.st.Signs)
	var facts []fact
	if m.wide { // else it stands above the text
		facts = append(facts, fact{"why", s.Sign + " " + s.Text, s.Tone})
	}
	facts = append(facts, fact{"state", widget.Clean(stateLine(issue, now)), themes.TonePlain})
	add := func(label, text string) {
		if text != "" {
			facts = append(facts, fact{label, text, themes.TonePlain})
		}
	}
	add("milestone", widget.Clean(issue.Milestone))
	add("labels", widget.Clean(strings.Join(issue.Labels, ", ")))
	add("blocked by", blockers(issue))
	add("delegate", widget.Clean(string(issue.Delegate)))
	add("assignee", widget.Clean(issue.Assignee))
	add("boxes", Boxes(issue.Body))
	facts = append(facts, m.claimFacts(issue, now)...)
	if worker == nil {
		worker = present.LastWorker(m.snap, issue.Ref)
	}
	facts = append(facts, m.workerFacts(worker, worker != nil && worker.Run.ID == row.Run, now)...)
	facts = append(facts, m.pullFacts(pull, now)...)
	created := widget.Ago(issue.CreatedAt, now)
	if issue.CreatedBy != "" && created != "" {
		created += " by " + widget.Clean(issue.CreatedBy)
	}
	add("created", created)
	if issue.HandEdited {
		add("note", "changed by hand since the last write")
	}
	return facts
}

func stateLine(issue *board.Issue, now time.Time) string {
	s := issue.State
	if s == "" {
		s = issue.Role.DefaultName()
	}
	if since := widget.Since(issue.StateSince, now); since != "" {
		s += ", for " + since
	}
	if issue.StateBy != "" {
		s += ", by the " + string(issue.StateBy)
	}
	return strings.Replace(s, "for now", "just now", 1)
}

func blockers(issue *board.Issue) string {
	var out []string
	for _, b := range issue.Blockers {
		s := widget.Clean(string(b.Ref))
		if !b.Open {
			s += " (closed)"
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

func (m *Model) claimFacts(issue *board.Issue, now time.Time) []fact {
	c := issue.Claim
	if c == nil {
		return nil
	}
	out := []fact{{"claim", present.KindWord(c.Kind) + ", stamped " + widget.Ago(c.Stamp, now), themes.TonePlain}}
	if c.Account != "" {
		out = append(out, fact{"", "under the account " + widget.Clean(c.Account), themes.ToneMuted})
	}
	switch d, _ := m.reads.Get(m.ref); {
	case d.Resume != "":
		out = append(out, fact{"resume", widget.Clean(d.Resume), themes.ToneMuted})
	case c.Session != "":
		out = append(out, fact{"resume", "claude --resume " + widget.Clean(c.Session), themes.ToneMuted})
	}
	return out
}

// workerFacts is the run on the issue, live or the last one. What a live one
// does stands first among the facts already.
func (m *Model) workerFacts(w *state.Worker, live bool, now time.Time) []fact {
	if w == nil {
		return nil
	}
	s := present.WorkerState(w, now, &m.st.Signs)
	out := []fact{{"worker", widget.Clean(string(w.Run.Kind)) + ", try " + fmt.Sprint(max(w.Run.Attempt, 1)), themes.TonePlain}}
	if !live {
		out = append(out, fact{"", s.Sign + " " + s.Text, s.Tone})
	}
	if w.CostUSD > 0 || w.Tokens > 0 {
		out = append(out, fact{"cost", widget.Money(w.CostUSD) + ", " + widget.Tokens(w.Tokens), themes.TonePlain})
	}
	if w.Run.Branch != "" {
		out = append(out, fact{"branch", widget.Clean(w.Run.Branch), themes.TonePlain})
	}
	if w.Run.Worktree != "" {
		out = append(out, fact{"worktree", widget.Clean(filepath.Base(w.Run.Worktree)), themes.TonePlain})
	}
	if w.Run.Failure != "" {
		out = append(out, fact{"failed", widget.Clean(w.Run.Failure), themes.ToneDanger})
	}
	return out
}

func (m *Model) pullFacts(p *state.Pull, now time.Time) []fact {
	if p == nil {
		return nil
	}
	checks, tone := present.ChecksInFull(&p.PR, &m.st.Signs)
	merge, mtone := present.Merge(&p.PR)
	name := widget.Clean(p.PR.Name)
	if p.PR.Draft {
		name += ", draft"
	}
	out := []fact{
		{"pull", name + ", opened " + widget.Ago(p.PR.CreatedAt, now), themes.TonePlain},
		{"checks", checks, tone},
		{"merge", merge, mtone},
	}
	if n := len(p.PR.Reviews); n > 0 {
		verdict, vtone := present.Review(m.snap, p, &m.st.Signs)
		out = append(out, fact{"review", verdict, vtone})
		if says := widget.Clean(firstLine(p.PR.Reviews[n-1].Body)); says != "" {
			out = append(out, fact{"", says, themes.TonePlain})
		}
	}
	return out
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// labelWidth is the room of the longest label and a space.
const labelWidth = 11

// factRows lays the labelled lines out in w cells.
func (m *Model) factRows(row *state.Row, w int, now time.Time) []string {
	var out []string
	for _, f := range m.list(row, now) {
		label := f.label
		for _, l := range widget.Wrap(f.text, max(w-labelWidth, 8)) {
			line := widget.Line{}.Add(m.st.Muted, widget.Fit(label, min(labelWidth, w))).Add(m.st.Tone(f.tone), l)
			out = append(out, line.Render(w, false, m.st))
			label = ""
		}
	}
	return out
}
