package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/loop"
)

// reviewed is a forge that takes every review.
type reviewed struct {
	pulls.Forge
	pr     board.PullRequest
	got    []pulls.ChangesRequest
	unread error
}

func (r *reviewed) RequestChanges(_ context.Context, q pulls.ChangesRequest) (board.Review, error) {
	if q.Head != r.pr.HeadSHA {
		return board.Review{}, pulls.ErrHeadMoved
	}
	r.got = append(r.got, q)
	return board.Review{ID: fmt.Sprintf("v%d", len(r.got))}, nil
}

func (r *reviewed) Get(context.Context, string) (board.PullRequest, error) { return r.pr, r.unread }

// stuck is a board of files that cannot be read, or some of whose rows cannot
// be moved or released.
type stuck struct {
	*native.Board
	unread         error
	moves, release []board.Ref
}

var errStuck = errors.New("the disk is full")

func (s *stuck) Poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	if s.unread != nil {
		return nil, s.unread
	}
	return s.Board.Poll(ctx, q)
}

func (s *stuck) SetState(ctx context.Context, by board.Actor, ref board.Ref, to string, from board.Role) error {
	if slices.Contains(s.moves, ref) {
		return errStuck
	}
	return s.Board.SetState(ctx, by, ref, to, from)
}

func (s *stuck) Release(ctx context.Context, by board.Actor, ref board.Ref, session string) error {
	if slices.Contains(s.release, ref) {
		return errStuck
	}
	return s.Board.Release(ctx, by, ref, session)
}

// A request for changes that was posted is answered with what it did, whatever
// of the board could not be written: it must not be sent again.
func TestARequestWhoseRowsCannotBeWritten(t *testing.T) {
	t.Parallel()
	const one, two = board.Ref("DSP-1"), board.Ref("DSP-2")
	away := errors.New("away")
	for name, c := range map[string]struct {
		head   string
		forge  reviewed
		board  stuck
		posted bool
		sent   []board.Ref
		want   error
	}{
		"all are written":     {posted: true, sent: []board.Ref{one, two}},
		"the head moved":      {head: "other", want: pulls.ErrHeadMoved},
		"no pull request":     {forge: reviewed{unread: away}, posted: true, want: away},
		"no board":            {board: stuck{unread: away}, posted: true, want: away},
		"the first stays":     {board: stuck{moves: []board.Ref{one}}, posted: true, sent: []board.Ref{two}, want: errStuck},
		"none moves":          {board: stuck{moves: []board.Ref{one, two}}, posted: true, want: errStuck},
		"moved, not released": {board: stuck{release: []board.Ref{two}}, posted: true, sent: []board.Ref{one}, want: errStuck},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files, err := native.Open(native.Options{Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			c.board.Board = files
			c.forge.pr = board.PullRequest{Number: 3, Name: "#3", HeadSHA: "9c1f2e", Issues: []board.Ref{one, two}, State: board.PullOpen}
			f := &Factory{Getenv: func(string) string { return "" }, Dir: t.TempDir()}
			f.pulls = &c.forge
			f.boardOnce.Do(func() {})
			f.board = board.NewPolicy(&c.board, ownerActor(), board.PolicyOptions{})
			for range 2 {
				if _, err := f.board.Create(t.Context(), board.NewIssue{Title: "x", State: board.RoleHumanReview}); err != nil {
					t.Fatal(err)
				}
			}

			finding := []board.Finding{{Path: "a.go", Line: 3, Severity: "blocking", Body: "no"}}
			got, err := ownerPulls{f}.Request(t.Context(), "#3", firstOf(c.head, "9c1f2e"), "Shorter.", finding)
			if !errors.Is(err, c.want) {
				t.Errorf("answered %v, want %v", err, c.want)
			}
			want := loop.Requested{}
			if c.posted {
				want.Review = "v1"
				q := pulls.ChangesRequest{Name: "#3", By: "owner", Body: "Shorter.", Head: "9c1f2e", Findings: finding}
				if diff := cmp.Diff([]pulls.ChangesRequest{q}, c.forge.got); diff != "" {
					t.Errorf("posted (-want +got):\n%s", diff)
				}
			}
			var sent []board.Ref
			for _, s := range got.Sent {
				sent = append(sent, s.Ref)
				if s.From != board.RoleHumanReview || s.Since.IsZero() {
					t.Errorf("%s cannot be taken back: %+v", s.Ref, s)
				}
				if row, err := files.Issue(t.Context(), s.Ref); err != nil || row.Role != board.RoleChangesRequested {
					t.Errorf("%s is in %s, %v", s.Ref, row.Role, err)
				}
			}
			if !slices.Equal(sent, c.sent) || got.Review != want.Review || len(got.Kept) != 0 {
				t.Errorf("answered %+v, want review %q and %v sent", got, want.Review, c.sent)
			}
		})
	}
}
