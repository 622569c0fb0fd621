package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	gogithub "github.com/google/go-github/v88/github"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// maxBody is how many characters GitHub takes in one text.
const maxBody = 65536

// Review posts a review as the reviewer App: always a comment, never another
// event (dispatcher-system.md, Agent identities, Rules). A finding on a line
// that the diff does not show cannot be anchored there and stands in the text;
// what is longer than one text follows as comments. The same review again is
// the same review.
func (s *Store) Review(ctx context.Context, req pulls.ReviewRequest) (board.Review, error) {
	r, err := s.post(ctx, s.rev, &req, "COMMENT")
	if err != nil {
		return board.Review{}, fmt.Errorf("review %s: %w", req.Name, err)
	}
	return r, nil
}

// noLoginError is why the owner's login cannot be had: a board.ErrNoLogin.
type noLoginError struct{ error }

func (noLoginError) Is(target error) bool { return target == board.ErrNoLogin }
func (e noLoginError) Unwrap() error      { return e.error }

// RequestChanges sends the owner's own review, with their own login.
func (s *Store) RequestChanges(ctx context.Context, req pulls.ChangesRequest) (board.Review, error) {
	fail := func(err error) (board.Review, error) {
		return board.Review{}, fmt.Errorf("request changes on %s: %w", req.Name, err)
	}
	pr, err := s.Get(ctx, req.Name)
	if err != nil {
		return fail(err)
	}
	if req.Head != "" && req.Head != pr.HeadSHA {
		return fail(fmt.Errorf("%w: it was %.12s and is %.12s; look again", pulls.ErrHeadMoved, req.Head, pr.HeadSHA))
	}
	if s.o.Owner == nil {
		return fail(fmt.Errorf("%w on GitHub; review it there: %s/files", board.ErrNoLogin, pr.URL))
	}
	token, err := s.o.Owner(ctx)
	if err != nil {
		return fail(noLoginError{fmt.Errorf("%w; or review it there: %s/files", err, pr.URL)})
	}
	person, err := s.client(&gitapp.App{Role: "owner"}, &ghapi.Session{Now: s.o.Now, Mint: func(context.Context) (ghapi.Token, error) {
		return ghapi.Token{Text: token}, nil
	}})
	if err != nil {
		return fail(err)
	}
	r, err := s.post(ctx, person, &pulls.ReviewRequest{Name: req.Name, Commit: pr.HeadSHA, Body: req.Body, Findings: req.Findings}, "REQUEST_CHANGES")
	if err != nil {
		return fail(err)
	}
	return r, nil
}

func (s *Store) post(ctx context.Context, as *api, req *pulls.ReviewRequest, event string) (board.Review, error) {
	if strings.TrimSpace(req.Body) == "" || !utf8.ValidString(req.Body) {
		return board.Review{}, errors.New("it needs a text, in UTF-8")
	}
	pr, err := s.Get(ctx, req.Name)
	if err != nil {
		return board.Review{}, err
	}
	comments, body, err := s.anchor(ctx, &pr, req)
	if err != nil {
		return board.Review{}, err
	}
	parts := split(body, maxBody)
	for i := range pr.Reviews {
		old := &pr.Reviews[i]
		if as == s.rev && old.Author == s.o.Reviewer.BotLogin && old.Commit == req.Commit && old.Body == parts[0] {
			return *old, s.postRest(ctx, as, &pr, parts[1:], old.At)
		}
	}
	if pr.State != board.PullOpen {
		return board.Review{}, fmt.Errorf("it is %s and %w", pr.State, pulls.ErrNotOpen)
	}
	posted, _, err := as.rest.PullRequests.CreateReview(ctx, s.owner(), s.name(), pr.Number, &gogithub.PullRequestReviewRequest{
		CommitID: &req.Commit, Body: &parts[0], Event: &event, Comments: comments,
	})
	if err != nil {
		return board.Review{}, s.plain(err)
	}
	if err := s.postRest(ctx, as, &pr, parts[1:], time.Time{}); err != nil {
		return board.Review{}, err
	}
	return board.Review{
		ID: strconv.FormatInt(posted.GetID(), 10), Author: posted.GetUser().GetLogin(), Bot: as == s.rev,
		State: stateOfReview(event), Commit: posted.GetCommitID(), Body: body, Findings: req.Findings, At: posted.GetSubmittedAt().Time,
	}, nil
}

// postRest posts what did not fit into a review as comments. Of a review that
// is there since a time, only those that are missing (failures.md, row 28).
func (s *Store) postRest(ctx context.Context, as *api, pr *board.PullRequest, parts []string, since time.Time) error {
	if len(parts) == 0 {
		return nil
	}
	there, err := s.comments(ctx, as, pr.Number, since)
	if err != nil {
		return fmt.Errorf("look for the rest of a long text: %w", s.plain(err))
	}
	for _, part := range parts {
		if i := slices.Index(there, strings.TrimSpace(part)); i >= 0 {
			there = slices.Delete(there, i, i+1)
			continue
		}
		if _, _, err := as.rest.Issues.CreateComment(ctx, s.owner(), s.name(), pr.Number, &gogithub.IssueComment{Body: &part}); err != nil {
			return fmt.Errorf("the rest of a long text: %w", s.plain(err))
		}
	}
	return nil
}

