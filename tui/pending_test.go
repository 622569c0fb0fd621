package tui

import (
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/loop/state"
)

// An interrupt that was sent and not taken is told in a whole sentence that
// names its row, and is no longer under way.
func TestAnInterruptThatIsNotTaken(t *testing.T) {
	t.Parallel()
	m, ctl := room(120, 40, sample())
	typeKeys(m, "i")
	sent := ctl.commands()
	c := sent[len(sent)-1]
	if c.Kind != state.CommandInterrupt || c.Ref != "ACM-12" {
		t.Fatalf("sent %+v", c)
	}
	if _, busy := m.busy[c.Ref]; !busy {
		t.Fatal("nothing is under way")
	}
	m.onSent(sentMsg{command: c, done: state.Done{Ref: c.Ref, Text: "it was told to stop", Pending: true}})
	if _, busy := m.busy[c.Ref]; busy {
		t.Error("it is said to be under way")
	}
	if s := ansi.Strip(screen(m)); !strings.Contains(s, "ACM-12: it was told to stop") || strings.Contains(s, "interrupting") {
		t.Errorf("the room says\n%s", s)
	}
}

// Of several the ones that were not taken are told like those that were
// refused, without the word for what was not done.
func TestOneOfSeveralThatIsNotTaken(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	c := state.Command{Kind: state.CommandInterrupt, Ref: "ACM-12"}
	with := &together{command: c, of: 2}
	m.onSent(sentMsg{command: c, with: with, done: state.Done{Text: "it stands still"}})
	c.Ref = "ACM-14"
	m.onSent(sentMsg{command: c, with: with, done: state.Done{Text: "it was told to stop", Pending: true}})
	has(t, m, "1 row is done, 1 not: ACM-14: it was told to stop")
}

// A reason that names another row of a like name does not name this one.
func TestARefusalNamesItsRow(t *testing.T) {
	t.Parallel()
	m, _ := room(120, 40, sample())
	c := state.Command{Kind: state.CommandRetry, Ref: "ACM-1"}
	for why, want := range map[string]string{
		"ACM-12 stands before it": "could not try again ACM-1: ACM-12 stands before it",
		"ACM-1 is not held":       "could not try again: ACM-1 is not held",
	} {
		m.onSent(sentMsg{command: c, err: errors.New(why)})
		has(t, m, want)
	}
}
