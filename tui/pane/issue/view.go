package issue

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// sideWidth is the width of the facts beside the text.
func (m *Model) sideWidth() int {
	if !m.wide {
		return 0
	}
	return min(max(m.body.W/3, 40), 64)
}

// headRows are the lines above the boxes.
func (m *Model) headRows() int {
	if m.body.H < 8 {
		return 0
	}
	return 2
}

// room is the size of the scrolling text.
func (m *Model) room() (w, h int) {
	iw, ih := widget.Inner(m.body.W-m.sideWidth(), m.body.H-m.headRows())
	return max(iw-2, 0), max(ih, 1)
}

// sideRoom is the same beside it.
func (m *Model) sideRoom() (w, h int) {
	iw, ih := widget.Inner(m.sideWidth(), m.body.H-m.headRows())
	return max(iw-2, 0), max(ih, 1)
}

// View draws the page.
func (m *Model) View(now time.Time) []string {
	if m.body.W <= 0 || m.body.H <= 0 {
		return nil
	}
	issue := m.issue()
	if issue == nil {
		return m.gone()
	}
	m.now = now
	m.lay(issue, now)
	if m.toWhy && m.reads.State(m.ref).Known {
		m.goToWhy()
	}
	head := m.heading(issue, now)
	side := m.sideWidth()
	h := m.body.H - m.headRows()
	main := m.viewText(issue, m.body.W-side, h)
	if side > 0 {
		main = widget.Beside(main, m.viewSide(side, h))
	}
	return widget.Fill(append(head, main...), m.body.W, m.body.H)
}

func (m *Model) gone() []string {
	iw, _ := widget.Inner(m.body.W, m.body.H)
	text := widget.Clean(string(m.ref)) + " is not on the board any more; esc goes back"
	if m.ref == "" {
		text = "no issue is open; gi goes to one"
	}
	line := widget.Line{}.Add(m.st.Muted, " "+text).Render(iw, false, m.st)
	return widget.Box{Title: "Issue", Focus: true}.Render([]string{line}, m.body.W, m.body.H, m.st)
}

func (m *Model) viewText(issue *board.Issue, w, h int) []string {
	iw, ih := widget.Inner(w, h)
	m.win.Clamp(len(m.text.rows), max(ih, 1))
	box := widget.Box{Title: "Description", Focus: !m.Inside()}
	if m.headRows() == 0 {
		box.Title = widget.Clean(string(issue.Ref) + " " + issue.Title)
	}
	if n := len(m.text.rows); n > ih {
		box.Foot = fmt.Sprintf("%d of %d lines", min(m.win.Top+ih, n), n)
	}
	return box.Render(m.rowsOf(&m.text, &m.win, iw, ih, !m.Inside()), w, h, m.st)
}

func (m *Model) viewSide(w, h int) []string {
	iw, ih := widget.Inner(w, h)
	m.side.Clamp(len(m.facts.rows), max(ih, 1))
	box := widget.Box{Title: "Why", Focus: m.Inside()}
	if n := len(m.facts.rows); n > ih {
		box.Foot = fmt.Sprintf("%d of %d lines", min(m.side.Top+ih, n), n)
	}
	return box.Render(m.rowsOf(&m.facts, &m.side, iw, ih, m.Inside()), w, h, m.st)
}

// rowsOf are the rows of a page on the screen, the one under the cursor marked.
func (m *Model) rowsOf(p *page, win *widget.Window, iw, ih int, focus bool) []string {
	out := make([]string, 0, ih)
	for i := win.Top; i < len(p.rows) && len(out) < ih; i++ {
		if focus && i == win.Sel {
			out = append(out, m.st.Focus.Render(m.st.Signs.Bar)+widget.Pad(p.rows[i], 0, iw-1))
			continue
		}
		out = append(out, widget.Pad(p.rows[i], 1, iw))
	}
	return out
}

// Cursor is where the terminal's cursor belongs.
func (m *Model) Cursor() (x, y int, ok bool) {
	win, left := &m.win, 0
	if m.Inside() {
		win, left = &m.side, m.body.W-m.sideWidth()
	}
	y = m.headRows() + 1 + win.Sel - win.Top
	return left + 1, y, m.issue() != nil && len(m.text.rows) > 0 && m.body.W >= 4 && y < m.body.H-1
}

// heading is what the issue is and where it goes, and how it stands.
func (m *Model) heading(issue *board.Issue, now time.Time) []string {
	if m.headRows() == 0 {
		return nil
	}
	title := widget.Line{{Text: " "}}.Add(m.st.Title, widget.Clean(string(issue.Ref)+" "+issue.Title))
	path := widget.Line{}
	for i, step := range steps(issue) {
		if i > 0 {
			path = path.Add(m.st.Muted, " "+m.st.Signs.Right+" "+step)
			continue
		}
		path = path.Add(m.st.Accent, step)
	}
	parts := []string{}
	add := func(s string) {
		if s != "" {
			parts = append(parts, s)
		}
	}
	line := widget.Line{{Text: " "}}
	w := present.LastWorker(m.snap, m.ref)
	if w != nil {
		s := present.WorkerState(w, now, &m.st.Signs)
		line = line.Add(m.st.Tone(s.Tone), s.Sign+" ")
		add(s.Text)
	}
	add(widget.Clean(issue.Milestone))
	add(widget.Clean(strings.Join(issue.Labels, ", ")))
	if w != nil {
		add("try " + fmt.Sprint(max(w.Run.Attempt, 1)))
		if w.CostUSD > 0 {
			add(widget.Money(w.CostUSD))
		}
	}
	if p := present.PullOf(m.snap, m.ref); p != nil {
		name := "PR " + widget.Clean(p.PR.Name)
		if p.PR.Draft {
			name += " draft"
		}
		add(name)
	}
	if ago := widget.Ago(issue.CreatedAt, now); ago != "" {
		by := ""
		if issue.CreatedBy != "" {
			by = " by " + widget.Clean(issue.CreatedBy)
		}
		add("created " + ago + by)
	}
	line = line.Add(m.st.Muted, strings.Join(parts, " · "))
	return []string{
		widget.Sides(title, path.Add(m.st.Muted, " "), m.body.W, false, m.st), line.Render(m.body.W, false, m.st),
	}
}

// steps is where the issue stands, and the way that is left.
func steps(issue *board.Issue) []string {
	name := issue.State
	if name == "" {
		name = issue.Role.DefaultName()
	}
	at := widget.Clean(name)
	progress, review, done := board.RoleInProgress.DefaultName(), board.RoleHumanReview.DefaultName(), board.RoleDone.DefaultName()
	switch issue.Role {
	case board.RoleBacklog:
		return []string{at, board.RoleReady.DefaultName(), progress, review, done}
	case board.RoleReady, board.RoleChangesRequested:
		return []string{at, progress, review, done}
	case board.RoleQuestion:
		return []string{at, "your answer", progress, review, done}
	case board.RoleInProgress:
		return []string{at, review, done}
	case board.RoleHumanReview:
		return []string{at, done}
	case board.RoleDone, board.RoleNone:
	}
	return []string{at}
}
