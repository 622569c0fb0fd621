package pulls

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
)

func TestColumnsAreLeftOutWhole(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	m := New(&st)
	all := len(m.columns())
	last := 0
	for w := range 260 {
		cols := fitColumns(m.columns(), w)
		if len(cols) < last {
			t.Fatalf("at %d cells there are fewer columns than at %d", w, w-1)
		}
		last = len(cols)
		sum := 0
		for _, c := range cols {
			sum += c.width
		}
		if len(cols) > 1 && sum > w {
			t.Fatalf("at %d cells the columns take %d", w, sum)
		}
		if cols[0].title != "#" {
			t.Fatalf("at %d cells the first column is %q", w, cols[0].title)
		}
	}
	if last != all {
		t.Errorf("a wide screen shows %d of %d columns", last, all)
	}
}

// TestFindKeepsWhatMatches: words look at the pull request and at its issue,
// fields at the issue, and what was selected stays so while it is shown.
func TestFindKeepsWhatMatches(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	m := New(&st)
	m.SetBody(layout.Rect{W: 100, H: 20}, layout.ShapeColumns)
	pull := func(name string, ref board.Ref, title, head string) state.Pull {
		return state.Pull{Ref: ref, PR: board.PullRequest{Name: name, Title: title, Head: head, State: board.PullOpen}}
	}
	snap := &state.Snapshot{
		Pulls: []state.Pull{
			pull("#41", "ACM-12", "Cache invalidation", "task/cache"), pull("#38", "ACM-9", "Search ranks", "task/ranks"), pull("#12", "", "Somebody's own", "own"),
		},
		Rows: []state.Row{
			{Issue: board.Issue{Ref: "ACM-12", Title: "Entries leave", Role: board.RoleInProgress, Milestone: "M1"}},
			{Issue: board.Issue{Ref: "ACM-9", Title: "Rank by age", Role: board.RoleHumanReview, Milestone: "M2", Labels: []string{"UI"}}},
		},
	}
	m.SetSnapshot(snap)
	m.Act(keymap.Down)
	for find, want := range map[string]string{
		"": "#41 #38 #12", "cache": "#41", "acm-9": "#38", "#12": "#12", "38": "#38", "own": "#12", "leave": "#41", "ui": "#38", "schrnk": "#38",
		"role:review": "#38", "milestone:m1": "#41", "label:ui rank": "#38", "label:ui cache": "", "zebra": "",
	} {
		m.Find(find)
		var got []string
		for i := range m.shown {
			got = append(got, m.at(i).PR.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("find %q shows %v, want %s", find, got, want)
		}
		if n, total := m.Found(); n != len(got) || total != 3 {
			t.Errorf("find %q counts %d of %d", find, n, total)
		}
		m.SetSnapshot(snap) // a new picture keeps it
		if len(m.shown) != len(got) {
			t.Errorf("a new picture shows %d for %q", len(m.shown), find)
		}
	}
	m.Find("zebra")
	if text := ansi.Strip(strings.Join(m.View(time.Time{}), "\n")); !strings.Contains(text, "nothing matches `zebra`; esc shows all 3") || m.Subject().PR != "" {
		t.Errorf("subject %+v under\n%s", m.Subject(), text)
	}
	m.Find("task")
	if p := m.Subject().PR; p != "#38" && p != "#41" {
		t.Errorf("the subject is %q", p)
	}
	first := m.Subject().PR
	m.Act(keymap.Last)
	if m.Act(keymap.PrevMatch); m.Subject().PR != "#41" {
		t.Errorf("the match before %s is %s", first, m.Subject().PR)
	}
	m.Find("")
	if m.Subject().PR != "#41" || m.Act(keymap.NextMatch).Say == "" {
		t.Errorf("the end of a search selects %s", m.Subject().PR)
	}
}

// A row says why nobody knows how its checks stand, also where other columns
// give way to it; rows that know look as ever.
func TestUnknownChecksSayWhy(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	m := New(&st)
	known := state.Pull{PR: board.PullRequest{Name: "#1", State: board.PullOpen, Checks: board.ChecksNone}}
	unknown := state.Pull{PR: board.PullRequest{Name: "#2", State: board.PullOpen, Checks: board.ChecksUnknown, ChecksWhy: "403, the\x1b[31m App may not"}}
	for _, w := range []int{200, 120, 80} {
		m.SetBody(layout.Rect{W: w, H: 10}, layout.ShapeColumns)
		m.SetSnapshot(&state.Snapshot{Pulls: []state.Pull{known, unknown}})
		if text := ansi.Strip(strings.Join(m.View(time.Time{}), "\n")); !strings.Contains(text, "unknown: 403, the") {
			t.Errorf("at %d cells:\n%s", w, text)
		}
		m.SetSnapshot(&state.Snapshot{Pulls: []state.Pull{known}})
		if m.checksWidth() != 12 {
			t.Errorf("where all are known the column takes %d cells", m.checksWidth())
		}
	}
}
