package questions

import (
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
)

// answer is how a need is answered: by a field, or by a menu. Their texts are
// cleaned where they are drawn.
func (m *Model) answer(n *state.Need) pane.Reply {
	name := string(n.Ref)
	if m.sent[askingOf(n)] != "" {
		return pane.Not("your answer to " + name + " is on its way")
	}
	switch n.Kind {
	case state.NeedRequest:
		r := m.request(n)
		switch {
		case r == nil:
			return pane.Not(name + " does not ask that any more")
		case r.Kind == state.RequestQuestion && len(r.Questions) > 0:
			return m.replyTo(r, nil)
		}
		return m.permission(r)
	case state.NeedInterrupted:
		return menu(name+" stands still", n.Text, 0,
			pane.Choice{Text: "give it its next word", Do: pane.Reply{Act: keymap.Steer}},
			pane.Choice{Text: "stop it and hold the row", Do: pane.Reply{Act: keymap.Stop}},
			pane.Choice{Text: "let it stand"})
	case state.NeedQuestion:
		return m.question(n)
	case state.NeedAttention:
		return m.attention(n)
	case state.NeedReview:
		return m.review(n)
	case state.NeedConfirm:
		return m.confirm(n)
	case state.NeedStale:
		return menu(name+" "+n.Title, firstLine(n.Text), 0,
			pane.Choice{Text: "release the claim: the row is free again", Do: pane.Reply{Act: keymap.Release}},
			pane.Choice{Text: "leave it"})
	}
	return pane.Not(name + " cannot be answered here")
}

