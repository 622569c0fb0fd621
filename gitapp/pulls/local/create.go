package local

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/git"
)

// Bounds of what is written, as on GitHub.
const (
	maxTitle = 256     // characters
	maxBody  = 1 << 18 // bytes
)

// Create opens a pull request by the developer identity. It refuses a head
// that is the base, is not there, or has no commits of its own, and one that
// already has an open pull request (pulls.ErrExists, naming it).
func (s *Store) Create(ctx context.Context, req pulls.CreateRequest) (board.PullRequest, error) {
	fail := func(err error) (board.PullRequest, error) {
		return board.PullRequest{}, fmt.Errorf("open a pull request from %s: %w", req.Head, err)
	}
	if req.Base == "" {
		req.Base = s.o.Base
	}
	if err := checkText(req.Title, req.Body); err != nil {
		return fail(err)
	}
	if err := errors.Join(git.ValidBranch(req.Head), git.ValidBranch(req.Base)); err != nil {
		return fail(err)
	}
	if req.Head == req.Base {
		return fail(fmt.Errorf("the head is the base %s itself: commit on a branch of its own", req.Base))
	}
	r := record{
		Title: strings.TrimSpace(req.Title), Body: req.Body, State: board.PullOpen, Draft: req.Draft,
		Author: s.o.Developer.Name, ByAgent: true, Base: req.Base, Head: req.Head, CreatedAt: s.now(),
	}
	if err := s.readHead(ctx, &r); err != nil {
		return fail(err)
	}
	err := s.locked(ctx, lockRecords, func() error { return s.insert(&r) })
	if err != nil {
		return fail(err)
	}
	return s.Get(ctx, pulls.Name(r.Number))
}

// readHead fills in where a new pull request stands.
func (s *Store) readHead(ctx context.Context, r *record) error {
	now, err := s.heads(ctx, []record{*r})
	if err != nil {
		return err
	}
	base, ok := now[r.Base]
	if !ok {
		return fmt.Errorf("there is no branch %s to merge into", r.Base)
	}
	if r.HeadSHA, ok = now[r.Head]; !ok {
		if s.o.Remote != "" {
			return fmt.Errorf("%s has no branch %s: push it first (`git push -u %s HEAD`)", s.o.Remote, r.Head, s.o.Remote)
		}
		return fmt.Errorf("there is no branch %s", r.Head)
	}
	d, err := s.derive(ctx, pair{base, r.HeadSHA})
	if err != nil {
		return err
	}
	if d.ahead == 0 {
		return fmt.Errorf("%s has no commits that %s lacks: commit%s first", r.Head, r.Base, andPush(s.o.Remote))
	}
	r.ForkSHA = d.fork
	return nil
}

func andPush(remote string) string {
	if remote == "" {
		return ""
	}
	return " and push"
}

// insert gives a record the next number.
func (s *Store) insert(r *record) error {
	numbers, err := s.numbers()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		r.Number = n
		if other, err := s.load(n); err == nil && other.State == board.PullOpen && other.Head == r.Head {
			return fmt.Errorf("%s is %w: push to its branch instead", pulls.Name(n), pulls.ErrExists)
		}
	}
	r.Number++
	return s.save(r)
}

// Update changes an open pull request's text, or whether it is a draft.
func (s *Store) Update(ctx context.Context, name string, e pulls.Edit) (board.PullRequest, error) {
	number, err := pulls.ParseName(name)
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("%w: %w", pulls.ErrNotFound, err)
	}
	_, err = s.update(ctx, number, func(r *record) (bool, error) {
		if r.State != board.PullOpen {
			return false, notOpen(r)
		}
		if e.Title != nil {
			r.Title = strings.TrimSpace(*e.Title)
		}
		if e.Body != nil {
			r.Body = *e.Body
		}
		if e.Draft != nil {
			r.Draft = *e.Draft
		}
		return true, checkText(r.Title, r.Body)
	})
	if err != nil {
		return board.PullRequest{}, fmt.Errorf("change %s: %w", pulls.Name(number), err)
	}
	return s.Get(ctx, name)
}

func notOpen(r *record) error {
	return fmt.Errorf("%s is %s and %w any more", pulls.Name(r.Number), r.State, pulls.ErrNotOpen)
}

func checkText(title, body string) error {
	title = strings.TrimSpace(title)
	switch {
	case title == "":
		return errors.New("it needs a title (--title)")
	case strings.ContainsAny(title, "\r\n"):
		return errors.New("a title is one line: the rest belongs in the body")
	case utf8.RuneCountInString(title) > maxTitle:
		return fmt.Errorf("the title is longer than %d characters", maxTitle)
	case !utf8.ValidString(title) || !utf8.ValidString(body):
		return errors.New("title and body must be UTF-8")
	case len(body) > maxBody:
		return fmt.Errorf("the body is longer than %d KiB", maxBody>>10)
	}
	return nil
}
