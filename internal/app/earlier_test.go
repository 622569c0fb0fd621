package app

import "testing"

func TestEndedAs(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[string][2]string{
		"VERDICT: PASS":              {"PASS", ""},
		"VERDICT: CHANGES_REQUESTED": {"CHANGES_REQUESTED", ""},
		"STATUS: COMPLETE":           {"complete", ""},
		"STATUS: INCOMPLETE":         {"incomplete", "incomplete"},
		"died, and its supervisor with it": {
			"died, and its supervisor with it", "died, and its supervisor with it",
		},
	} {
		shown, failure := endedAs(outcome)
		if got := [2]string{shown, failure}; got != want {
			t.Errorf("%s: %q, not %q", outcome, got, want)
		}
	}
}
