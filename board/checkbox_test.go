package board_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
)

const boxes = "Steps:\r\n\r\n- [ ] first thing\r\n  - [x] nested\r\n* [X] third\n1. [ ] numbered\n> - [ ] quoted\n" +
	"```\n- [ ] in a fence\n```\n<!-- - [ ] example\n- [ ] hidden\n-->\n- [] no box\n- [ ]glued\n- [ ]\n"

func TestCheckboxes(t *testing.T) {
	t.Parallel()
	want := []board.Checkbox{
		{Text: "first thing", Line: 3},
		{Text: "nested", Done: true, Line: 4},
		{Text: "third", Done: true, Line: 5},
		{Text: "numbered", Line: 6},
		{Text: "quoted", Line: 7},
		{Text: "", Line: 16},
	}
	if d := cmp.Diff(want, board.Checkboxes(boxes)); d != "" {
		t.Fatal(d)
	}
	if done, all, ok := board.AllTicked(boxes); done != 2 || all != 6 || ok {
		t.Fatalf("AllTicked: %d of %d, %v", done, all, ok)
	}
	if _, _, ok := board.AllTicked("no boxes"); !ok {
		t.Fatal("a text without boxes waits for one")
	}
}

func TestTick(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name    string
		box     board.Box
		from    string
		to      string
		wantErr string
	}{
		{"by number", board.Box{N: 1, Set: true}, "- [ ] first", "- [x] first", ""},
		{"by text in any case", board.Box{Text: "QUOT", Set: true}, "> - [ ] quoted", "> - [x] quoted", ""},
		{"clear", board.Box{N: 3}, "* [X] third", "* [ ] third", ""},
		{"already ticked", board.Box{N: 3, Set: true}, "", "", ""},
		{"out of range", board.Box{N: 9, Set: true}, "", "", "1 to 6"},
		{"zero", board.Box{Set: true}, "", "", "1 to 6"},
		{"ambiguous", board.Box{Text: "ed", Set: true}, "", "", "name one by its number"},
		{"absent", board.Box{Text: "nothing", Set: true}, "", "", "no checkbox contains"},
		{"hidden", board.Box{Text: "in a fence", Set: true}, "", "", "no checkbox contains"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := board.Tick(boxes, c.box)
			if c.wantErr != "" {
				if !errors.Is(err, board.ErrNotFound) || !strings.Contains(err.Error(), c.wantErr) {
					t.Fatalf("error %v", err)
				}
				return
			}
			if want := strings.Replace(boxes, c.from, c.to, 1); err != nil || got != want {
				t.Fatalf("%v\n%s", err, cmp.Diff(want, got))
			}
		})
	}
	if _, err := board.Tick("no boxes", board.Box{N: 1}); !errors.Is(err, board.ErrNotFound) {
		t.Fatalf("a text without boxes: %v", err)
	}
}

func FuzzCheckboxes(f *testing.F) {
	f.Add(boxes)
	f.Add("~~~\n- [ ] a\n~~\n~~~~\n- [ ] b")
	f.Fuzz(func(t *testing.T, body string) {
		before := board.Checkboxes(body)
		for n := range before {
			for _, set := range []bool{true, false} {
				got, err := board.Tick(body, board.Box{N: n + 1, Set: set})
				if err != nil {
					t.Fatal(err)
				}
				after := board.Checkboxes(got)
				if len(after) != len(before) || after[n].Done != set || len(got) != len(body) {
					t.Fatalf("box %d of %q set to %v: %q", n+1, body, set, got)
				}
			}
		}
	})
}

func FuzzParseClaimText(f *testing.F) {
	f.Add("**[developer]** claimed 2026-08-27T14:05Z · `claude --resume abc`")
	f.Add("**[cleaner]** claimed 2026-08-27T14:05Z · `claude --resume abc` · from human-review\n")
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := board.ParseClaimText(s)
		if !ok {
			return
		}
		again, ok := board.ParseClaimText(c.Text())
		if !ok || !cmp.Equal(again, c) {
			t.Fatalf("%q reads as %+v, then as %+v", s, c, again)
		}
	})
}
