package claude

import (
	"strings"
)

// detailLimit bounds what is read of one side of a tool call, in bytes.
const detailLimit = 6000

// Details shows the tool calls of one line in full: what a call was given, or
// what came back. It is asked for the few lines that a person looks at.
func (a Agent) Details(line []byte, see func(id, text string, end bool)) {
	var buf [room]member
	o, ok := members(buf[:0], line)
	if !ok {
		return
	}
	kind := o.get("type")
	if !kind.is("assistant") && !kind.is("user") {
		return
	}
	var msgBuf [room]member
	msg, _ := members(msgBuf[:0], o.get("message"))
	elements(msg.get("content"), func(block raw) {
		var buf [room]member
		b, _ := members(buf[:0], block)
		switch kind := b.get("type"); {
		case kind.is("tool_use"):
			see(b.get("id").text(argLimit), given(b.get("input")), false)
		case kind.is("tool_result"):
			see(b.get("tool_use_id").text(argLimit), cameBack(b.get("content")), true)
		}
	})
}

// given is a tool's input, a member a line, longer texts below their name.
func given(input raw) string {
	var buf [room]member
	o, ok := members(buf[:0], input)
	if !ok {
		return input.shown(detailLimit)
	}
	var b strings.Builder
	for _, m := range o {
		text := m.val.shown(detailLimit)
		sep := ": "
		if strings.Contains(text, "\n") {
			sep = ":\n"
		}
		b.WriteString(string(m.key) + sep + text + "\n")
		if b.Len() > detailLimit {
			return b.String()[:detailLimit]
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// cameBack is a result: a text, or the texts of its blocks.
func cameBack(v raw) string {
	if v.kind() != '[' {
		return v.shown(detailLimit)
	}
	var out []string
	left := detailLimit
	elements(v, func(block raw) {
		var buf [room]member
		b, ok := members(buf[:0], block)
		if !ok || left <= 0 {
			return
		}
		text := "(" + b.get("type").text(argLimit) + ")"
		if b.get("type").is("text") {
			text = b.get("text").text(left)
		}
		left -= len(text)
		out = append(out, text)
	})
	return strings.Join(out, "\n")
}

// shown is a text without its quotes, any other value as it stands.
func (v raw) shown(limit int) string {
	if v.kind() == '"' {
		return v.text(limit)
	}
	return string(v[:min(len(v), limit)])
}
