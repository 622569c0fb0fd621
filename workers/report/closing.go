package report

import (
	"bufio"
	"errors"
	"io"
	"strings"
)

// keptLine is how much is kept of one line of an output, in bytes.
const keptLine = 16 << 10

// Closing is the end of an output that is too long for a message, in whole
// lines, at most limit bytes of them: what stood in a code block still does. A
// block that began before the cut is given its first line again, so that the
// line that closes it opens no other. It reads out to its end and keeps no more
// than it answers.
func Closing(out io.Reader, limit int) (string, error) {
	var (
		kept []closingLine
		size int
		f    fence
		open string // the line that opened f
	)
	in := bufio.NewReaderSize(out, keptLine)
	for {
		text, err := shortLine(in)
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return "", err
		}
		if text != "" || !last {
			kept, size = append(kept, closingLine{text, open}), size+len(text)+1
			bare := strings.TrimRight(text, " \t\r")
			switch {
			case f.mark != 0 && f.ends(bare):
				f, open = fence{}, ""
			case f.mark == 0 && f.starts(bare):
				open = bare
			}
			for len(kept) > 1 && size > limit {
				size -= len(kept[0].text) + 1
				kept = kept[1:]
			}
		}
		if last {
			return joined(kept), nil
		}
	}
}

// closingLine is a line and the one that opened the code block it stands in,
// empty where it stands in none.
type closingLine struct{ text, inside string }

func joined(lines []closingLine) string {
	var b strings.Builder
	if len(lines) > 0 && lines[0].inside != "" {
		b.WriteString(lines[0].inside + "\n")
	}
	for _, l := range lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

// shortLine reads a line and keeps its begin. The error of its last one is
// io.EOF.
func shortLine(in *bufio.Reader) (string, error) {
	begin, more, err := in.ReadLine()
	text := string(begin)
	for more && err == nil {
		_, more, err = in.ReadLine()
	}
	return text, err
}