// comments are the texts that the reviewer App has put below a pull request
// since a time; none since no time.
func (s *Store) comments(ctx context.Context, as *api, number int, since time.Time) ([]string, error) {
	if since.IsZero() {
		return nil, nil
	}
	var out []string
	o := &gogithub.IssueListCommentsOptions{Since: &since, ListOptions: gogithub.ListOptions{PerPage: 100}}
	for {
		page, resp, err := as.rest.Issues.ListComments(ctx, s.owner(), s.name(), number, o)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if c.GetUser().GetLogin() == s.o.Reviewer.BotLogin {
				out = append(out, strings.TrimSpace(c.GetBody()))
			}
		}
		if resp.NextPage == 0 {
			return out, nil
		}
		o.Page = resp.NextPage
	}
}

func stateOfReview(event string) board.ReviewState {
	if event == "REQUEST_CHANGES" {
		return board.ReviewChangesRequested
	}
	return board.ReviewComment
}

// anchor puts findings on the lines that the diff shows, and the others into
// the text: GitHub refuses the whole review for one line outside.
func (s *Store) anchor(ctx context.Context, pr *board.PullRequest, req *pulls.ReviewRequest) ([]*gogithub.DraftReviewComment, string, error) {
	if len(req.Findings) == 0 {
		return nil, req.Body, nil
	}
	diff, err := s.judged(ctx, pr, req.Commit)
	if err != nil {
		return nil, "", err
	}
	shown := shownLines(diff)
	var on []*gogithub.DraftReviewComment
	var off strings.Builder
	for i := range req.Findings {
		f := &req.Findings[i]
		text := marked(f)
		if f.Line > 0 && shown[f.Path][f.Line] {
			side := "RIGHT"
			on = append(on, &gogithub.DraftReviewComment{Path: &f.Path, Line: &f.Line, Side: &side, Body: &text})
			continue
		}
		at := f.Path
		if f.Line > 0 {
			at += ":" + strconv.Itoa(f.Line)
		}
		fmt.Fprintf(&off, "\n- `%s` %s", at, strings.ReplaceAll(text, "\n", "\n  "))
	}
	if off.Len() == 0 {
		return on, req.Body, nil
	}
	return on, strings.TrimRight(req.Body, "\n") + "\n\nNot on a line of the diff:\n" + off.String() + "\n", nil
}

// judged is what the pull request changed at the commit that was judged, which
// need not be its head. It is empty where GitHub shows none: what changes more
// than it shows (406), and a commit that is gone.
func (s *Store) judged(ctx context.Context, pr *board.PullRequest, commit string) (string, error) {
	var text string
	var err error
	if commit == "" || commit == pr.HeadSHA || pr.BaseSHA == "" {
		text, err = s.Diff(ctx, pr.Name)
	} else {
		text, _, err = s.read.rest.Repositories.CompareCommitsRaw(ctx, s.owner(), s.name(), pr.BaseSHA, commit, gogithub.RawOptions{Type: gogithub.Diff})
	}
	switch code := status(err); {
	case code == http.StatusNotAcceptable, code == http.StatusNotFound && !errors.Is(err, pulls.ErrNotFound):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("see what lines the diff shows: %w", s.plain(err))
	}
	return text, nil
}

// shownLines are the lines of the new side that a unified diff shows, by path.
func shownLines(diff string) map[string]map[int]bool {
	out := map[string]map[int]bool{}
	path, line, left := "", 0, 0
	for l := range strings.Lines(diff) {
		l = strings.TrimRight(l, "\r\n")
		switch {
		case left <= 0 && strings.HasPrefix(l, "+++ "):
			path = strings.TrimPrefix(strings.TrimPrefix(l, "+++ "), "b/")
		case strings.HasPrefix(l, "@@ ") && left <= 0:
			line, left = newSide(l)
			if out[path] == nil {
				out[path] = map[int]bool{}
			}
		case left > 0 && (strings.HasPrefix(l, "+") || strings.HasPrefix(l, " ") || l == ""):
			out[path][line] = true
			line++
			left--
		}
	}
	return out
}

// newSide reads the second range of a hunk's head: @@ -1,2 +3,4 @@.
func newSide(head string) (from, count int) {
	_, after, _ := strings.Cut(head, "+")
	span, _, _ := strings.Cut(after, " ")
	a, b, two := strings.Cut(span, ",")
	from, _ = strconv.Atoi(a)
	count = 1
	if two {
		count, _ = strconv.Atoi(b)
	}
	return from, count
}

// split cuts a text into parts of at most limit characters each, at line ends
// where there are some.
func split(text string, limit int) []string {
	var parts []string
	runes := []rune(text)
	for len(runes) > limit {
		at := limit
		for i := limit; i > limit/2; i-- {
			if runes[i-1] == '\n' {
				at = i
				break
			}
		}
		parts = append(parts, string(runes[:at]))
		runes = runes[at:]
	}
	return append(parts, string(runes))
}
