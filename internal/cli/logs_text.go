package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/workers"
)

// logPrinter writes the lines of a run for a person, or for a program.
type logPrinter struct {
	out    io.Writer
	asJSON bool
	color  bool
	open   []int // numbers of the tool calls printed before they had ended
}

func newLogPrinter(f *app.Factory, asJSON bool) *logPrinter {
	return &logPrinter{out: f.IO.Out, asJSON: asJSON, color: f.IO.Color}
}

// logLine is a line of `logs --json`. A tool call that was printed before it had
// ended is printed again when it has, with the same n.
type logLine struct {
	N      int              `json:"n"`
	At     time.Time        `json:"at,omitzero"`
	Kind   workers.LineKind `json:"kind"`
	Sub    bool             `json:"sub,omitempty"`
	Tool   string           `json:"tool,omitempty"`
	Text   string           `json:"text"`
	Done   bool             `json:"done,omitempty"`
	Failed bool             `json:"failed,omitempty"`
	TookMS int64            `json:"tookMs,omitempty"`
}

// The colours of a terminal's own palette.
const (
	sgrDim    = "2"
	sgrRed    = "31"
	sgrYellow = "33"
	sgrCyan   = "36"
)

func (p *logPrinter) paint(sgr, s string) string {
	if !p.color || sgr == "" || s == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

func (p *logPrinter) head(r app.RunInfo) error {
	return p.print(p.paint(sgrDim, shown(fmt.Sprintf("%s · %s, try %d · %s", r.Ref, r.Kind, r.Try, r.Run))))
}

func (p *logPrinter) foot(s string) error { return p.print(p.paint(sgrDim, shown(s))) }

func (p *logPrinter) print(s string) error {
	_, err := fmt.Fprintln(p.out, s)
	return err
}

func (p *logPrinter) line(n int, l *workers.Line) error {
	if l.Kind == workers.LineTool && !l.Done {
		p.open = append(p.open, n)
	}
	if p.asJSON {
		return p.json(n, l)
	}
	mark, sgr := markOf(l)
	const margin = "          " // of a time and the gap behind it
	at := margin
	if !l.At.IsZero() {
		at = l.At.UTC().Format(time.TimeOnly) + "  "
	}
	if l.Sub {
		mark = "  " + mark
	}
	text := strings.TrimSpace(l.Tool + "  " + l.Text)
	first, rest, more := strings.Cut(text, "\n")
	var s strings.Builder
	s.WriteString(p.paint(sgrDim, at) + p.paint(sgr, mark+" "+first+endOf(l)))
	if more {
		for next := range strings.SplitSeq(rest, "\n") {
			s.WriteString("\n" + margin + p.paint(sgr, strings.Repeat(" ", len([]rune(mark))+1)+next))
		}
	}
	return p.print(s.String())
}

// ended prints the end of a tool call whose begin stands above, where that is
// worth a line.
func (p *logPrinter) ended(n int, l *workers.Line) error {
	i := slices.Index(p.open, n)
	if i < 0 || !l.Done {
		return nil
	}
	p.open = slices.Delete(p.open, i, i+1)
	const long = 2 * time.Second
	switch {
	case p.asJSON:
		return p.json(n, l)
	case !l.Failed && l.Took < long:
		return nil
	}
	_, sgr := markOf(l)
	return p.print("          " + p.paint(sgr, "└ "+strings.TrimSpace(l.Tool+"  "+workers.FirstLine(l.Text))+endOf(l)))
}

// openSince is the first tool call from line n on whose end is still to come;
// those before are given up. -1 if there is none.
func (p *logPrinter) openSince(n int) int {
	p.open = slices.DeleteFunc(p.open, func(o int) bool { return o < n })
	if len(p.open) == 0 {
		return -1
	}
	return p.open[0]
}

func (p *logPrinter) json(n int, l *workers.Line) error {
	enc := json.NewEncoder(p.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(logLine{
		N: n, At: l.At, Kind: l.Kind, Sub: l.Sub, Tool: l.Tool, Text: l.Text, Done: l.Done, Failed: l.Failed, TookMS: l.Took.Milliseconds(),
	})
}

// endOf says how a tool call ended.
func endOf(l *workers.Line) string {
	switch {
	case l.Kind == workers.LineDenied:
		return " · denied"
	case l.Kind != workers.LineTool || !l.Done:
		return ""
	case l.Failed:
		return " · failed after " + l.Took.Round(time.Millisecond).String()
	case l.Took >= time.Second:
		return " · " + l.Took.Round(time.Second).String()
	}
	return ""
}

// markOf is the sign before a line, and its colour.
func markOf(l *workers.Line) (mark, sgr string) {
	switch l.Kind {
	case workers.LineText:
		return "●", ""
	case workers.LineThinking:
		return "…", sgrDim
	case workers.LineTool:
		if l.Failed {
			return "✗", sgrRed
		}
		return "▸", sgrCyan
	case workers.LineDenied:
		return "✗", sgrYellow
	case workers.LineUser:
		return "›", sgrYellow
	case workers.LineError:
		return "!", sgrRed
	case workers.LineNotice:
		return "·", sgrDim
	case workers.LineResult:
		if l.Failed {
			return "■", sgrRed
		}
		return "■", sgrDim
	}
	return "·", ""
}