func menu(name, text string, sel int, choices ...pane.Choice) pane.Reply {
	r := pane.Done()
	r.Menu = &pane.Menu{Name: name, Text: text, Choices: choices, Sel: sel}
	return r
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

func send(cs ...state.Command) pane.Reply { return pane.Reply{Handled: true, Send: cs} }

func field(f pane.Field) pane.Reply {
	r := pane.Done()
	r.Field = &f
	return r
}

// withdrawn says when a request can be answered no more.
func withdrawn(ask *state.Request) func(*state.Snapshot) string {
	req, ref := ask.ID, string(ask.Ref)
	return func(s *state.Snapshot) string {
		if present.Request(s, req) == nil {
			return ref + " does not ask that any more: it was answered elsewhere, or its time is over"
		}
		return ""
	}
}

// permission asks whether a worker may use a tool. Nothing is chosen
// beforehand.
func (m *Model) permission(r *state.Request) pane.Reply {
	name := string(r.Ref)
	command := func(k state.CommandKind, always bool) pane.Reply {
		return send(state.Command{Kind: k, Ref: r.Ref, Run: r.Run, Request: r.ID, Always: always})
	}
	deny := pane.Field{
		ID: drafts.ID(drafts.Deny, r.ID), Name: "Deny " + r.Tool + " to " + name + ": say why", Empty: "say why in a word or two; esc leaves it unanswered",
		Hints: func(string) []string { return []string{"it reads this and goes on without the tool"} },
		Send: func(text string) pane.Reply {
			return send(state.Command{Kind: state.CommandDeny, Ref: r.Ref, Run: r.Run, Request: r.ID, Text: text})
		},
		Gone: keepText(withdrawn(r)),
	}
	like := "the like"
	if len(r.Like) > 0 {
		like = strings.Join(r.Like, ", ")
	}
	out := menu(name+" asks: "+r.Tool, firstOf(r.Summary, r.Input), -1,
		pane.Choice{Text: "allow once", Do: command(state.CommandAllow, false)},
		pane.Choice{Text: "allow in this run: this and " + like, Do: command(state.CommandAllow, true)},
		pane.Choice{Text: "deny, and say why", Do: field(deny)})
	out.Menu.Gone = withdrawn(r)
	return out
}

// keepText adds to why a field closes that its text stays.
func keepText(gone func(*state.Snapshot) string) func(*state.Snapshot) string {
	return func(s *state.Snapshot) string {
		if why := gone(s); why != "" {
			return why + "; your text is kept"
		}
		return ""
	}
}

// replyTo asks for the answers to a worker's questions, one after the other.
func (m *Model) replyTo(r *state.Request, given []string) pane.Reply {
	q := r.Questions[len(given)]
	name := string(r.Ref)
	title := "Your answer to " + name
	if len(r.Questions) > 1 {
		title += ": " + strconv.Itoa(len(given)+1) + " of " + strconv.Itoa(len(r.Questions)) + ", " + firstOf(q.Header, "the next")
	}
	return field(pane.Field{
		ID: drafts.ID(drafts.Reply, r.ID), Name: title, Empty: "an empty answer is not sent; esc leaves the field",
		Hints: func(text string) []string {
			out := []string{"its worker waits for this and goes on"}
			if full := Labels(&q, text); full != strings.TrimSpace(text) {
				out = append([]string{"sent in full: " + full}, out...)
			}
			return out
		},
		Send: func(text string) pane.Reply {
			answers := slices.Concat(given, []string{Labels(&q, text)})
			if len(answers) < len(r.Questions) {
				return m.replyTo(r, answers)
			}
			return send(state.Command{Kind: state.CommandReply, Ref: r.Ref, Run: r.Run, Request: r.ID, Answers: answers})
		},
		Gone: keepText(withdrawn(r)),
	})
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// question asks for the answer to a question on the board.
func (m *Model) question(n *state.Need) pane.Reply {
	ref, text, name := n.Ref, n.Text, string(n.Ref)
	to := "then Ready; a developer takes it"
	if p := present.PullOf(m.snap, ref); p != nil {
		to = "then Changes Requested (PR " + p.PR.Name + " exists); a developer takes it"
	}
	want := askingOf(n)
	return field(pane.Field{
		ID: drafts.ID(drafts.Answer, string(ref)), Name: "Your answer", Empty: "an empty answer is not sent; esc leaves the field",
		Hints: func(answer string) []string {
			out := []string{"posts as you, " + to}
			if full := InFull(text, strings.TrimSpace(answer)); full != strings.TrimSpace(answer) {
				out = append([]string{"sent in full: " + firstLine(full)}, out...)
			}
			return out
		},
		Send: func(answer string) pane.Reply {
			m.sent[want] = onItsWay
			if m.sel == want.id {
				m.step()
			}
			return send(state.Command{Kind: state.CommandAnswer, Ref: ref, Text: InFull(text, strings.TrimSpace(answer))})
		},
		Gone: func(s *state.Snapshot) string {
			for i := range s.Needs {
				if s.Needs[i].Kind == state.NeedQuestion && s.Needs[i].Ref == ref {
					return ""
				}
			}
			return name + " was answered elsewhere; your text is kept"
		},
	})
}

// attention asks what to do about a run that gave up, or a row that is held.
func (m *Model) attention(n *state.Need) pane.Reply {
	ref, name := n.Ref, string(n.Ref)
	command := func(k state.CommandKind) pane.Reply { return send(state.Command{Kind: k, Ref: ref}) }
	title := name + " " + n.Title
	if row := present.RowOf(m.snap, ref); row != nil && row.Hold == "held" {
		return menu(title, firstLine(n.Text), 0,
			pane.Choice{Text: "clear the hold: it goes on", Do: command(state.CommandUnhold)}, pane.Choice{Text: "leave it held"})
	}
	note := pane.Field{
		ID: drafts.ID(drafts.Retry, string(ref)), Name: "A note for the next try on " + name, Empty: "an empty note is not sent; esc leaves the field",
		Hints: func(string) []string {
			return []string{"posts as you; the next try reads it"}
		},
		Send: func(text string) pane.Reply {
			return send(state.Command{Kind: state.CommandRetry, Ref: ref, Text: text})
		},
	}
	return menu(title, firstLine(n.Text), 0,
		pane.Choice{Text: "try again", Do: command(state.CommandRetry)},
		pane.Choice{Text: "try again, with a note", Do: field(note)},
		pane.Choice{Text: "hold it for me", Do: command(state.CommandHold)})
}

// review asks what to do about a pull request.
func (m *Model) review(n *state.Need) pane.Reply {
	pr := n.PR
	if pr == "" {
		return menu(string(n.Ref)+" "+n.Title, "It waits for your review and has no open pull request.", 0,
			pane.Choice{Text: "read the issue", Do: pane.Reply{Act: keymap.Issue}}, pane.Choice{Text: "move it", Do: pane.Reply{Act: keymap.Move}})
	}
	return menu("Review "+pr, string(n.Ref)+" "+n.Title, 0,
		pane.Choice{Text: "read the change", Do: pane.Reply{Act: keymap.Diff}},
		pane.Choice{Text: "request changes", Do: pane.Reply{Act: keymap.Request}},
		pane.Choice{Text: "merge it", Do: pane.Reply{Act: keymap.Merge}})
}

// confirm lets a row go that waits for the owner's word.
func (m *Model) confirm(n *state.Need) pane.Reply {
	title := string(n.Ref) + " " + n.Title
	row := present.RowOf(m.snap, n.Ref)
	if row == nil {
		return pane.Not(string(n.Ref) + " is not on this board")
	}
	for _, l := range row.Issue.Labels {
		if strings.Contains(row.Waits, strconv.Quote(l)) {
			return menu(title, firstLine(n.Text), 0,
				pane.Choice{Text: "let it go: takes the label " + l + " away", Do: send(state.Command{Kind: state.CommandLabel, Ref: n.Ref, Text: l, Off: true})},
				pane.Choice{Text: "leave it"})
		}
	}
	return menu(title, firstLine(n.Text), 0, pane.Choice{Text: "change its labels", Do: pane.Reply{Act: keymap.Edit}}, pane.Choice{Text: "leave it"})
}
