package github

import (
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// marked is a finding as it stands on its line.
func marked(f *board.Finding) string { return "**" + f.Severity + "**: " + f.Body }

// findings are what a review says on lines, with the severity that marked wrote
// there. What a person wrote without one weighs as much as their review. Answers
// in a thread are none.
func (w *reviewWire) findings() []board.Finding {
	plain := board.SeverityNit
	if w.State == "CHANGES_REQUESTED" {
		plain = board.SeverityBlocking
	}
	var out []board.Finding
	for i := range w.Comments.Nodes {
		c := &w.Comments.Nodes[i]
		if c.ReplyTo != nil {
			continue
		}
		f := board.Finding{Path: c.Path, Severity: plain, Body: c.Body}
		for _, severity := range []string{board.SeverityBlocking, board.SeverityNit} {
			if body, ok := strings.CutPrefix(c.Body, "**"+severity+"**: "); ok {
				f.Severity, f.Body = severity, body
			}
		}
		switch {
		case c.Line != nil:
			f.Line = *c.Line
		case c.OriginalLine != nil:
			f.Line = *c.OriginalLine // as the commit had it that was judged
		}
		out = append(out, f)
	}
	return out
}
