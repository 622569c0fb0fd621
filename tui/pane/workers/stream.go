package workers

import (
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// clockWidth is the room of `14:05:02 ` before a line of the transcript.
const clockWidth = 9

// wrapMax bounds how many screen lines one line of a stream may take, promptMax
// what was said to the worker (its prompt would push out what it does), openMax
// what is unfolded.
const (
	wrapMax   = 60
	promptMax = 3
	openMax   = 2000
)

// laid is a line and everything that the way it is laid out depends on.
type laid struct {
	line   state.Line
	w      int
	clock  bool
	open   bool // unfolded
	chosen bool
	find   string // text to be marked
	note   string // at the right of the first row
}

// renderer lays stream lines out and remembers how.
type renderer struct {
	st      *themes.Styles
	cache   map[laid][]string
	trouble string // why lines cannot be read
}

func newRenderer(st *themes.Styles) *renderer {
	return &renderer{st: st, cache: map[laid][]string{}}
}

// cacheMax bounds the cache; at most a few windows of lines are on the screen.
const cacheMax = 4096

// rows lays one line out.
func (r *renderer) rows(l laid, zone *time.Location) []string {
	if l.w <= 0 {
		return nil
	}
	if rows, ok := r.cache[l]; ok {
		return rows
	}
	if len(r.cache) > cacheMax {
		clear(r.cache)
	}
	rows := r.lay(l, zone)
	r.cache[l] = rows
	return rows
}

// missing stands for a line that is still to be read.
func (r *renderer) missing(n, w int) string {
	text := r.st.Signs.Ellipsis + " reading line " + widget.Thousands(n+1)
	ink := r.st.Muted
	if r.trouble != "" {
		text, ink = r.st.Signs.Failed+" line "+widget.Thousands(n+1)+" cannot be read: "+r.trouble, r.st.Danger
	}
	return widget.Line{}.Add(ink, text).Render(w, false, r.st)
}

func (r *renderer) lay(l laid, zone *time.Location) []string {
	w := l.w
	clock := l.clock && w > 40
	if clock {
		w -= clockWidth
	}
	var body []string
	switch l.line.Kind {
	case state.LineTool, state.LineDenied:
		body = r.tool(l, w)
	case state.LineText, state.LineThinking, state.LineUser, state.LineError, state.LineNotice, state.LineResult:
		body = r.text(l, w)
	default:
		body = r.text(l, w)
	}
	if !clock {
		return body
	}
	stamp, gap := widget.Blank(clockWidth, 1)[0], widget.Blank(clockWidth, 1)[0]
	if !l.line.At.IsZero() {
		ink := r.st.Muted
		if l.chosen {
			ink = r.st.Focus.Reverse()
		}
		stamp = widget.Line{}.Add(ink, l.line.At.In(zone).Format("15:04:05")).Render(clockWidth, false, r.st)
	}
	out := make([]string, len(body))
	for i, b := range body {
		if i == 0 {
			out[i] = stamp + b
			continue
		}
		out[i] = gap + b
	}
	return out
}

// tool is a call on one line: sign, name, what it works on, how long it took;
// unfolded, the whole of it below.
func (r *renderer) tool(l laid, w int) []string {
	line := l.line
	sign, ink := r.st.Signs.Tool, r.st.Alive
	switch {
	case line.Kind == state.LineDenied:
		sign, ink = r.st.Signs.Attention, r.st.Attention
	case line.Failed:
		sign, ink = r.st.Signs.Failed, r.st.Danger
	case line.Done:
		sign, ink = r.st.Signs.Done, r.st.Good
	}
	name := widget.Clean(line.Tool)
	if n := 5 - widget.Width(name); n > 0 {
		name = widget.Fit(name, 5)
	}
	left := widget.Line{}.Add(ink, sign+" ").Add(r.st.Strong, name+" ")
	text := r.st.Text
	if line.Kind == state.LineDenied {
		text = r.st.Attention
	} else if line.Failed {
		text = r.st.Danger
	}
	left = left.Add(text, widget.Clean(line.Text))
	var right widget.Line
	switch {
	case line.Kind == state.LineDenied:
		right = right.Add(r.st.Attention, "refused")
	case line.Took >= time.Second:
		right = right.Add(r.st.Muted, widget.Clock(line.Took))
	}
	out := []string{widget.Sides(left.Mark(l.find, r.st.Accent.Reverse()), right, w, l.chosen, r.st)}
	if l.open {
		out = append(out, r.unfolded(l, w)...)
	}
	return out
}

// unfolded is a call in full: all it was given and what came back.
func (r *renderer) unfolded(l laid, w int) []string {
	text := l.line.Detail
	if text == "" {
		text = l.line.Text
	}
	var out []string
	side := widget.Span{Ink: r.st.Border, Text: r.st.Borders.Thin.Vertical + " "}
	for _, t := range widget.CleanLines(text) {
		for _, part := range widget.Wrap(t, max(w-4, 1)) {
			row := widget.Line{{Text: "  "}, side}.Add(r.st.Text, part).Mark(l.find, r.st.Accent.Reverse())
			out = append(out, row.Render(w, false, r.st))
			if len(out) == openMax {
				return out
			}
		}
	}
	return out
}

// inks are the sign of a text and how it is written.
func (r *renderer) inks(line state.Line) (sign string, signInk, ink themes.Ink) {
	sign, signInk, ink = " ", r.st.Muted, r.st.Text
	switch line.Kind {
	case state.LineError:
		sign, signInk, ink = r.st.Signs.Failed, r.st.Danger, r.st.Danger
	case state.LineResult:
		sign, signInk, ink = r.st.Signs.Done, r.st.Good, r.st.Strong
		if line.Failed {
			sign, signInk, ink = r.st.Signs.Failed, r.st.Danger, r.st.Danger
		}
	case state.LineUser:
		sign, signInk, ink = r.st.Signs.Right, r.st.Accent, r.st.Accent
	case state.LineThinking, state.LineNotice:
		sign, ink = r.st.Signs.Dot, r.st.Muted
	case state.LineText, state.LineTool, state.LineDenied:
	}
	return sign, signInk, ink
}

// text is wrapped and hangs under its sign.
func (r *renderer) text(l laid, w int) []string {
	sign, signInk, ink := r.inks(l.line)
	lines := widget.CleanLines(l.line.Text)
	if len(lines) == 0 {
		lines = []string{""}
	}
	most := wrapMax
	switch {
	case l.open:
		most = openMax
	case l.line.Kind == state.LineUser:
		most = promptMax
	}
	hang := 2
	if w < 12 {
		hang = 0
	}
	var out []string
	for _, t := range lines {
		for _, part := range widget.Wrap(t, w-hang) {
			row := widget.Line{}
			if hang > 0 {
				mark := "  "
				if len(out) == 0 {
					mark = sign + " "
				}
				row = row.Add(signInk, mark)
			}
			row = row.Add(ink, part).Mark(l.find, r.st.Accent.Reverse())
			var right widget.Line
			if len(out) == 0 && l.note != "" {
				right = widget.Line{}.Add(r.st.Muted, l.note)
			}
			out = append(out, widget.Sides(row, right, w, l.chosen, r.st))
			if len(out) == most {
				more := widget.Line{}.Add(r.st.Muted, "  "+r.st.Signs.Ellipsis+" there is more of it; ↵ unfolds")
				return append(out, more.Render(w, false, r.st))
			}
		}
	}
	return out
}

// shown is a line as a person reads it in its run: paths inside the run's own
// worktree are written from there.
func shown(w *state.Worker, line state.Line) state.Line {
	if dir := w.Run.Worktree; len(dir) > 1 {
		line.Text, line.Detail = fromHere(line.Text, dir), fromHere(line.Detail, dir)
	}
	return line
}

func fromHere(text, dir string) string {
	if !strings.Contains(text, dir) {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, dir+"/", ""), dir, ".")
}

// tail lays out the newest lines that fill h screen lines, the newest last.
func (r *renderer) tail(of *state.Worker, w, h int, zone *time.Location) []string {
	lines := of.Tail
	if w <= 0 || h <= 0 {
		return nil
	}
	blocks := make([][]string, 0, h)
	have := 0
	for i := len(lines) - 1; i >= 0 && have < h; i-- {
		rows := r.rows(laid{line: shown(of, lines[i]), w: w}, zone)
		blocks = append(blocks, rows)
		have += len(rows)
	}
	out := make([]string, 0, have)
	for i := len(blocks) - 1; i >= 0; i-- {
		out = append(out, blocks[i]...)
	}
	if len(out) > h {
		out = out[len(out)-h:]
	}
	return widget.Fill(out, w, h)
}
