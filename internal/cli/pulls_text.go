package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/backside4charter/dispatcher/internal/app"
)

func inDir(f *app.Factory, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.Dir, name)
}

// shown makes text from outside fit for a terminal: control characters and
// those that turn the direction of writing are shown, not sent. Line ends and
// tabs stay.
func shown(s string) string {
	safe := func(r rune) bool {
		return r == '\n' || r == '\t' || r != unicode.ReplacementChar && !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r)
	}
	if !strings.ContainsFunc(s, func(r rune) bool { return !safe(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range strings.ReplaceAll(s, "\r\n", "\n") {
		if safe(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "\\u%04x", r)
	}
	return b.String()
}

func short(id string) string { return id[:min(len(id), 12)] }

// note prints a line for the person, beside the output.
func note(f *app.Factory, format string, args ...any) {
	_, _ = fmt.Fprintf(f.IO.Err, "dispatcher: "+format+"\n", args...)
}

var errBoardLater = errors.New("the board could not be written: the loop does it at its next firing, or run this again")
