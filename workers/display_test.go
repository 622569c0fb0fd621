package workers

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Failure 11: nothing an agent prints reaches the terminal as a command.
func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, in, want string
		limit          int
	}{
		{"plain", "hello ✓ é", "hello ✓ é", 100},
		{"alternate screen and colours", "\x1b[?1049h\x1b[31mred", "␛[?1049h␛[31mred", 100},
		{"title, link, clipboard", "\x1b]0;x\a\x1b]8;;http://x\x1b\\\x1b]52;c;YQ==\a", "␛]0;x␇␛]8;;http://x␛\\␛]52;c;YQ==␇", 100},
		{"NUL and DEL", "a\x00b\x7fc", "a␀b␡c", 100},
		{"line ends", "a\r\nb\nc", "a\nb\nc", 100},
		{"ten thousand returns", "10 %" + strings.Repeat("\r", 10_000) + "100 %", "10 %␍100 %", 100},
		{"a return at the end", "a\r", "a", 100},
		{"tab", "a\tb", "a    b", 100},
		{"8-bit controls", "a\u009b31mb", "a\uFFFD31mb", 100},
		{"direction marks", "a\u202eb\u2066c", "a\uFFFDb\uFFFDc", 100},
		{"other line ends", "a\u2028b\u2029c", "a\nb\nc", 100},
		{"bytes that are no text", "a\xff\xfeb", "a\uFFFD\uFFFDb", 100},
		{"cut", "abcdef", "abc…", 3},
		{"cut at a character", "ééé", "éé…", 3},
		{"exactly the limit", "abc", "abc", 3},
	}
	for _, tt := range tests {
		if got := Clean(tt.in, tt.limit); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\x1b[31m\r\n", 5)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		if limit < 0 || limit > 1<<12 {
			t.Skip("a limit that no caller asks for")
		}
		got := Clean(in, limit)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if r != '\n' && unicode.IsControl(r) {
				t.Fatalf("control character in %q", got)
			}
		}
		if len(got) > limit+2*utf8.UTFMax+tabWidth {
			t.Fatalf("%d bytes for a limit of %d", len(got), limit)
		}
		if again := Clean(got, len(got)); again != got {
			t.Fatalf("not stable: %q, then %q", got, again)
		}
	})
}
