package present

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// NeedHeading is the heading over the needs of one kind.
func NeedHeading(k state.NeedKind) string {
	switch k {
	case state.NeedRequest:
		return "Asks, a worker waits"
	case state.NeedInterrupted:
		return "Stands still"
	case state.NeedQuestion:
		return "Questions"
	case state.NeedAttention:
		return "Given up"
	case state.NeedReview:
		return "To review"
	case state.NeedConfirm:
		return "To confirm"
	case state.NeedStale:
		return "Stale claims"
	}
	return widget.Clean(string(k))
}

// NeedSign is the sign and tone of a need.
func NeedSign(k state.NeedKind, signs *themes.Signs) (string, themes.Tone) {
	switch k {
	case state.NeedRequest:
		return signs.Attention, themes.ToneAttention
	case state.NeedInterrupted:
		return signs.Held, themes.ToneAttention
	case state.NeedQuestion:
		return signs.Question, themes.ToneAttention
	case state.NeedAttention:
		return signs.Attention, themes.ToneDanger
	case state.NeedReview:
		return signs.Done, themes.ToneGood
	case state.NeedConfirm:
		return signs.Held, themes.ToneAttention
	case state.NeedStale:
		return signs.Stale, themes.ToneWarn
	}
	return signs.Attention, themes.ToneAttention
}

// Needs sums up what waits for a person, the most urgent in words: `ACM-7
// question, 14m · ACM-3 gave up · 2 to review`.
func Needs(needs []state.Need, now time.Time) string {
	count := map[state.NeedKind]int{}
	for i := range needs {
		count[needs[i].Kind]++
	}
	var parts []string
	for _, k := range []struct {
		kind state.NeedKind
		word string
	}{
		{state.NeedRequest, "asks"},
		{state.NeedInterrupted, "stands still"},
		{state.NeedQuestion, "question"},
		{state.NeedAttention, "gave up"},
		{state.NeedStale, "stale claim"},
		{state.NeedReview, "to review"},
		{state.NeedConfirm, "to confirm"},
	} {
		switch n := count[k.kind]; {
		case n == 0:
		case k.kind == state.NeedReview || k.kind == state.NeedConfirm || n > 2:
			parts = append(parts, fmt.Sprintf("%d %s", n, plural(k.word, n)))
		default:
			for i := range needs {
				if needs[i].Kind == k.kind {
					parts = append(parts, oneNeed(&needs[i], k.word, now))
				}
			}
		}
	}
	return strings.Join(parts, " · ")
}

func plural(word string, n int) string {
	if n > 1 && (word == "question" || word == "stale claim") {
		return word + "s"
	}
	return word
}

func oneNeed(n *state.Need, word string, now time.Time) string {
	s := widget.Clean(string(n.Ref)) + " " + word
	if n.Kind == state.NeedRequest {
		text, _, _ := strings.Cut(n.Text, "\n")
		return s + ": " + widget.Cut(widget.Clean(text), 40) + ", " + widget.Clock(now.Sub(n.Since))
	}
	if age := widget.Since(n.Since, now); age != "" {
		s += ", " + age
	}
	return s
}

// NextInLine is the first row that would be worked when a slot is free, in
// words; empty if there is none.
func NextInLine(s *state.Snapshot) string {
	for i := range s.Rows {
		if r := &s.Rows[i]; r.Next {
			return widget.Clean(string(r.Issue.Ref))
		}
	}
	return ""
}
