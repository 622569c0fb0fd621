package board_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

func TestVerdict(t *testing.T) {
	t.Parallel()
	blocking, nit := board.Finding{Severity: "blocking"}, board.Finding{Severity: "nit"}
	const head, before = "9c1f2e0011", "77aa0122"
	for name, c := range map[string]struct {
		reviews []board.Review
		want    board.Verdict
	}{
		"none":        {nil, board.Verdict{}},
		"pass":        {[]board.Review{{Bot: true, State: board.ReviewComment, Commit: head, Findings: []board.Finding{nit}}}, board.Verdict{Text: "PASS at 9c1f2e0", Pass: true}},
		"pass, older": {[]board.Review{{Bot: true, State: board.ReviewComment, Commit: before}}, board.Verdict{Text: "PASS at 77aa012, older", Pass: true, Old: true}},
		"blocking":    {[]board.Review{{Bot: true, State: board.ReviewComment, Commit: head, Findings: []board.Finding{blocking, nit, blocking}}}, board.Verdict{Text: "2 blocking at 9c1f2e0"}},
		"not read":    {[]board.Review{{Bot: true, State: board.ReviewComment, Commit: head, FindingsUnread: true}}, board.Verdict{}},
		"a person's not read": {
			[]board.Review{{State: board.ReviewChangesRequested, Commit: head, FindingsUnread: true}}, board.Verdict{Text: "changes requested at 9c1f2e0"},
		},
		"a remark's not read": {[]board.Review{{State: board.ReviewComment, Commit: head, FindingsUnread: true}}, board.Verdict{}},
		"by a person":         {[]board.Review{{State: board.ReviewChangesRequested, Commit: head}}, board.Verdict{Text: "changes requested at 9c1f2e0"}},
		"a remark":            {[]board.Review{{State: board.ReviewComment, Commit: head}}, board.Verdict{Text: "commented at 9c1f2e0"}},
		"on no commit":        {[]board.Review{{Bot: true}}, board.Verdict{Text: "PASS", Pass: true}},
		"on a short one":      {[]board.Review{{Bot: true, Commit: "9c"}}, board.Verdict{Text: "PASS at 9c, older", Pass: true, Old: true}},
		"the last counts": {
			[]board.Review{{Bot: true, Commit: before, Findings: []board.Finding{blocking}}, {Bot: true, Commit: head}},
			board.Verdict{Text: "PASS at 9c1f2e0", Pass: true},
		},
	} {
		p := board.PullRequest{HeadSHA: head, Reviews: c.reviews}
		if got := p.Verdict(nil); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// TestVerdictThatItsIssueKnows: a reviewer may ask for changes without a
// blocking finding, and a forge does not keep that.
func TestVerdictThatItsIssueKnows(t *testing.T) {
	t.Parallel()
	const head = "9c1f2e0011"
	back, pass := board.SaidSentBack+"9c1f2e00; the findings are on the pull request.\n\n#3", board.SaidPass+"9c1f2e00. #3 waits for your merge."
	says := func(role board.ActorKind, bodies ...string) *board.Issue {
		i := &board.Issue{}
		for _, b := range bodies {
			i.Comments = append(i.Comments, board.Comment{Role: role, Body: b})
		}
		return i
	}
	for name, c := range map[string]struct {
		issue *board.Issue
		want  string
	}{
		"sent back":               {says(board.ActorDispatcher, back, "PR #3"), "changes requested at 9c1f2e0"},
		"sent back, then passed":  {says(board.ActorDispatcher, back, pass), "PASS at 9c1f2e0"},
		"passed, then sent back":  {says(board.ActorDispatcher, pass, back), "changes requested at 9c1f2e0"},
		"sent back at other head": {says(board.ActorDispatcher, board.SaidSentBack+"77aa0122; x"), "PASS at 9c1f2e0"},
		"said by somebody else":   {says(board.ActorDeveloper, back), "PASS at 9c1f2e0"},
		"of no head":              {says(board.ActorDispatcher, board.SaidSentBack+"; x"), "PASS at 9c1f2e0"},
	} {
		p := board.PullRequest{HeadSHA: head, Reviews: []board.Review{{Bot: true, Commit: head}}}
		if got := p.Verdict(c.issue); got.Text != c.want || got.Pass != strings.HasPrefix(c.want, "PASS") {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}
