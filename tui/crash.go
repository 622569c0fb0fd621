package tui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
)

// Crash is what is known of a room that broke, for a file. It holds no word of
// an issue, a comment or an agent: every text of the picture is reduced to its
// shape, which is what breaks screens.
type Crash struct {
	Panic   string    `json:"panic"`
	At      time.Time `json:"at"`
	Width   int       `json:"width"`
	Height  int       `json:"height"`
	View    string    `json:"view"`
	Mode    int       `json:"mode"`
	Subject string    `json:"subject,omitempty"`
	// Picture is the last snapshot, shaped.
	Picture any `json:"picture,omitempty"`
	// Stack is kept apart, so that it can be read as it is.
	Stack string `json:"-"`
}

// crash describes the room as it is. It must not break again, whatever state
// the room is in.
func (m *Model) crash(cause any, stack []byte) (c Crash) {
	c = Crash{Panic: fmt.Sprint(cause), At: time.Now(), Stack: string(stack)}
	defer func() { _ = recover() }() //nolint:errcheck // what could not be described is left out
	c.Width, c.Height, c.Mode = m.w, m.h, int(m.mode)
	c.View = m.view.name()
	c.Picture = shaped(m.snap)
	c.Subject = string(m.subject().Ref)
	return c
}

// facts are the keys of a picture whose texts are ours: names of states, refs
// and times.
var facts = []string{
	"at", "since", "until", "stepSince", "polledAt", "nextFiring", "lastSign", "claimedAt", "stampedAt", "startedAt", "endedAt", "stateSince",
	"kind", "phase", "mode", "role", "hold", "step", "ref", "run", "id", "delegate",
}

// shaped is a picture as plain JSON values without a word of anybody's text.
func shaped(s *state.Snapshot) any {
	if s == nil {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err.Error()
	}
	return shapeValue("", v)
}

func shapeValue(key string, v any) any {
	switch v := v.(type) {
	case string:
		if slices.Contains(facts, strings.ToLower(key[:min(1, len(key))])+key[min(1, len(key)):]) {
			return v
		}
		return shape(v)
	case []any:
		for i := range v {
			v[i] = shapeValue(key, v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = shapeValue(k, v[k])
		}
	}
	return v
}

// shape replaces what can be read in a text: letters by letters of the same
// width, digits by 0. What draws it (controls, marks, joiners, emoji, spaces)
// stays.
func shape(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x80 && unicode.IsLetter(r):
			return 'x'
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r) && ansi.StringWidth(string(r)) == 2:
			return '日'
		case unicode.IsLetter(r):
			return 'é'
		}
		return r
	}, s)
}
