package github

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

var closingWord = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):? #([1-9][0-9]{0,8})\b`)

// closes are the issues that a merge of the pull request closes: those that its
// text names, if it goes into the default branch.
func (r *Repo) closes(p *Pull) []int {
	out := slices.Clone(p.Closes)
	if p.Base != r.Default {
		return out
	}
	for _, m := range closingWord.FindAllStringSubmatch(p.Body, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// MergePull merges a pull request as a person does on its page: the issues that
// it names are closed, and the projects' own workflow moves them to Done.
func (s *Server) MergePull(repo string, number int, by string) error {
	return s.change(func() error {
		r := s.repos[repo]
		if r == nil {
			return fmt.Errorf("there is no repository %s", repo)
		}
		p := r.Pull(number)
		switch {
		case p == nil:
			return fmt.Errorf("there is no pull request %d", number)
		case !p.Merged.IsZero():
			return nil
		case p.State != "open":
			return fmt.Errorf("pull request %d is closed", number)
		case p.Draft:
			return fmt.Errorf("pull request %d is a draft", number)
		}
		if err := r.Merge(p, by, s.now()); err != nil {
			return err
		}
		s.emitPull(r, p, "closed", by, nil)
		s.closeIssues(r, r.closes(p), by, s.now())
		return nil
	})
}

// ReviewPull reviews a pull request as a person does on its page.
func (s *Server) ReviewPull(repo string, number int, by, state, body string) error {
	return s.change(func() error {
		r := s.repos[repo]
		if r == nil || r.Pull(number) == nil {
			return fmt.Errorf("there is no pull request %d in %s", number, repo)
		}
		p := r.Pull(number)
		v := r.Review(p, by, state, body, s.now())
		s.emitReview(r, p, &v)
		return nil
	})
}

// Close closes an issue as a merge does: the projects' own workflow moves it to
// Done.
func (s *Server) Close(repo string, number int) {
	_ = s.change(func() error { // not kept now, it is with the next write
		r := s.repos[repo]
		s.closeIssues(r, []int{number}, r.Owner, s.now())
		return nil
	})
}

func (s *Server) closeIssues(r *Repo, numbers []int, by string, at time.Time) {
	for _, n := range numbers {
		i := r.Issue(n)
		if i == nil || i.Closed {
			continue
		}
		i.Closed, i.Updated = true, at
		s.emitIssue(r, i, "closed", by, nil)
		for _, project := range s.projects {
			it, done := project.Item(r.Owner+"/"+r.Name, n), project.option("Done")
			if it != nil && !it.Archived && done != "" {
				project.move(it, done, at)
			}
		}
	}
}
