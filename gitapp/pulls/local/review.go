package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git"
)

// Review posts a review: always a comment, never an approval or a refusal
// (dispatcher-system.md, Reviewer). The findings must be anchored to paths that
// the pull request changes and to lines that are there. The same review again
// is the same review.
func (s *Store) Review(ctx context.Context, req pulls.ReviewRequest) (board.Review, error) {
	fail := func(err error) (board.Review, error) {
		return board.Review{}, fmt.Errorf("review %s: %w", req.Name, err)
	}
	if err := checkBody(req.Body); err != nil {
		return fail(err)
	}
	pr, err := s.Get(ctx, req.Name)
	if err != nil {
		return fail(err)
	}
	commit, err := s.reviewed(ctx, &pr, req.Commit)
	if err != nil {
		return fail(err)
	}
	if err := s.anchored(ctx, &pr, commit, req.Findings); err != nil {
		return fail(err)
	}
	review := board.Review{
		Author: s.o.Reviewer.Name, Bot: true, State: board.ReviewComment, Commit: commit, Body: req.Body, Findings: req.Findings, At: s.now(),
	}
	review, err = s.addReview(ctx, pr.Number, review)
	if err != nil {
		return fail(err)
	}
	return review, nil
}

// RequestChanges records that a person wants changes at the head as it is now.
func (s *Store) RequestChanges(ctx context.Context, req pulls.ChangesRequest) (board.Review, error) {
	fail := func(err error) (board.Review, error) {
		return board.Review{}, fmt.Errorf("request changes on %s: %w", req.Name, err)
	}
	if err := checkBody(req.Body); err != nil {
		return fail(err)
	}
	pr, err := s.Get(ctx, req.Name)
	if err != nil {
		return fail(err)
	}
	if err := unmoved(&pr, req.Head); err != nil {
		return fail(err)
	}
	if err := s.anchored(ctx, &pr, pr.HeadSHA, req.Findings); err != nil {
		return fail(err)
	}
	review, err := s.addReview(ctx, pr.Number, board.Review{
		Author: req.By, State: board.ReviewChangesRequested, Commit: pr.HeadSHA, Body: req.Body, Findings: req.Findings, At: s.now(),
	})
	if err != nil {
		return fail(err)
	}
	return review, nil
}

// Withdraw takes a request of a person's back, as long as it is the last word
// on the pull request. One that is gone already is no error.
func (s *Store) Withdraw(ctx context.Context, name, review string) error {
	pr, err := s.Get(ctx, name)
	if err == nil {
		_, err = s.update(ctx, pr.Number, func(r *record) (bool, error) {
			at := slices.IndexFunc(r.Reviews, func(v board.Review) bool { return v.ID == review })
			switch {
			case at < 0:
				return false, nil
			case r.Reviews[at].Bot || at != len(r.Reviews)-1:
				return false, errors.New("others have reviewed it since")
			}
			r.Reviews = r.Reviews[:at]
			return true, nil
		})
	}
	if err != nil {
		return fmt.Errorf("withdraw review %s of %s: %w", review, name, err)
	}
	return nil
}

// unmoved refuses what was decided on another head than the present one.
func unmoved(pr *board.PullRequest, head string) error {
	if head == "" || head == pr.HeadSHA {
		return nil
	}
	return fmt.Errorf("%w: it was %.12s and is %.12s; look again", pulls.ErrHeadMoved, head, pr.HeadSHA)
}

func checkBody(body string) error {
	switch {
	case strings.TrimSpace(body) == "":
		return errors.New("it needs a text")
	case !utf8.ValidString(body):
		return errors.New("the text must be UTF-8")
	case len(body) > maxBody:
		return fmt.Errorf("the text is longer than %d KiB", maxBody>>10)
	}
	return nil
}

// addReview appends a review and numbers it, unless it is there already.
func (s *Store) addReview(ctx context.Context, number int, review board.Review) (board.Review, error) {
	_, err := s.update(ctx, number, func(r *record) (bool, error) {
		for _, old := range r.Reviews {
			again := review
			again.ID, again.At = old.ID, old.At
			if reflect.DeepEqual(old, again) {
				review = old
				return false, nil
			}
		}
		if r.State != board.PullOpen {
			return false, notOpen(r)
		}
		review.ID = fmt.Sprintf("%d-%d", r.Number, len(r.Reviews)+1)
		r.Reviews = append(r.Reviews, review)
		return true, nil
	})
	return review, err
}

// reviewed resolves the commit that was reviewed: one of the pull request's.
func (s *Store) reviewed(ctx context.Context, pr *board.PullRequest, commit string) (string, error) {
	if err := git.ValidCommit(commit); err != nil {
		return "", err
	}
	id, err := s.o.Git.RevParse(ctx, s.o.Repo, commit)
	if err != nil {
		return "", err
	}
	part, err := s.o.Git.IsAncestor(ctx, s.o.Repo, id, pr.HeadSHA)
	if err != nil {
		return "", err
	}
	base, err := s.baseOf(ctx, pr)
	if err != nil {
		return "", err
	}
	old, err := s.o.Git.IsAncestor(ctx, s.o.Repo, id, base)
	if err != nil {
		return "", err
	}
	if pr.State == board.PullOpen && (!part || old) {
		return "", fmt.Errorf("%.12s is no commit of it: its head is %s", commit, pr.HeadSHA)
	}
	return id, nil
}

// baseOf is where the base stands now.
func (s *Store) baseOf(ctx context.Context, pr *board.PullRequest) (string, error) {
	now, err := s.heads(ctx, []record{{State: board.PullOpen, Base: pr.Base, Head: pr.Head}})
	if err != nil {
		return "", err
	}
	if now[pr.Base] == "" {
		return "", fmt.Errorf("its base %s is not there (any more)", pr.Base)
	}
	return now[pr.Base], nil
}

// anchored holds findings against the pull request: every violation is named.
func (s *Store) anchored(ctx context.Context, pr *board.PullRequest, commit string, findings []board.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	r, err := s.load(pr.Number)
	if err != nil {
		return err
	}
	changed, err := s.o.Git.ChangedPaths(ctx, s.o.Repo, r.ForkSHA, commit)
	if err != nil {
		return err
	}
	var errs []error
	for i, f := range findings {
		if !slices.Contains(changed, f.Path) {
			errs = append(errs, fmt.Errorf("findings[%d].path: %s does not change %.120q: it changes %s", i, pr.Name, f.Path, some(changed)))
			continue
		}
		if f.Line == 0 {
			continue
		}
		lines, err := s.lines(ctx, commit, f.Path)
		if err != nil {
			return err
		}
		if f.Line > lines {
			errs = append(errs, fmt.Errorf("findings[%d].line: %q has %d lines at %.12s, there is no line %d", i, f.Path, lines, commit, f.Line))
		}
	}
	return errors.Join(errs...)
}

// lines counts the lines of a file; a deleted one has none.
func (s *Store) lines(ctx context.Context, commit, path string) (int, error) {
	data, err := s.o.Git.File(ctx, s.o.Repo, commit, path)
	if errors.Is(err, git.ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	n := bytes.Count(data, []byte("\n"))
	if len(data) > 0 && data[len(data)-1] != '\n' {
		n++
	}
	return n, nil
}

// some lists the first few paths, and how many more there are.
func some(paths []string) string {
	const enough = 5
	text := strings.Join(paths[:min(len(paths), enough)], ", ")
	if more := len(paths) - enough; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
