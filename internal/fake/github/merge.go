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
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember()
	r := s.repos[repo]
	p := r.Pull(number)
	if p == nil {
		return fmt.Errorf("there is no pull request %d", number)
	}
	if err := r.Merge(p, by, s.now()); err != nil {
		return err
	}
	s.closeIssues(r, r.closes(p), s.now())
	return nil
}

// Close closes an issue as a merge does: the projects' own workflow moves it to
// Done.
func (s *Server) Close(repo string, number int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember()
	s.closeIssues(s.repos[repo], []int{number}, s.now())
}

func (s *Server) closeIssues(r *Repo, numbers []int, at time.Time) {
	for _, n := range numbers {
		i := r.Issue(n)
		if i == nil || i.Closed {
			continue
		}
		i.Closed, i.Updated = true, at
		for _, project := range s.projects {
			it, done := project.Item(r.Owner+"/"+r.Name, n), project.option("Done")
			if it != nil && !it.Archived && done != "" {
				project.move(it, done, at)
			}
		}
	}
}
