package query

import (
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	row := &state.Row{
		Issue: board.Issue{
			Ref: "ACM-12", Title: "Import wizard für Verträge", Role: board.RoleChangesRequested, State: "Rework", Milestone: "M1 · autumn",
			Labels: []string{"UI", "needs work"}, Claim: &board.Claim{Kind: board.KindReviewer},
		},
		Hold: "blocked", Waits: "blocked by ACM-3",
	}
	worker := &state.Worker{Run: state.Run{Kind: board.KindDeveloper, Agent: "fable"}, Activity: "running go test"}
	for text, want := range map[string]bool{
		"":                                    true,
		"   ":                                 true,
		"wizard":                              true,
		"WIZ imp":                             true,
		"impwz":                               true,
		"iwz":                                 true,
		"mprt":                                false, // not from the start of a word
		"iz":                                  true,  // as it stands
		"iv":                                  false, // too short to be fuzzy
		"acm-12":                              true,
		"12":                                  true,
		"verträge":                            true,
		"ui":                                  true,
		"zebra":                               false,
		"wizard zebra":                        false,
		"role:changes":                        true,
		"role:changes-requested":              true,
		"role:changesrequested":               true,
		"role:rework":                         true,
		"role:ready":                          false,
		"label:ui":                            true,
		`label:"needs work"`:                  true,
		"label:none":                          false,
		"milestone:m1":                        true,
		"milestone:m2":                        false,
		"waiting:blocked":                     true,
		"waiting:acm-3":                       true,
		"waiting:question":                    false,
		"worker:dev":                          true,
		"worker:reviewer":                     true,
		"worker:fable":                        true,
		"worker:any":                          true,
		"worker:none":                         false,
		"role:changes worker:dev wizard":      true,
		"role:":                               true, // nothing asked yet
		"size:large":                          false,
		"role:changes waiting:question":       false,
		strings.Repeat("a", 500):              false,
		"\x00\xff":                            false,
		`"`:                                   true,
		`label:"`:                             true,
		"milestone:\"m1 · autumn\" role:chan": true,
	} {
		if got := Parse(text).Match(row, worker); got != want {
			t.Errorf("%q matches: %v", text, got)
		}
	}
	free := &state.Row{Issue: board.Issue{Ref: "A-1", Title: "x", Role: board.RoleReady}}
	if Parse("worker:any").Match(free, nil) || !Parse("worker:none").Match(free, nil) {
		t.Error("a row that nobody works")
	}
}

// FuzzMatch holds every query and title to an answer in little time, and to
// finding what stands there.
func FuzzMatch(f *testing.F) {
	f.Add("role:ready wiz", "Import wizard")
	f.Add(strings.Repeat("ab ", 50), strings.Repeat("aaaaab", 50))
	f.Add(strings.Repeat("a", 20)+"z", strings.Repeat("a ", 100))
	f.Fuzz(func(t *testing.T, text, title string) {
		row := &state.Row{Issue: board.Issue{Ref: "A-1", Title: title}}
		start := time.Now()
		Parse(text).Match(row, nil)
		if took := time.Since(start); took > time.Second {
			t.Errorf("%q on %q took %s", text, title, took)
		}
		if w := strings.ToLower(strings.TrimSpace(title)); len(strings.Fields(w)) == 1 && !strings.ContainsAny(w, `":`) && strings.ToLower(title) == title {
			if !Parse(w).Match(row, nil) {
				t.Errorf("%q does not find itself", title)
			}
		}
	})
}
