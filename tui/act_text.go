package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// The drafts of the room's own fields, beside those that panes have.
const (
	draftNew       drafts.Kind = "new"
	draftEdit      drafts.Kind = "edit"
	draftLabels    drafts.Kind = "labels"
	draftBlockers  drafts.Kind = "blockers"
	draftMilestone drafts.Kind = "milestone"
)

// titled splits a text into its first line and the rest.
func titled(text string) (title, body string) {
	title, body, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(title), strings.TrimSpace(body)
}

func hint(lines ...string) func(string) []string { return func(string) []string { return lines } }

// createField is a new issue: its title in the first line, its text below.
func (m *Model) createField() pane.Field {
	milestone := ""
	if len(m.snap.Milestones) > 0 {
		milestone = m.snap.Milestones[0]
	}
	where := "Backlog"
	if milestone != "" {
		where += ", " + widget.Clean(milestone)
	}
	return pane.Field{
		ID: drafts.ID(draftNew, "issue"), Name: "New issue in " + where, Empty: "nothing is made: it needs a title",
		Hints: hint("the first line is its title, the rest its text"),
		Send: func(text string) pane.Reply {
			title, body := titled(text)
			d := &state.IssueDraft{Title: &title, Body: &body}
			if milestone != "" {
				d.Milestone = &milestone
			}
			return pane.Reply{Send: []state.Command{{Kind: state.CommandCreate, Issue: d}}}
		},
	}
}

// editMenu asks what of an issue is to change.
func (m *Model) editMenu(t *target) pane.Menu {
	field := func(f pane.Field) pane.Reply { return pane.Reply{Field: &f} }
	i := &t.row.Issue
	return pane.Menu{Name: "Edit " + t.name, Text: widget.Clean(i.Title), Choices: []pane.Choice{
		{Text: "title and text", Do: field(m.textField(t))},
		{Text: "labels: " + firstOf(widget.Clean(strings.Join(i.Labels, ", ")), "none"), Do: field(m.labelsField(t))},
		{Text: "blockers: " + firstOf(widget.Clean(joinRefs(blockers(i))), "none"), Do: field(m.blockersField(t))},
		{Text: "milestone: " + firstOf(widget.Clean(i.Milestone), "none"), Do: field(m.milestoneField(t))},
	}}
}

// edit is a field that changes one thing about an issue. What stood there when
// its text was begun, maybe in an earlier room, must still stand there when it is
// sent; else its writer is told, once.
func (m *Model) edit(t *target, k drafts.Kind, what, start string, now func(i *board.Issue) string, draft func(i *board.Issue, text string) state.IssueDraft) pane.Field {
	ref, name := t.Ref, t.name
	id := drafts.ID(k, string(ref))
	return pane.Field{
		ID: id, Name: "Edit " + name + ": " + what, Start: start, Over: true,
		Send: func(text string) pane.Reply {
			r := present.RowOf(m.snap, ref)
			switch {
			case r == nil:
				return pane.Reply{Refuse: name + " has gone from the board; your text is kept"}
			case text == strings.TrimSpace(now(&r.Issue)):
				return pane.Not("nothing was changed")
			case text != "" && !m.drafts.Over(id, now(&r.Issue)), text == "" && now(&r.Issue) != start: // nothing is no draft
				m.drafts.Rebase(id, now(&r.Issue))
				return pane.Reply{Refuse: name + " was edited by somebody else meanwhile; look at it again: your text is kept"}
			}
			d := draft(&r.Issue, text)
			return pane.Reply{Send: []state.Command{{Kind: state.CommandEdit, Ref: ref, Issue: &d}}}
		},
	}
}

func (m *Model) textField(t *target) pane.Field {
	text := func(i *board.Issue) string { return i.Title + "\n\n" + i.Body }
	f := m.edit(t, draftEdit, "title and text", text(&t.row.Issue), text, func(i *board.Issue, text string) state.IssueDraft {
		title, body := titled(text)
		d := state.IssueDraft{Was: &state.IssueDraft{}}
		if title != strings.TrimSpace(i.Title) {
			d.Title, d.Was.Title = &title, &i.Title
		}
		if body != strings.TrimSpace(i.Body) {
			d.Body, d.Was.Body = &body, &i.Body
		}
		return d
	})
	f.Empty = "nothing is saved: it needs a title"
	f.Hints = hint("the first line is its title, the rest its text")
	return f
}

