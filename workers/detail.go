package workers

import (
	"slices"
	"strings"
)

// callDetail is one side of a tool call in full.
type callDetail struct {
	id, text string
	end      bool
}

// details are the tool calls of a line in full, where a page is read of an agent
// that can tell them.
func (t *Transcript) details(p *page, line []byte) (out []callDetail) {
	agent, ok := t.agent.(Detailer)
	if !ok || p == nil || p.most == 0 {
		return nil
	}
	agent.Details(line, func(id, text string, end bool) { out = append(out, callDetail{id, text, end}) })
	return out
}

// detail adds to the calls of the page what they were given, or what came back.
func (t *Tail) detail(details []callDetail, end bool) {
	for _, d := range details {
		l := t.line(d.id)
		if d.end != end || l == nil || d.text == "" {
			continue
		}
		text := strings.TrimRight(Clean(d.text, lineText), "\n ")
		if l.Detail != "" {
			text = l.Detail + "\n\n" + text
		}
		l.Detail = text
	}
}

// opens says whether a tool call of these lines still runs.
func (t *Tail) opens(from, until int) bool {
	return slices.ContainsFunc(t.order, func(id string) bool { return t.open[id] >= from && t.open[id] < until })
}
