package local_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

func TestReview(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, w *world) {
		wt := w.branch("task/dsp-3-x", "flag.txt", "one\ntwo\n")
		w.create("task/dsp-3-x")
		first := wt.Head()
		findings := []board.Finding{
			{Path: "flag.txt", Line: 2, Severity: "blocking", Body: "wrong"},
			{Path: "flag.txt", Severity: "nit", Body: "as a whole"},
		}
		review, err := w.store.Review(ctx, pulls.ReviewRequest{Name: "#1", Commit: first[:12], Body: "Two things", Findings: findings})
		if err != nil {
			t.Fatal(err)
		}
		want := board.Review{
			ID: "1-1", Author: "rev", Bot: true, State: board.ReviewComment, Commit: first, Body: "Two things", Findings: findings, At: noon,
		}
		if diff := cmp.Diff(want, review); diff != "" {
			t.Error(diff)
		}
		if again, err := w.store.Review(ctx, pulls.ReviewRequest{Name: "1", Commit: first, Body: "Two things", Findings: findings}); err != nil || again.ID != "1-1" {
			t.Errorf("the same again: %+v, %v", again, err)
		}
		// An earlier head may still be reviewed when the branch has moved on.
		second := w.commit(wt, "more.txt", "x")
		if r, err := w.store.Review(ctx, pulls.ReviewRequest{Name: "1", Commit: first, Body: "Late"}); err != nil || r.Commit != first {
			t.Errorf("review of an earlier head: %+v, %v", r, err)
		}
		person, err := w.store.RequestChanges(ctx, pulls.ChangesRequest{Name: "1", By: "Olive Owner", Body: "Please rename it"})
		if err != nil || person.ID != "1-3" || person.Bot || person.State != board.ReviewChangesRequested || person.Commit != second {
			t.Errorf("request = %+v, %v", person, err)
		}
		if pr := w.get("1"); len(pr.Reviews) != 3 {
			t.Errorf("reviews = %+v", pr.Reviews)
		}
	})
}

func TestReviewRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	wt := w.branch("task/dsp-3-x", "flag.txt", "one\ntwo")
	w.create("task/dsp-3-x")
	head := wt.Head()
	foreign := w.branch("task/dsp-4-y", "other.txt", "x").Head()
	finding := func(f board.Finding) pulls.ReviewRequest {
		f.Severity, f.Body = "nit", "x"
		return pulls.ReviewRequest{Name: "1", Commit: head, Body: "b", Findings: []board.Finding{f}}
	}
	for name, tc := range map[string]struct {
		req  pulls.ReviewRequest
		want string
	}{
		"no text":               {pulls.ReviewRequest{Name: "1", Commit: head, Body: " \n"}, "needs a text"},
		"unknown":               {pulls.ReviewRequest{Name: "7", Commit: head, Body: "b"}, "no such pull request"},
		"no commit id":          {pulls.ReviewRequest{Name: "1", Commit: "HEAD", Body: "b"}, "hexadecimal"},
		"commit not there":      {pulls.ReviewRequest{Name: "1", Commit: strings.Repeat("a", 40), Body: "b"}, "not found"},
		"commit of another":     {pulls.ReviewRequest{Name: "1", Commit: foreign, Body: "b"}, "its head is " + head},
		"commit of the base":    {pulls.ReviewRequest{Name: "1", Commit: w.repo.Head(), Body: "b"}, "no commit of it"},
		"path not changed":      {finding(board.Finding{Path: "README.md", Line: 1}), "does not change"},
		"path outside":          {finding(board.Finding{Path: "../x", Line: 1}), "findings[0].path"},
		"line not there":        {finding(board.Finding{Path: "flag.txt", Line: 3}), "has 2 lines"},
		"last line without end": {finding(board.Finding{Path: "flag.txt", Line: 2}), ""},
	} {
		_, err := w.store.Review(ctx, tc.req)
		if tc.want == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: err = %v", name, err)
		}
	}
	if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.RequestChanges(ctx, pulls.ChangesRequest{Name: "1", By: "Olive", Body: "Too late"}); !errors.Is(err, pulls.ErrNotOpen) {
		t.Errorf("err = %v", err)
	}
	if _, err := w.store.Review(ctx, pulls.ReviewRequest{Name: "1", Commit: head, Body: "Too late"}); !errors.Is(err, pulls.ErrNotOpen) {
		t.Errorf("err = %v", err)
	}
}

// TestWithdraw: a person's last word is taken back, and nobody else's.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	w := newWorld(t, true)
	wt := w.branch("task/dsp-3-x", "flag.txt", "one\ntwo")
	w.create("task/dsp-3-x")
	head := wt.Head()
	ask := func(body string) board.Review {
		r, err := w.store.RequestChanges(ctx, pulls.ChangesRequest{
			Name: "1", By: "Olive", Body: body, Head: head, Findings: []board.Finding{{Path: "flag.txt", Line: 2, Severity: "blocking", Body: "why two?"}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := ask("shorter")
	if len(first.Findings) != 1 {
		t.Errorf("its findings are %+v", first.Findings)
	}
	for range 2 { // twice is once
		if err := w.store.Withdraw(ctx, "1", first.ID); err != nil {
			t.Error(err)
		}
	}
	if pr := w.get("1"); len(pr.Reviews) != 0 {
		t.Errorf("reviews = %+v", pr.Reviews)
	}
	again := ask("longer")
	bot, err := w.store.Review(ctx, pulls.ReviewRequest{Name: "1", Commit: head, Body: "fine"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{again.ID, bot.ID} {
		if err := w.store.Withdraw(ctx, "1", id); err == nil {
			t.Errorf("review %s is withdrawn", id)
		}
	}
	if _, err := w.store.RequestChanges(ctx, pulls.ChangesRequest{Name: "1", By: "Olive", Body: "x", Head: strings.Repeat("a", 40)}); !errors.Is(err, pulls.ErrHeadMoved) {
		t.Errorf("a request on another head: %v", err)
	}
	if _, err := w.store.Merge(ctx, pulls.MergeRequest{Name: "1", By: owner, Head: strings.Repeat("a", 40)}); !errors.Is(err, pulls.ErrHeadMoved) {
		t.Errorf("a merge of another head: %v", err)
	}
}
