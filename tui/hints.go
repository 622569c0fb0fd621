package tui

import (
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// tip is one key on the last line.
type tip struct {
	key, word string
	action    keymap.Action // what a click does; empty for nothing
}

// hintLine lists what the keys can do now, the most useful first, and notes
// where each stands for the mouse.
func (m *Model) hintLine() string {
	st := m.styles
	line := widget.Line{{Text: " "}}
	tips, always := m.tips()
	width := func(t tip) int { return widget.Width(t.key) + widget.Width(t.word) + 3 }
	room, x := m.w-1, 1
	for _, t := range always {
		room -= width(t)
	}
	add := func(t tip) {
		line = line.Add(st.Key, t.key).Add(st.Muted, " "+t.word+"  ")
		if t.action != "" {
			m.spots = append(m.spots, spot{m.frame.Keys.Y, x, x + width(t) - 2, t.action})
		}
		x += width(t)
	}
	for _, t := range tips {
		if n := width(t); n <= room {
			room -= n
			add(t)
		}
	}
	for _, t := range always {
		add(t)
	}
	views := widget.Line{}.Add(st.Key, "1-5").Add(st.Muted, " views ")
	if m.mode != modeBrowse || room < views.Width()+1 {
		views = nil
	}
	return widget.Sides(line, views, m.w, false, st)
}

func (m *Model) tip(a keymap.Action, word string) tip {
	e := m.keys.Entry(a)
	k := m.keys.Key(a)
	if a == keymap.NextPiece {
		k = m.keys.Key(keymap.PrevPiece) + " " + k
	}
	return tip{k, firstOf(word, e.Short), a}
}

// modeTips are keys of a mode, which a click does not press.
func (m *Model) modeTips(mode keymap.Mode, actions ...keymap.Action) []tip {
	var out []tip
	for _, e := range m.keys.Entries() {
		if e.Mode == mode && slices.Contains(actions, e.Action) && len(e.Keys) > 0 {
			out = append(out, tip{keymap.Shown(e.Keys[0]), e.Short, ""})
		}
	}
	return out
}

// tips are the keys of this moment as far as there is room, and those that are
// always there.
func (m *Model) tips() (some, always []tip) {
	if m.mode != modeBrowse {
		return m.tipsOfMode(), nil
	}
	for _, a := range m.offered() {
		some = append(some, m.tip(a, m.word(a)))
	}
	return some, []tip{m.tip(keymap.Palette, ""), m.tip(keymap.Help, "")}
}

func (m *Model) tipsOfMode() []tip {
	switch m.mode {
	case modeAnswer:
		if m.field != nil && m.field.One {
			return m.modeTips(keymap.Typing, keymap.Send, keymap.Keep)
		}
		return m.modeTips(keymap.Typing, keymap.Send, keymap.NewLine, keymap.Editor, keymap.Keep)
	case modeFind:
		return []tip{{"↵", "keep", ""}, {"↓", "next", ""}, {"role: label: milestone: waiting: worker:", "narrow it", ""}, {"esc", "show all", ""}}
	case modeGoto:
		return []tip{{"esc", "back", ""}}
	case modePalette:
		return []tip{{"↵", "do", ""}, {"↑ ↓", "choose", ""}, {"esc", "back", ""}}
	case modeMenu:
		switch {
		case m.menu.word != nil:
			return []tip{{"↵", "do it, once the word stands there", ""}, {"esc", "back", ""}}
		case m.menu.sure != nil:
			return []tip{{"y", "yes", ""}, {"n", "no", ""}}
		}
		return m.modeTips(keymap.Choosing, keymap.Choose, keymap.MenuUp, keymap.MenuDown, keymap.Cancel)
	case modeHelp:
		return []tip{{"/", "find", ""}, {"↑ ↓", "scroll", ""}, {"esc", "back", ""}}
	case modeBrowse:
	}
	return nil
}

// word is a shorter or truer word for an action where the room knows one.
func (m *Model) word(a keymap.Action) string {
	switch {
	case a == keymap.Pause && m.snap != nil && m.snap.Mode == state.ModePaused:
		return "resume"
	case a == keymap.Back && m.finds[m.view] != "":
		return "show all"
	case a == keymap.NextPiece:
		return map[view]string{viewIssue: "comment", viewWorkers: "tool call", viewDiff: "file", viewLog: "firing"}[m.view]
	case a == keymap.Layout:
		return map[view]string{viewWorkers: "grid", viewDiff: "side by side"}[m.view]
	case a == keymap.Mark:
		return map[view]string{viewIssue: "tick", viewDiff: "seen"}[m.view]
	}
	return ""
}

// subjectActions can be done to what is selected, the most useful first.
var subjectActions = []keymap.Action{
	keymap.Answer, keymap.Transcript, keymap.Diff, keymap.Steer, keymap.Stop, keymap.Merge, keymap.Request, keymap.Move, keymap.Why,
}

// paneActions stands for what the keys can do in the view itself.
const paneActions = keymap.Action("pane")

// workerActions come first where workers are watched.
var workerActions = []keymap.Action{keymap.Answer, keymap.Steer, keymap.Interrupt, keymap.Stop, keymap.TakeOver, paneActions}

// offered are the actions worth a place on the last line, for what is selected
// in this view.
func (m *Model) offered() []keymap.Action {
	if m.snap == nil {
		return []keymap.Action{keymap.Leave}
	}
	var out []keymap.Action
	add := func(a keymap.Action) {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if m.view != viewIssue && m.opens() {
		add(keymap.Open)
	}
	acts := subjectActions
	switch m.view {
	case viewDiff, viewPulls: // there one reads; what is done to the row comes after that
		m.offerPane(add)
	case viewWorkers:
		acts = slices.Concat(workerActions, acts)
	default:
	}
	for _, a := range acts {
		if a == paneActions {
			m.offerPane(add)
			continue
		}
		shown := (a == keymap.Transcript && m.view == viewWorkers) || (a == keymap.Diff && m.view == viewDiff) || (a == keymap.Why && m.view == viewIssue)
		if !shown && m.reason(a) == "" && m.timely(a) {
			add(a)
		}
	}
	if m.view == viewBoard && m.finds[viewBoard] != "" {
		add(keymap.Back)
	}
	m.offerPane(add)
	if _, ok := m.pane().(finder); ok {
		add(keymap.Find)
	}
	if m.view != viewBoard {
		add(keymap.Back)
	}
	add(keymap.Pause)
	add(keymap.Leave)
	return out
}

// offerPane offers what the keys can do in the view itself.
func (m *Model) offerPane(add func(keymap.Action)) {
	for _, a := range m.pane().Actions() {
		if m.reason(a) == "" && (a != keymap.Mark || m.opens()) {
			add(a)
		}
	}
}

// opens says whether there is something below the cursor to be opened.
func (m *Model) opens() bool {
	switch m.view {
	case viewLog, viewMoney:
		return true
	default:
		s := m.subject()
		return s.Ref != "" || s.PR != "" || s.Run != ""
	}
}

// timely says whether an action that can be done is also what one would do
// now: a pull request that is still worked on is neither merged nor sent back.
func (m *Model) timely(a keymap.Action) bool {
	if a != keymap.Merge && a != keymap.Request {
		return true
	}
	t := m.target()
	return t.row != nil && t.row.Issue.Role == board.RoleHumanReview
}
