package present

import (
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// Asks is what a worker asks, in one line: `npm publish`, or its question.
func Asks(r *state.Request) string {
	if len(r.Questions) > 0 {
		return widget.Clean(r.Questions[0].Text)
	}
	if r.Summary != "" {
		return widget.Clean(r.Summary)
	}
	return widget.Clean(r.Tool)
}
