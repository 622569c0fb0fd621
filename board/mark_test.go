package board_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
)

func TestMarkRoundTrip(t *testing.T) {
	t.Parallel()
	m := board.Mark{Run: "r1", Kind: board.KindCleaner, Try: 2, Head: "abc", Base: "def", Carried: []string{"1", "2"}, From: board.RoleHumanReview, Delegate: board.DelegateReviewer}
	line := "dispatcher:v1 run=r1 kind=cleaner try=2 head=abc base=def carried=1,2 from=human-review delegate=reviewer"
	if m.String() != line {
		t.Fatalf("String: %q", m)
	}
	body := board.WithMark("Tried twice.\n", m)
	got, ok := board.ParseMark(body)
	if !ok || !cmp.Equal(got, m) {
		t.Fatalf("ParseMark: %v %s", ok, cmp.Diff(m, got))
	}
	if text := board.WithoutMark(body); text != "Tried twice." {
		t.Fatalf("WithoutMark: %q", text)
	}
}

func TestParseMark(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, body string
		want       board.Mark
		ok         bool
	}{
		{"none", "just text", board.Mark{}, false},
		{"empty", "", board.Mark{}, false},
		{"not last", "dispatcher:v1 run=r\nmore text", board.Mark{}, false},
		{"trailing blanks", "x\ndispatcher:v1 run=r\n\n \n", board.Mark{Run: "r"}, true},
		{"unknown keys", "dispatcher:v1 run=r new=1 odd try=x kind=pilot from=nowhere", board.Mark{Run: "r"}, true},
		{"bare", "dispatcher:v1", board.Mark{}, true},
		{"other version", "dispatcher:v12 run=r", board.Mark{}, false},
		{"configuration spelling", "dispatcher:v1 from=changesRequested", board.Mark{From: board.RoleChangesRequested}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := board.ParseMark(c.body)
			if ok != c.ok || !cmp.Equal(got, c.want) {
				t.Fatalf("%v %s", ok, cmp.Diff(c.want, got))
			}
		})
	}
}

func FuzzParseMark(f *testing.F) {
	f.Add("text\n\ndispatcher:v1 run=r1 kind=reviewer try=1 head=a base=b carried=1,2 from=ready")
	f.Add("dispatcher:v1 carried=,,")
	f.Fuzz(func(t *testing.T, body string) {
		m, ok := board.ParseMark(body)
		if !ok {
			return
		}
		again, ok := board.ParseMark(board.WithMark(board.WithoutMark(body), m))
		if !ok || again.String() != m.String() {
			t.Fatalf("%q reads as %q, then as %q", body, m, again)
		}
	})
}
