//go:build unix

package cli_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// A worker's command looks whether the pull request of its row is merged before
// each write, in a process that has read nothing yet: that takes two requests
// at most, whatever else is open.
func TestMergedInTwoRequests(t *testing.T) {
	t.Parallel()
	w := newBadRepo(t).world(t)
	head, err := exec.CommandContext(t.Context(), "git", "-C", w.repo, "rev-parse", "change").Output()
	if err != nil {
		t.Fatal(err)
	}
	w.hub.With("acme/widgets", func(r *github.Repo) {
		for n := range 50 {
			r.Open(&github.Pull{Title: "T", Base: "main", Head: "change", Body: fmt.Sprint("About ", n), Author: "acme-developer[bot]", Created: time.Now()})
		}
		r.SetCheck(strings.TrimSpace(string(head)), github.Check{Name: "test", Done: true, Conclusion: "success"})
	})
	for _, args := range [][]string{{"board", "state", "1", "in-progress"}, {"board", "claim", "1", "dev", "--session", "s1"}} {
		if code, _, errs := w.run(args...); code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, errs)
		}
	}
	w.env["DISPATCHER_WORKER"], w.env["DISPATCHER_REF"], w.env["DISPATCHER_RUN"] = "developer", "#1", "s1"
	w.env["DISPATCHER_GITHUB_BOARD_TOKEN"] = "olive-token"
	asked := func(args ...string) (int, github.Counts) {
		before := len(w.hub.Requests())
		code, _, errs := w.run(args...)
		if code != 0 {
			t.Log(errs)
		}
		return code, github.Count(w.hub.Requests()[before:])
	}
	const boards = 4 // requests of the board for such a move, by GraphQL
	code, whole := asked("board", "state", "1", "question")
	t.Logf("a worker moves its row, the board's requests and its own together: %+v", whole)
	if code != 0 || whole.REST > 1 || whole.GraphQL > boards+2 { // REST is the token
		t.Errorf("exit %d, %+v", code, whole)
	}
}
