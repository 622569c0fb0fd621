package tui

import (
	"slices"
	"strings"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"github.com/sahilm/fuzzy"

	"github.com/backside4charter/dispatcher/tui/query"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// paletteMsg brings the answer to a search; an old one is dropped.
type paletteMsg struct {
	seq   int
	shown []int
}

// searchAfter is how long a search waits for another key.
const searchAfter = 25 * time.Millisecond

// paletteMost is how many lines a search keeps.
const paletteMost = 200

func (p *palette) take(msg paletteMsg) {
	if msg.seq == p.seq {
		p.shown, p.win = msg.shown, widget.Window{}
	}
}

// searchPalette looks for what is typed, beside the room's loop and after a
// moment: of keys that follow each other only the last is looked for.
func (m *Model) searchPalette() tea.Cmd {
	p := &m.palette
	p.seq++
	text := strings.TrimSpace(p.input.Value())
	if text == "" {
		p.showAll()
		return nil
	}
	ctx, seq, all := m.ctx, p.seq, p.all
	return func() tea.Msg {
		if !sleep(ctx, searchAfter) {
			return nil
		}
		return paletteMsg{seq, search(text, all)}
	}
}

// search is the best lines for a text: what begins with it, what has words that
// do, what has a word with these letters in order, then what query.Fuzzy finds.
func search(text string, all items) []int {
	low := strings.ToLower(text)
	var out []int
	taken := map[int]bool{}
	add := func(i int) {
		if !taken[i] && len(out) < paletteMost {
			out, taken[i] = append(out, i), true
		}
	}
	for _, fits := range []func(it *item) bool{
		func(it *item) bool {
			return strings.HasPrefix(strings.ToLower(it.text), low) || strings.EqualFold(it.key, text)
		},
		func(it *item) bool { return wordsBegin(strings.ToLower(it.text+" "+it.also), strings.Fields(low)) },
	} {
		for i := range all {
			if fits(&all[i]) {
				add(i)
			}
		}
	}
	found := fuzzy.FindFrom(text, all)
	for _, f := range found {
		if len(low) > 2 && slices.ContainsFunc(letterWords(strings.ToLower(all[f.Index].text)), func(w string) bool { return w[0] == low[0] && query.Fuzzy(w, low) }) {
			add(f.Index)
		}
	}
	for _, f := range found {
		if query.Fuzzy(all[f.Index].text, low) {
			add(f.Index)
		}
	}
	return out
}

// letterWords are the words of a text without what stands between them.
func letterWords(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// wordsBegin says whether each of some words begins one of the text's.
func wordsBegin(text string, with []string) bool {
	have := letterWords(text)
	return len(with) > 0 && !slices.ContainsFunc(with, func(w string) bool {
		return !slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, w) })
	})
}
