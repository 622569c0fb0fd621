package board_test

import (
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
		if got := p.Verdict(); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
