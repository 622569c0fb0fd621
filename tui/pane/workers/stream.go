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
// what was said to the worker: its prompt would push out what it does.
const (
	wrapMax   = 60
	promptMax = 3
)

type lineKey struct {
	line  state.Line
	w     int
	clock bool
}

// renderer lays stream lines out and remembers how.
type renderer struct {
	st    *themes.Styles
	cache map[lineKey][]string
}

func newRenderer(st *themes.Styles) *renderer {
	return &renderer{st: st, cache: map[lineKey][]string{}}
}

// cacheMax bounds the cache; at most a few windows of lines are on the screen.
const cacheMax = 4096

// rows lays one line out in w cells, with the time before it if clock is set.
func (r *renderer) rows(line state.Line, w int, clock bool, zone *time.Location) []string {
	if w <= 0 {
		return nil
	}
	k := lineKey{line, w, clock}
	if rows, ok := r.cache[k]; ok {
		return rows
	}
	if len(r.cache) > cacheMax {
		clear(r.cache)
	}
	rows := r.lay(line, w, clock && w > 40, zone)
	r.cache[k] = rows
	return rows
}

func (r *renderer) lay(line state.Line, w int, clock bool, zone *time.Location) []string {
	var head widget.Line
	if clock {
		stamp := "         "
		if !line.At.IsZero() {
			stamp = line.At.In(zone).Format("15:04:05 ")
		}
		head = head.Add(r.st.Muted, stamp)
		w -= clockWidth
	}
	var body []string
	switch line.Kind {
	case state.LineTool, state.LineDenied:
		body = []string{r.tool(line, w)}
	case state.LineText, state.LineThinking, state.LineUser, state.LineError, state.LineNotice, state.LineResult:
		body = r.text(line, w)
	default:
		body = r.text(line, w)
	}
	if !clock {
		return body
	}
	stamp, gap := head.Render(clockWidth, false, r.st), widget.Blank(clockWidth, 1)[0]
	out := make([]string, len(body))
	for i, l := range body {
		if i == 0 {
			out[i] = stamp + l
			continue
		}
		out[i] = gap + l
	}
	return out
}

// tool is a call on one line: sign, name, what it works on, how long it took.
func (r *renderer) tool(line state.Line, w int) string {
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
	return widget.Sides(left, right, w, false, r.st)
}

// text is wrapped and hangs under its sign.
func (r *renderer) text(line state.Line, w int) []string {
	sign, signInk, ink := " ", r.st.Muted, r.st.Text
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
	lines := widget.CleanLines(line.Text)
	if len(lines) == 0 {
		lines = []string{""}
	}
	most := wrapMax
	if line.Kind == state.LineUser {
		most = promptMax
	}
	hang := 2
	if w < 12 {
		hang = 0
	}
	var out []string
	for _, l := range lines {
		for _, part := range widget.Wrap(l, w-hang) {
			row := widget.Line{}
			if hang > 0 {
				mark := "  "
				if len(out) == 0 {
					mark = sign + " "
				}
				row = row.Add(signInk, mark)
			}
			out = append(out, row.Add(ink, part).Render(w, false, r.st))
			if len(out) == most {
				more := widget.Line{}.Add(r.st.Muted, "  "+r.st.Signs.Ellipsis+" more of it is in the transcript on disk")
				return append(out, more.Render(w, false, r.st))
			}
		}
	}
	return out
}

// shown is a line as a person reads it in its run: paths inside the run's own
// worktree are written from there.
func shown(w *state.Worker, line state.Line) state.Line {
	if dir := w.Run.Worktree; len(dir) > 1 && strings.Contains(line.Text, dir) {
		line.Text = strings.ReplaceAll(strings.ReplaceAll(line.Text, dir+"/", ""), dir, ".")
	}
	return line
}

// tail lays out the newest lines that fill h screen lines, the newest last.
func (r *renderer) tail(of *state.Worker, w, h int, clock bool, zone *time.Location) []string {
	lines := of.Tail
	if w <= 0 || h <= 0 {
		return nil
	}
	blocks := make([][]string, 0, h)
	have := 0
	for i := len(lines) - 1; i >= 0 && have < h; i-- {
		rows := r.rows(shown(of, lines[i]), w, clock, zone)
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
