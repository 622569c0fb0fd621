package report_test

import (
	"strings"
	"testing"
	"testing/iotest"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers/report"
)

func TestClosing(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of a long log\n", 100)
	for name, tt := range map[string]struct {
		out  string
		want report.Status
	}{
		"short":                          {"working\nSTATUS: COMPLETE", report.StatusComplete},
		"a block that began far before":  {"```\n" + long + "```\nSTATUS: COMPLETE\n", report.StatusComplete},
		"a list's block":                 {"- x\n  ~~~~ log\n" + long + "  ~~~~\nSTATUS: COMPLETE\n", report.StatusComplete},
		"one of a block that still runs": {"```\n" + long + "STATUS: COMPLETE\n```\n", report.StatusNone},
		"never closed":                   {"```\n" + long + "STATUS: COMPLETE\n", report.StatusNone},
		"closed long ago":                {"```\nx\n```\n" + long + "STATUS: INCOMPLETE\r\n\n", report.StatusIncomplete},
		"a long line":                    {strings.Repeat("x", 1<<20) + "\nSTATUS: COMPLETE\n", report.StatusComplete},
		"a long last line":               {"STATUS: COMPLETE\n" + strings.Repeat("x", 1<<20), report.StatusNone},
		"nothing":                        {"", report.StatusNone},
	} {
		got, err := report.Closing(strings.NewReader(tt.out), 500)
		if err != nil || len(got) > 17<<10 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if r := report.Parse(board.KindDeveloper, got); r.Status != tt.want {
			t.Errorf("%s: %q (%s), want %q", name, r.Status, r.Why, tt.want)
		}
	}
	if _, err := report.Closing(iotest.ErrReader(iotest.ErrTimeout), 500); err == nil {
		t.Error("an output that cannot be read is taken for a short one")
	}
}
