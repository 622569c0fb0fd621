package diff

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/fetch"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Load answers a change.
type Load = fetch.Load[state.DiffQuery, state.Diff]

// seenKey is a file as it was read.
type seenKey struct{ head, path string }

// Model is the page.
type Model struct {
	st     *themes.Styles
	snap   *state.Snapshot
	body   layout.Rect
	list   layout.Rect
	detail layout.Rect
	single bool
	inside bool // the lines have the focus

	ref   board.Ref
	query state.DiffQuery
	reads *fetch.Value[state.DiffQuery, state.Diff]
	now   time.Time // of the last Ask
	fresh bool      // reads the change again: the one that stands is old

	about bool // there is a pull request whose text comes first
	at    int  // selected entry of the list
	top   int
	seen  map[seenKey]bool
	fold  map[string]bool
	sides bool

	text textPlace
	find string
	book *drafts.Book
	open *pane.Open
}

// New answers an empty page.
func New(st *themes.Styles) *Model {
	return &Model{
		st: st, seen: map[seenKey]bool{}, fold: map[string]bool{}, book: drafts.New(nil),
		reads: fetch.New[state.DiffQuery, state.Diff](nil),
	}
}

// SetLoad says where changes are read.
func (m *Model) SetLoad(load Load) { m.reads = fetch.New(load) }

// SetDrafts says where notes are kept that were not sent.
func (m *Model) SetDrafts(b *drafts.Book) { m.book = b }

// SetStyles changes the theme.
func (m *Model) SetStyles(st *themes.Styles) {
	m.st = st
	m.text.layAgain()
}

// SetBody says where the page stands. Its first line is what it is about.
func (m *Model) SetBody(body layout.Rect, shape layout.Shape) {
	defer m.keepLine()()
	m.body = body
	m.single = shape == layout.ShapeSingle
	rest := layout.Rect{X: body.X, Y: body.Y + 1, W: body.W, H: max(body.H-1, 0)}
	m.list, m.detail = layout.SideBySide(rest, shape, 30, 44)
	if m.single {
		m.detail = rest
	}
	m.text.layAgain()
	m.clamp()
}

// SetSnapshot takes a new picture.
func (m *Model) SetSnapshot(s *state.Snapshot) {
	m.snap = s
	m.text.about = nil
}

// keepLine remembers the line under the cursor; the answer goes back to it after
// the text was laid out anew.
func (m *Model) keepLine() func() {
	f := m.file()
	if f == nil || m.text.at >= len(m.text.laid) {
		return func() {}
	}
	was, shift := m.text.laid[m.text.at], m.text.at-m.text.top
	return func() {
		for i, p := range m.rows(f) {
			if p.left == was.left && p.right == was.right || p.left >= 0 && p.left == was.left || p.right >= 0 && p.right == was.right {
				m.text.at, m.text.top = i, max(i-shift, 0)
				return
			}
		}
	}
}

// Open shows the change of a pull request, else of the worktree of an issue; it
// answers why it cannot.
func (m *Model) Open(s pane.Subject) (tea.Cmd, string) {
	q := state.DiffQuery{PR: s.PR, Ref: s.Ref}
	p := present.PullOf(m.snap, s.Ref)
	if q.PR == "" && p != nil {
		q.PR = p.PR.Name
	}
	if q.PR == "" {
		w := present.LastWorker(m.snap, s.Ref)
		switch {
		case s.Ref == "":
			return nil, "nothing is selected whose change could be shown"
		case w == nil || w.Run.Worktree == "":
			return nil, widget.Clean(string(s.Ref)) + " has neither a pull request nor a worktree here"
		}
	}
	m.ref = s.Ref
	if q.PR != "" {
		q.Ref = "" // a change is of one of the two
	}
	if q == m.query && m.reads.State(q).Known {
		m.fresh = true
		return nil, ""
	}
	m.query, m.about = q, q.PR != ""
	m.at, m.top, m.inside, m.text = 0, 0, false, textPlace{}
	if m.about {
		m.at = 1 // the first file; what the pull request says is one step back
	}
	return nil, ""
}

// Ask reads the change.
func (m *Model) Ask(now time.Time) tea.Cmd {
	m.now = now
	if m.query == (state.DiffQuery{}) {
		return nil
	}
	cmd := m.reads.Want(m.query, now)
	if m.fresh {
		m.fresh = false
		if cmd == nil {
			cmd = m.reads.Renew(now)
		}
	}
	return cmd
}

// Take takes a change that was read.
func (m *Model) Take(msg tea.Msg) pane.Reply {
	mine, cmd := m.reads.Take(msg, m.now)
	if !mine {
		return pane.Reply{}
	}
	path := m.path()
	m.text.laid = nil
	m.clamp()
	if path != "" {
		m.pickPath(path)
	}
	r := pane.Done()
	r.Cmd = cmd
	return r
}

// diff is the change as it was read; false before that.
func (m *Model) diff() (state.Diff, bool) { return m.reads.Get(m.query) }

// entries counts the lines of the list: the pull request's text, then files.
func (m *Model) entries() int {
	d, _ := m.diff()
	if m.about {
		return len(d.Files) + 1
	}
	return len(d.Files)
}

// file is the selected file; nil on the pull request's text.
func (m *Model) file() *state.DiffFile {
	d, _ := m.diff()
	at := m.at
	if m.about {
		at--
	}
	if at < 0 || at >= len(d.Files) {
		return nil
	}
	return &d.Files[at]
}

func (m *Model) path() string {
	if f := m.file(); f != nil {
		return f.Path
	}
	return ""
}

// pickPath keeps the file that is read when the change was read again.
func (m *Model) pickPath(path string) {
	d, _ := m.diff()
	for i := range d.Files {
		if d.Files[i].Path == path {
			if m.about {
				i++
			}
			m.at = i
			m.clamp()
			return
		}
	}
}

func (m *Model) pick(at int) {
	at = max(0, min(at, m.entries()-1))
	if at != m.at {
		m.text = textPlace{}
	}
	m.at = at
	m.clamp()
}

func (m *Model) clamp() {
	if _, ok := m.diff(); !ok {
		return
	}
	_, h := widget.Inner(m.list.W, m.list.H)
	win := widget.Window{Sel: m.at, Top: m.top}
	win.Clamp(m.entries(), h)
	m.at, m.top = win.Sel, win.Top
}

// pull is the pull request as the picture has it now; nil for a worktree.
func (m *Model) pull() *state.Pull {
	if m.snap == nil || m.query.PR == "" {
		return nil
	}
	for i := range m.snap.Pulls {
		if m.snap.Pulls[i].PR.Name == m.query.PR {
			return &m.snap.Pulls[i]
		}
	}
	return nil
}

// moved says whether the head has moved since the change was read.
func (m *Model) moved() bool {
	d, ok := m.diff()
	p := m.pull()
	return ok && p != nil && d.Head != "" && p.PR.HeadSHA != "" &&
		!strings.HasPrefix(p.PR.HeadSHA, d.Head) && !strings.HasPrefix(d.Head, p.PR.HeadSHA)
}

// isSeen says whether a file was marked as seen at the head that is read.
func (m *Model) isSeen(f *state.DiffFile) bool {
	d, _ := m.diff()
	return m.seen[seenKey{d.Head, f.Path}]
}
