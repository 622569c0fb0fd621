package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// ended says when a question about a run no longer holds.
func ended(t *target) func(*state.Snapshot) string {
	run, what := t.worker.Run.ID, t.what()
	return func(s *state.Snapshot) string {
		if w := present.WorkerByRun(s, run); w == nil || !w.Run.Alive() || w.Outcome != "" {
			return what + " has ended meanwhile"
		}
		return ""
	}
}

// actWorker asks before something happens to a worker.
func (m *Model) actWorker(a keymap.Action, t *target) tea.Cmd {
	run := t.worker.Run.ID
	q := pane.Menu{Name: t.name}
	command := func(k state.CommandKind) pane.Reply {
		return pane.Reply{Send: []state.Command{{Kind: k, Run: run, Ref: t.worker.Run.Ref}}}
	}
	//nolint:exhaustive // these are all that get here
	switch a {
	case keymap.Stop:
		q.Gone = ended(t)
		q.Do = pane.Reply{Send: []state.Command{{Kind: state.CommandStop, Ref: t.worker.Run.Ref, Text: "stopped in the control room"}}}
		q.Sure = &pane.Sure{Text: "Stop " + t.what() + " and hold the row? " +
			"Its branch and its commits stay; what is not committed stays in the worktree."}
	case keymap.TakeOver:
		if t.worker.TakenOver {
			q.Do = command(state.CommandHandBack)
			q.Sure = &pane.Sure{Text: "Hand " + t.name + " back to the loop? End your own session first: a session has one writer."}
			break
		}
		q.Do = m.openSession(t, command(state.CommandTakeOver))
		q.Sure = &pane.Sure{Text: "Interrupt " + t.what() + " and go on in its session yourself? The loop keeps the claim and waits until you hand it back."}
		q.Gone = ended(t)
	}
	m.ask(q)
	return nil
}

// actPull asks before something happens to a pull request.
func (m *Model) actPull(a keymap.Action, t *target) tea.Cmd {
	p := &t.pull.PR
	name, ref := widget.Clean(p.Name), t.pull.Ref
	//nolint:exhaustive // these are all that get here
	switch a {
	case keymap.Request:
		return m.openField(requestField(t))
	case keymap.Update:
		m.ask(pane.Menu{
			Name: name, Do: pane.Reply{Send: []state.Command{{Kind: state.CommandUpdatePR, Ref: ref, PR: p.Name}}}, Gone: moved(t),
			Sure: &pane.Sure{Text: fmt.Sprintf("Bring %s up to date? It is %s behind its base; the merge is made on its branch.", name, widget.Count(p.Behind, "commit", "commits"))},
		})
	case keymap.Merge:
		if url := t.url(); p.URL != "" && url != "" {
			return m.browse(widget.Clean(p.URL))
		}
		m.ask(m.mergeMenu(t))
	}
	return nil
}

// moved says when a question about a pull request no longer holds.
func moved(t *target) func(*state.Snapshot) string {
	name, head := t.pull.PR.Name, t.pull.PR.HeadSHA
	return func(s *state.Snapshot) string {
		for i := range s.Pulls {
			if p := &s.Pulls[i].PR; p.Name == name {
				if p.HeadSHA != head {
					return widget.Clean(name) + " has moved meanwhile; d shows what is new"
				}
				return ""
			}
		}
		return widget.Clean(name) + " is not open any more"
	}
}

// mergeMenu asks before a merge; one on checks that are not green wants the
// pull request's name typed.
func (m *Model) mergeMenu(t *target) pane.Menu {
	p := &t.pull.PR
	name := widget.Clean(p.Name)
	c := state.Command{Kind: state.CommandMerge, Ref: t.pull.Ref, PR: p.Name, Head: firstOf(t.Head, p.HeadSHA)}
	q := pane.Menu{Name: "Merge " + name, Gone: moved(t)}
	checks, _ := present.ChecksInFull(p, &m.styles.Signs)
	about := widget.Clean(p.Title) + " · checks " + checks
	if v := present.Verdict(m.snap, t.pull); v.Text != "" {
		about += " · " + widget.Clean(v.Text)
	}
	if p.Behind > 0 {
		about += " · " + widget.Count(p.Behind, "commit", "commits") + " behind"
	}
	if p.Checks == board.ChecksRed || p.Checks == board.ChecksPending || p.Checks == board.ChecksUnknown {
		c.Force = true
		q.Sure = &pane.Sure{Text: "Merge " + name + " although its checks are not green? " + about + ". Type " + name + " to do it.", Word: name}
	} else {
		q.Sure = &pane.Sure{Text: "Merge " + name + "? " + about + ". The issue is done then; the branch stays."}
	}
	q.Do = pane.Reply{Send: []state.Command{c}}
	return q
}

// requestField is the draft of a review that sends the pull request back.
func requestField(t *target) pane.Field {
	p, ref := t.pull.PR, t.pull.Ref
	head := firstOf(t.Head, p.HeadSHA)
	start := ""
	if t.At != "" {
		start = t.At + ": "
	}
	return pane.Field{
		ID: drafts.ID(drafts.Request, p.Name), Name: "Request changes on " + widget.Clean(p.Name), Start: start, Adds: true,
		Empty: "nothing is sent: say what is to change",
		Hints: func(string) []string {
			return []string{"posts as you, then Changes Requested; a developer takes it"}
		},
		Send: func(text string) pane.Reply {
			around, notes := present.Notes(text)
			switch {
			case around == "" && len(notes) == 0:
				return pane.Reply{Refuse: "nothing was sent: the note says nothing yet; your text is kept"}
			case around == "":
				around = widget.Count(len(notes), "note", "notes") + " at the lines"
			}
			return pane.Reply{Send: []state.Command{{Kind: state.CommandRequest, Ref: ref, PR: p.Name, Head: head, Text: around, Findings: notes}}}
		},
		Gone: func(s *state.Snapshot) string {
			for i := range s.Pulls {
				if s.Pulls[i].PR.Name == p.Name {
					return ""
				}
			}
			return widget.Clean(p.Name) + " is not open any more; your text is kept"
		},
	}
}