// fields splits a list that was typed, at commas.
func fields(text string) []string {
	out := []string{}
	for s := range strings.SplitSeq(text, ",") {
		if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

func (m *Model) labelsField(t *target) pane.Field {
	text := func(i *board.Issue) string { return strings.Join(i.Labels, ", ") }
	f := m.edit(t, draftLabels, "labels", text(&t.row.Issue), text, func(i *board.Issue, text string) state.IssueDraft {
		return state.IssueDraft{Labels: fields(text), Was: &state.IssueDraft{Labels: append([]string{}, i.Labels...)}}
	})
	hints := []string{"all of them, with commas between; an empty line takes all away"}
	if known := m.knownLabels(); len(known) > 0 {
		hints = append(hints, "on this board: "+listed(known, knownCells))
	}
	f.One, f.Hints = true, func(string) []string { return hints }
	return f
}

// knownCells is how much of the labels is told, in cells: two lines of a room of
// 80 columns.
const knownCells = 110

// listed are the first of the words that fit into so many cells, and how many
// more there are.
func listed(words []string, cells int) string {
	for n := len(words); n > 0; n-- {
		text := strings.Join(words[:n], ", ")
		if widget.Width(text) > cells {
			continue
		}
		if more := len(words) - n; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return text
	}
	if len(words) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of them", len(words))
}

// knownLabels are those that some row has, in order.
func (m *Model) knownLabels() []string {
	var out []string
	for i := range m.snap.Rows {
		out = append(out, m.snap.Rows[i].Issue.Labels...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func blockers(i *board.Issue) []board.Ref {
	out := make([]board.Ref, 0, len(i.Blockers))
	for _, b := range i.Blockers {
		out = append(out, b.Ref)
	}
	return out
}

func joinRefs(refs []board.Ref) string {
	words := make([]string, len(refs))
	for i, r := range refs {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

func (m *Model) blockersField(t *target) pane.Field {
	text := func(i *board.Issue) string { return joinRefs(blockers(i)) }
	f := m.edit(t, draftBlockers, "blockers", text(&t.row.Issue), text, func(i *board.Issue, text string) state.IssueDraft {
		refs := []board.Ref{}
		for _, s := range fields(text) {
			refs = append(refs, board.Ref(strings.ToUpper(s)))
		}
		return state.IssueDraft{Blockers: refs, Was: &state.IssueDraft{Blockers: blockers(i)}}
	})
	f.One, f.Hints = true, hint("refs of the issues that must be done first, with commas between")
	return f
}

func (m *Model) milestoneField(t *target) pane.Field {
	text := func(i *board.Issue) string { return i.Milestone }
	f := m.edit(t, draftMilestone, "milestone", text(&t.row.Issue), text, func(i *board.Issue, text string) state.IssueDraft {
		return state.IssueDraft{Milestone: &text, Was: &state.IssueDraft{Milestone: &i.Milestone}}
	})
	f.One, f.Hints = true, hint("an empty line takes it off its milestone")
	return f
}

// copyMenu lists what can be copied, with the texts themselves.
func (m *Model) copyMenu(t *target) pane.Menu {
	text := func(what, s, none string) pane.Choice {
		s = widget.Clean(s)
		if s == "" {
			return pane.Choice{Text: what, Why: none}
		}
		return pane.Choice{Text: what + ": " + s, Do: pane.Reply{Cmd: func() tea.Msg { return copyMsg{text: s} }}}
	}
	branch, path := "", t.Path
	if t.worker != nil {
		branch, path = t.worker.Run.Branch, firstOf(path, t.worker.Run.Worktree)
	}
	if t.pull != nil {
		branch = firstOf(branch, t.pull.PR.Head)
	}
	ref := text("ref", string(t.Ref), "no issue")
	ref.Key = "y"
	return pane.Menu{Name: "Copy", Text: t.title(), Choices: []pane.Choice{
		ref, text("branch", branch, "it has none yet"), m.resumeChoice(t),
		text("link", t.url(), "this board has no pages"), text("path", path, "it has no worktree here"),
	}}
}

// copyMsg brings a text to copy.
type copyMsg struct {
	text string
	err  error
}

// resumeChoice copies the line with which a person resumes the last session.
func (m *Model) resumeChoice(t *target) pane.Choice {
	c := pane.Choice{Text: "resume line"}
	switch {
	case m.opts.Reader == nil:
		c.Why = "nothing can be read here"
		return c
	case t.worker == nil:
		c.Why = "no worker of this loop has run on it"
		return c
	}
	ctx, reader, ref := m.ctx, m.opts.Reader, t.Ref
	c.Do.Cmd = func() tea.Msg {
		ctx, cancel := context.WithTimeout(ctx, sendWithin)
		defer cancel()
		d, err := reader.Detail(ctx, ref)
		return copyMsg{d.Resume, err}
	}
	return c
}

func (m *Model) onCopy(msg copyMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.insist("could not read it: " + widget.Clean(msg.err.Error()))
		return nil
	case msg.text == "":
		m.say(themes.ToneMuted, "there is no session to resume yet")
		return nil
	}
	return m.copyText(widget.Clean(msg.text))
}
