package workers

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// split feeds a stream in pieces of n bytes.
func split(stream []byte, n int) []string {
	var s Splitter
	var lines []string
	take := func(b []byte) { lines = append(lines, string(b)) }
	for len(stream) > 0 {
		k := min(n, len(stream))
		s.Feed(stream[:k], take)
		stream = stream[k:]
	}
	s.Rest(take)
	return lines
}

func TestSplitter(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"one line", "a\n", "a"},
		{"no last line feed", "a\nb", "a|b"},
		{"both line ends", "a\r\nb\n", "a|b"},
		{"a return inside stays", "a\rb\r\n", "a\rb"},
		{"empty lines", "\n\na\n", "||a"},
	}
	for _, tt := range tests {
		for n := 1; n <= 4; n++ {
			if got := strings.Join(split([]byte(tt.in), n), "|"); got != tt.want {
				t.Errorf("%s, pieces of %d: %q, want %q", tt.name, n, got, tt.want)
			}
		}
	}
}

// Failures 1 and 2: of a line of any length every key is kept, and every string
// is cut at a character.
func TestSplitterCutsLongStrings(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"ascii": "x", "runes": "é✓🙂", "escapes": `\n`, "unicode escapes": `é🙂`, "quotes": `\"`, "backslashes": `\\`,
	} {
		for shift := range 7 {
			text := strings.Repeat("y", shift) + strings.Repeat(unit, (StringLimit+8192)/len(unit))
			in := `{"before":1,"text":"` + text + `","short":"ok","type":"result"}` + "\n" + `{"next":true}` + "\n"
			lines := split([]byte(in), 64<<10)
			if len(lines) != 2 || lines[1] != `{"next":true}` {
				t.Fatalf("%s: %d lines", name, len(lines))
			}
			var got struct {
				Before            int
				Text, Short, Type string
			}
			if err := json.Unmarshal([]byte(lines[0]), &got); err != nil {
				t.Fatalf("%s, shift %d: %v", name, shift, err)
			}
			if got.Before != 1 || got.Short != "ok" || got.Type != "result" {
				t.Errorf("%s: keys lost: %+v", name, got)
			}
			var whole string
			if err := json.Unmarshal([]byte(`"`+text+`"`), &whole); err != nil {
				t.Fatal(err)
			}
			cut := strings.TrimRight(got.Text, "\uFFFD") // half of a pair of escapes
			if !strings.HasPrefix(whole, cut) || len(lines[0]) < StringLimit || len(lines[0]) > StringLimit+200 {
				t.Errorf("%s, shift %d: cut to %d bytes, %q…", name, shift, len(lines[0]), got.Text[:min(20, len(got.Text))])
			}
			if !utf8.ValidString(lines[0]) {
				t.Errorf("%s: a rune was cut", name)
			}
		}
	}
}

func TestSplitterForgetsALongLine(t *testing.T) {
	t.Parallel()
	var s Splitter
	huge := bytes.Repeat([]byte("no json, no end "), 1<<16)
	for range 70 {
		s.Feed(huge, func([]byte) { t.Error("a line without an end") })
	}
	if cap(s.buf) > 2*LineLimit {
		t.Errorf("%d bytes held of one line", cap(s.buf))
	}
	n := 0
	s.Feed([]byte("\n"), func(b []byte) { n = len(b) })
	if n != LineLimit || s.Pending() || cap(s.buf) > 2*StringLimit {
		t.Errorf("line of %d bytes, %d held after it", n, cap(s.buf))
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("a\r\nb"), 1)
	f.Add([]byte(`{"a":"b\"c"}`+"\n"), 3)
	f.Fuzz(func(t *testing.T, in []byte, n int) {
		if n < 1 || len(in) > 1<<16 {
			t.Skip("no size of a read, or more than a fuzzed input is worth")
		}
		want := strings.Split(strings.TrimSuffix(string(in), "\n"), "\n")
		if len(in) == 0 {
			want = nil
		}
		got := split(in, n)
		if len(got) != len(want) {
			t.Fatalf("%d lines, want %d", len(got), len(want))
		}
		for i := range want {
			if got[i] != strings.TrimSuffix(want[i], "\r") {
				t.Fatalf("line %d: %q, want %q", i, got[i], want[i])
			}
		}
	})
}
