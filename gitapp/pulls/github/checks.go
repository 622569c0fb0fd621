package github

import (
	"context"
	"net/http"
	"slices"
	"strings"

	gogithub "github.com/google/go-github/v88/github"

	"github.com/backside4charter/dispatcher/board"
)

// compareChecks holds a green roll-up to the check runs that REST lists: one has
// been seen to leave a failing run out (SYMPTOMS.md, GitHub 23). It costs one
// request for each pull request that was read anew and is green, and none where
// the App may not read checks, which their roll-up does not need.
func (s *Store) compareChecks(ctx context.Context, pr *board.PullRequest) error {
	if pr.State != board.PullOpen || pr.Checks != board.ChecksGreen || s.noChecks.Load() {
		return nil
	}
	filter := "latest"
	got, _, err := s.read.rest.Checks.ListCheckRunsForRef(ctx, s.owner(), s.name(), pr.HeadSHA,
		&gogithub.ListCheckRunsOptions{Filter: &filter, ListOptions: gogithub.ListOptions{PerPage: 100}})
	switch code := status(err); {
	case code == http.StatusForbidden && s.gate.Open() == nil, code == http.StatusNotFound:
		s.noChecks.Store(true)
		return nil
	case err != nil:
		return err
	}
	for _, r := range got.CheckRuns {
		c := contextWire{Typename: "CheckRun"}
		c.CheckRun.Name, c.CheckRun.Status = r.GetName(), strings.ToUpper(r.GetStatus())
		if r.Conclusion != nil {
			word := strings.ToUpper(r.GetConclusion())
			c.CheckRun.Conclusion = &word
		}
		run := checkOf(&c, pr.HeadSHA)
		if run.State == board.ChecksGreen || slices.Contains(pr.CheckRuns, run) {
			continue
		}
		pr.CheckRuns = append(pr.CheckRuns, run)
		if pr.Checks != board.ChecksRed {
			pr.Checks = run.State
		}
	}
	return nil
}
