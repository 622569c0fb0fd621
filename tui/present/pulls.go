package present

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Verdict is the last review's, with what its issue says of it.
func Verdict(s *state.Snapshot, p *state.Pull) board.Verdict {
	row := RowOf(s, p.Ref)
	if row == nil {
		return p.PR.Verdict(nil)
	}
	return p.PR.Verdict(&row.Issue)
}

// Review is the last review's verdict, and the head it was given on.
func Review(s *state.Snapshot, p *state.Pull, signs *themes.Signs) (string, themes.Tone) {
	v := Verdict(s, p)
	switch {
	case v.Text == "":
		return signs.No, themes.ToneMuted
	case v.Pass && !v.Old:
		return widget.Clean(v.Text), themes.ToneGood
	}
	return widget.Clean(v.Text), themes.ToneWarn
}

// Behind is how far a pull request is behind its base: `…` as long as nobody
// knows.
func Behind(p *board.PullRequest, signs *themes.Signs) (string, themes.Tone) {
	switch {
	case p.Behind > 0:
		return fmt.Sprint(p.Behind), themes.ToneWarn
	case p.State == board.PullOpen && p.BaseSHA == "": // where the base stands could not be read
		return signs.Ellipsis, themes.ToneMuted
	}
	return "0", themes.ToneMuted
}

// CheckLines lists the checks of a pull request, each with how it ended and,
// where it is red, with the end of its output; where they may not be read, why.
func CheckLines(p *board.PullRequest, w int, st *themes.Styles) []string {
	unknown := p.Checks == board.ChecksUnknown && p.ChecksWhy != ""
	if len(p.CheckRuns) == 0 && !unknown {
		return nil
	}
	word, tone := Checks(p, &st.Signs)
	out := []string{"", widget.Divider("Checks "+word, w, st)}
	if unknown {
		for _, l := range widget.Wrap(widget.Clean(p.ChecksWhy), max(w, 1)) {
			out = append(out, widget.Line{}.Add(st.Tone(tone), l).Render(w, false, st))
		}
	}
	for _, c := range p.CheckRuns {
		sign, ink := st.Signs.No, st.Muted
		switch c.State {
		case board.ChecksGreen:
			sign, ink = st.Signs.Done, st.Good
		case board.ChecksRed:
			sign, ink = st.Signs.Failed, st.Danger
		case board.ChecksPending:
			sign, ink = st.Signs.Starting, st.Warn
		case board.ChecksNone, board.ChecksUnknown:
		}
		took := ""
		if !c.Finished.IsZero() && !c.Started.IsZero() {
			took = widget.Took(c.Finished.Sub(c.Started).Round(time.Millisecond))
		}
		out = append(out, widget.Sides(widget.Line{}.Add(ink, sign+" ").Add(st.Text, widget.Clean(c.Name)), widget.Line{}.Add(st.Muted, took), w, false, st))
		if c.State != board.ChecksRed {
			continue
		}
		for _, t := range widget.CleanLines(c.Summary) {
			for _, l := range widget.Wrap(t, max(w-2, 1)) {
				out = append(out, widget.Line{}.Add(st.Tone(tone), "  "+l).Render(w, false, st))
			}
		}
	}
	return out
}

// Notes splits the draft of a review into its notes, lines that begin with a
// place (`auth/login.go:41: too early`), and the text around them. A line
// without a place after a note goes on with it.
func Notes(draft string) (text string, notes []board.Finding) {
	var around []string
	for l := range strings.SplitSeq(strings.TrimSpace(draft), "\n") {
		path, line, body, ok := splitNote(l)
		switch {
		case ok:
			notes = append(notes, board.Finding{Path: path, Line: line, Severity: board.SeverityBlocking, Body: body})
		case len(notes) > 0 && strings.TrimSpace(l) != "":
			n := &notes[len(notes)-1]
			n.Body = strings.TrimSpace(n.Body + "\n" + l)
		case len(notes) == 0:
			around = append(around, l)
		}
	}
	kept := notes[:0]
	for _, n := range notes {
		if n.Body != "" {
			kept = append(kept, n)
		}
	}
	return strings.TrimSpace(strings.Join(around, "\n")), kept
}

// splitNote takes the place off a note. A place has a line, or a path with a
// slash or a dot: `no: not so` is a sentence.
func splitNote(l string) (path string, line int, body string, ok bool) {
	head, rest, found := strings.Cut(l, ":")
	if !found || head == "" || strings.ContainsAny(head, " \t") {
		return "", 0, "", false
	}
	number, after, _ := strings.Cut(rest, ":")
	if n, err := strconv.Atoi(strings.TrimSpace(number)); err == nil && n > 0 {
		return head, n, strings.TrimSpace(after), true
	}
	if strings.ContainsAny(head, "/.") && strings.HasPrefix(rest, " ") {
		return head, 0, strings.TrimSpace(rest), true
	}
	return "", 0, "", false
}
