package app

import (
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/loop/state"
)

// Bounds of a diff that is shown: beyond them files keep their counts and lose
// their lines.
const (
	maxDiffLines     = 20000 // in all
	maxDiffFileLines = 4000  // of one file
	maxDiffLine      = 2000  // bytes of a line
	maxDiffFiles     = 2000
)

// parseDiff reads what git prints for a change. Whatever it does not know it
// passes over; it never fails.
func parseDiff(text string) (files []state.DiffFile, cut bool) {
	p := diffParser{}
	for line := range strings.SplitSeq(text, "\n") {
		p.line(strings.TrimSuffix(line, "\r"))
	}
	return p.files, p.cut
}

type diffParser struct {
	files    []state.DiffFile
	cut      bool
	lines    int // kept in all
	old, new int // line numbers to come
	oldLeft  int // lines of the hunk that are still to come
	newLeft  int
}

func (p *diffParser) file() *state.DiffFile {
	if len(p.files) == 0 {
		return &state.DiffFile{}
	}
	return &p.files[len(p.files)-1]
}

// line takes one line: of a hunk as long as its head has promised more, else of
// a file's head.
func (p *diffParser) line(s string) {
	if p.oldLeft > 0 || p.newLeft > 0 {
		if p.hunkLine(s) {
			return
		}
		p.oldLeft, p.newLeft = 0, 0 // torn
	}
	switch {
	case strings.HasPrefix(s, "diff --git "):
		p.begin(s)
	case strings.HasPrefix(s, "@@ ") && len(p.files) > 0:
		p.hunk(s)
	case len(p.files) > 0:
		p.head(s)
	}
}

func (p *diffParser) begin(s string) {
	if len(p.files) >= maxDiffFiles {
		p.cut = true
		p.files = p.files[:maxDiffFiles-1]
	}
	f := state.DiffFile{Kind: "modified"}
	// Good for names without blanks; the lines below tell better.
	if _, b, ok := strings.Cut(s, " b/"); ok {
		f.Path = b
	} else if at := strings.LastIndex(s, ` "b/`); at >= 0 {
		f.Path = unquoted(s[at+1:], "b/")
	}
	p.files = append(p.files, f)
}

// head takes what stands between a file's first line and its hunks.
func (p *diffParser) head(s string) {
	f := p.file()
	switch {
	case strings.HasPrefix(s, "new file mode"):
		f.Kind = "added"
	case strings.HasPrefix(s, "deleted file mode"):
		f.Kind = "deleted"
	case strings.HasPrefix(s, "rename from "):
		f.Kind, f.From = "renamed", unquoted(s[len("rename from "):], "")
	case strings.HasPrefix(s, "rename to "):
		f.Path = unquoted(s[len("rename to "):], "")
	case strings.HasPrefix(s, "Binary files "), s == "GIT binary patch":
		f.Kind = "binary"
	case strings.HasPrefix(s, "--- ") && s != "--- /dev/null" && f.Kind == "deleted":
		f.Path = unquoted(s[len("--- "):], "a/")
	case strings.HasPrefix(s, "+++ ") && s != "+++ /dev/null":
		f.Path = unquoted(s[len("+++ "):], "b/")
	}
}

// unquoted is a path as git prints it, without the side that stands before it.
func unquoted(s, side string) string {
	s = strings.TrimSuffix(s, "\t")
	if strings.HasPrefix(s, `"`) {
		if u, err := strconv.Unquote(s); err == nil {
			s = u
		}
	}
	return strings.TrimPrefix(s, side)
}

func (p *diffParser) hunk(s string) {
	rest, _, ok := strings.Cut(strings.TrimPrefix(s, "@@ "), " @@")
	old, now, two := strings.Cut(rest, " ")
	if !ok || !two {
		return
	}
	var good, good2 bool
	p.old, p.oldLeft, good = span(old, "-")
	p.new, p.newLeft, good2 = span(now, "+")
	if !good || !good2 {
		p.oldLeft, p.newLeft = 0, 0
		return
	}
	p.keep(state.DiffLine{Op: "@", Old: p.old, New: p.new, Text: s})
}

// span reads `-12,7`.
func span(s, sign string) (from, n int, ok bool) {
	s, ok = strings.CutPrefix(s, sign)
	if !ok {
		return 0, 0, false
	}
	a, b, many := strings.Cut(s, ",")
	from, err := strconv.Atoi(a)
	n = 1
	if err == nil && many {
		n, err = strconv.Atoi(b)
	}
	return from, n, err == nil && from >= 0 && n >= 0
}

func (p *diffParser) hunkLine(s string) bool {
	if strings.HasPrefix(s, `\`) {
		return true // no newline at the end of the file
	}
	op, text := " ", ""
	if s != "" {
		op, text = s[:1], s[1:]
	}
	l := state.DiffLine{Op: op, Text: text}
	switch op {
	case "+":
		l.New = p.new
		p.new, p.newLeft = p.new+1, p.newLeft-1
		p.file().Added++
	case "-":
		l.Old = p.old
		p.old, p.oldLeft = p.old+1, p.oldLeft-1
		p.file().Removed++
	case " ":
		l.Old, l.New = p.old, p.new
		p.old, p.new, p.oldLeft, p.newLeft = p.old+1, p.new+1, p.oldLeft-1, p.newLeft-1
	default:
		return false
	}
	p.keep(l)
	return true
}

func (p *diffParser) keep(l state.DiffLine) {
	f := p.file()
	if p.lines >= maxDiffLines || len(f.Lines) >= maxDiffFileLines {
		f.Cut, p.cut = true, true
		return
	}
	if len(l.Text) > maxDiffLine {
		l.Text = strings.ToValidUTF8(l.Text[:maxDiffLine], "") + "…"
	}
	f.Lines = append(f.Lines, l)
	p.lines++
}
