package present

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
)

func TestNotes(t *testing.T) {
	t.Parallel()
	note := func(path string, line int, body string) board.Finding {
		return board.Finding{Path: path, Line: line, Severity: "blocking", Body: body}
	}
	for _, c := range []struct {
		name, draft, text string
		notes             []board.Finding
	}{
		{"empty", "", "", nil},
		{"a sentence", "no: not so", "no: not so", nil},
		{"one note", "auth/login.go:41: say why", "", []board.Finding{note("auth/login.go", 41, "say why")}},
		{"a note begun", "auth/login.go:41: ", "", nil},
		{"text and notes", "Close.\n\na.go:1: x\nand y\nb/c.go: z", "Close.", []board.Finding{note("a.go", 1, "x\nand y"), note("b/c.go", 0, "z")}},
		{"a link", "see https://example.org/x", "see https://example.org/x", nil},
		{"a bare link", "https://example.org:80/x", "https://example.org:80/x", nil},
	} {
		text, notes := Notes(c.draft)
		if len(notes) == 0 {
			notes = nil
		}
		if diff := cmp.Diff(c.notes, notes); text != c.text || diff != "" {
			t.Errorf("%s: text %q, notes %s", c.name, text, diff)
		}
	}
}

func FuzzNotes(f *testing.F) {
	f.Add("Close.\n\na.go:1: x\nand y\nb/c.go: z")
	f.Fuzz(func(t *testing.T, draft string) {
		text, notes := Notes(draft)
		if !strings.Contains(draft, text) {
			t.Errorf("text %q is not of the draft", text)
		}
		for _, n := range notes {
			if n.Path == "" || n.Body == "" || n.Line < 0 {
				t.Errorf("note %+v", n)
			}
		}
	})
}

func TestReview(t *testing.T) {
	t.Parallel()
	styles := themes.For(true).Styles()
	signs := styles.Signs
	for want, r := range map[string][]board.Review{
		signs.No:                  nil,
		"PASS at 9c1f2e0":         {{Bot: true, State: board.ReviewComment, Commit: "9c1f2e0011"}},
		"PASS at 77aa01, older":   {{Bot: true, State: board.ReviewComment, Commit: "77aa01"}},
		"1 blocking at 9c, older": {{Bot: true, Commit: "\x1b[31m9c", Findings: []board.Finding{{Severity: "blocking"}}}},
	} {
		got, _ := Review(nil, &state.Pull{PR: board.PullRequest{HeadSHA: "9c1f2e0011", Reviews: r}}, &signs)
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestReviewThatSentBackWithoutAFinding: the issue of the pull request says it.
func TestReviewThatSentBackWithoutAFinding(t *testing.T) {
	t.Parallel()
	styles := themes.For(true).Styles()
	s := &state.Snapshot{Rows: []state.Row{{Issue: board.Issue{Ref: "ACM-3", Comments: []board.Comment{
		{Role: board.ActorDispatcher, Body: board.SaidSentBack + "9c1f2e00; the findings are on the pull request."},
	}}}}}
	p := &state.Pull{Ref: "ACM-3", PR: board.PullRequest{HeadSHA: "9c1f2e0011", Reviews: []board.Review{{Bot: true, Commit: "9c1f2e0011"}}}}
	if got, tone := Review(s, p, &styles.Signs); got != "changes requested at 9c1f2e0" || tone != themes.ToneWarn {
		t.Errorf("%q, %v", got, tone)
	}
}

// Where checks may not be read, the reason stands whole, however narrow.
func TestUnknownChecks(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	why := "App acme-dev lacks the permission checks: grant it in the App's settings"
	p := &board.PullRequest{Checks: board.ChecksUnknown, ChecksWhy: why}
	if got, tone := ChecksInFull(p, &st.Signs); !strings.HasSuffix(got, "unknown: "+why) || tone != themes.ToneWarn {
		t.Errorf("%q, %v", got, tone)
	}
	lines := strings.Join(CheckLines(p, 30, &st), " ")
	if got := strings.Join(strings.Fields(ansi.Strip(lines)), " "); !strings.Contains(got, why) {
		t.Errorf("the page says %q", got)
	}
	p.Checks, p.ChecksWhy = board.ChecksGreen, ""
	if got, _ := ChecksInFull(p, &st.Signs); got != st.Signs.Done || CheckLines(p, 30, &st) != nil {
		t.Errorf("green checks say %q", got)
	}
}
