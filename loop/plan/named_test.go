package plan_test

import (
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// TestNamed: what a pull request speaks of is told from what it is for.
func TestNamed(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name       string
		pr         board.PullRequest
		want, ours plan.Via
	}{
		{"linked", board.PullRequest{Name: "#3", Title: "DSP-4"}, plan.ViaLink, plan.ViaLink},
		{"fixed", board.PullRequest{Name: "#1", Title: "DSP-4", Issues: []board.Ref{"dsp-4"}}, plan.ViaBody, plan.ViaBody},
		{"its branch", board.PullRequest{Name: "#1", Title: "DSP-4", Head: "task/dsp-4-x"}, plan.ViaBranch, plan.ViaBranch},
		{"its title", board.PullRequest{Name: "#1", Title: "Prompt for dsp-4", Head: "misc"}, plan.ViaTitle, ""},
		{"the end of its title", board.PullRequest{Name: "#1", Title: "DSP-40 (DSP-4)"}, plan.ViaTitle, ""},
		{"another branch", board.PullRequest{Name: "#1", Head: "olive/DSP-4"}, plan.ViaMention, ""},
		{"its body", board.PullRequest{Name: "#1", Body: "DSP-40DSP-4, then\nDSP-4."}, plan.ViaMention, ""},
		{"longer words", board.PullRequest{Name: "#1", Title: "DSP-41 _DSP-4", Head: "xdsp-4", Body: "äDSP-4 DSP-4_ DSP-4DSP-4"}, "", ""},
		{"nothing", board.PullRequest{Name: "#1"}, "", ""},
	}
	issue := board.Issue{Ref: "DSP-4", PRs: []string{"#3"}}
	for _, c := range cases {
		if got := plan.Named(&issue, &c.pr); got != c.want {
			t.Errorf("%s: named by %q, want %q", c.name, got, c.want)
		}
		if got := plan.Belongs(&issue, &c.pr); got != c.ours {
			t.Errorf("%s: belongs by %q, want %q", c.name, got, c.ours)
		}
	}
	if via := plan.Named(&board.Issue{}, &board.PullRequest{Title: "anything"}); via != "" {
		t.Errorf("no ref is named by %q", via)
	}
}
