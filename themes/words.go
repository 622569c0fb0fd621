package themes

import (
	"reflect"
	"strings"
)

// A screen that is read aloud has words where others have signs. A word is
// wider than a cell, and would move what stands after it; so the plain theme
// draws private characters, one cell each, and Words says them at the end.
// Nothing from outside holds such a character: what cleans texts lets none
// through.
const (
	firstSign = '\ue100'
	line      = "\ue1f0" // a piece of a border; silent
)

// spoken are the words for the signs, in the order of the fields of Signs.
// Silent ones are blank.
var spoken = []string{
	"alive", "stale", "starting", "runs", "done", "failed",
	"blocked", "held", "question", "attention", "next", "none",
	"", "…", ",", "", "times", "left", "right",
	"",
}

var plainSigns = func() Signs {
	var s Signs
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		v.Field(i).SetString(string(firstSign + rune(i)))
	}
	return s
}()

var plainBorders = Borders{Thin: silent, Thick: silent}

var silent = Border{line, line, line, line, line, line, line, line}

// Words is a line of the plain theme as it is read: words for signs, no
// border, and one comma where columns were apart. A sign whose word the text
// after it begins with is not said twice.
func Words(s string) string {
	var b strings.Builder
	for at, r := range s {
		switch i := int(r - firstSign); {
		case i >= 0 && i < len(spoken) && spoken[i] != "" && strings.HasPrefix(strings.TrimLeft(s[at+len(string(r)):], " "), spoken[i]):
		case i >= 0 && i < len(spoken):
			b.WriteString(" " + spoken[i] + " ")
		case string(r) == line:
			b.WriteString("  ")
		default:
			b.WriteRune(r)
		}
	}
	var out []string
	for part := range strings.SplitSeq(strings.ReplaceAll(b.String(), " · ", "  "), "  ") {
		if part = strings.Trim(part, " ,"); part != "" {
			out = append(out, part)
		}
	}
	return strings.Join(out, ", ")
}
