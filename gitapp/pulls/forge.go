package pulls

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/internal/git"
)

// Reader reads a forge.
type Reader interface {
	// List answers the open pull requests, or all of them, by number. Reviews of
	// those that ended may be without findings (board.Review, FindingsUnread).
	List(ctx context.Context, all bool) ([]board.PullRequest, error)
	// Get answers one by name; ErrNotFound.
	Get(ctx context.Context, name string) (board.PullRequest, error)
	// ByHead answers the open one of a branch; ErrNotFound.
	ByHead(ctx context.Context, branch string) (board.PullRequest, error)
	// Diff is what one changes, as text.
	Diff(ctx context.Context, name string) (string, error)
}

// Finder reads a forge where each request counts. What it answers has no more
// of a pull request than what tells whose it is and how it ended: checks,
// reviews, how far it is behind and whether it merges are not there.
type Finder interface {
	// Find answers those of a branch, and the last of those with these names or
	// URLs; in one request.
	Find(ctx context.Context, branch string, names []string) ([]board.PullRequest, error)
	// Outlines answers those that changed last, open or not; in one request.
	Outlines(ctx context.Context) ([]board.PullRequest, error)
}

// Opener opens pull requests as the developer identity.
type Opener interface {
	Create(ctx context.Context, req CreateRequest) (board.PullRequest, error)
	Update(ctx context.Context, name string, e Edit) (board.PullRequest, error)
}

// Reviewer posts what agents and the owner think of one.
type Reviewer interface {
	Review(ctx context.Context, req ReviewRequest) (board.Review, error)
	RequestChanges(ctx context.Context, req ChangesRequest) (board.Review, error)
}

// ChangesRequest sends a pull request back, in a person's name.
type ChangesRequest struct {
	Name     string // of the pull request
	By       string
	Body     string
	Head     string          // what was read; refused with ErrHeadMoved when it moved. Empty is any
	Findings []board.Finding // anchored to lines of the head
}

// CreateRequest opens a pull request.
type CreateRequest struct {
	Title string
	Body  string // Markdown
	Base  string // empty: the default branch
	Head  string // branch
	Draft bool
}

// Edit is a change to an open pull request; nil fields stay.
type Edit struct {
	Title *string
	Body  *string
	Draft *bool
}

// ReviewRequest is one review by the reviewer identity.
type ReviewRequest struct {
	Name     string // of the pull request
	Commit   string // what was reviewed: its head, or an earlier one
	Body     string
	Findings []board.Finding // as ParseFindings answers them
}

// MergeRequest merges a pull request.
type MergeRequest struct {
	Name  string
	Head  string          // what was read; refused with ErrHeadMoved when it moved. Empty is any
	Force bool            // although checks are red
	By    gitapp.Identity // who merges
}

// Merged is a merge that was made.
type Merged struct {
	PR      board.PullRequest
	Already bool     // it was merged before
	Notes   []string // what the owner should know, one sentence each
}

// Keeper brings pull requests up to date with their base, and tells what git
// merged from what a hand did.
type Keeper interface {
	// Freshen answers ErrUpToDate, ErrConflict, ErrHeadMoved, ErrBranchGone,
	// ErrCheckedOut or ErrNotOpen, or an error that means none of these.
	Freshen(ctx context.Context, name, expectedHead string) (board.PullRequest, error)
	MergeOnly(ctx context.Context, name, from, to string) (bool, error)
	Foreign(ctx context.Context, name, from, to string) ([]string, error)
	Landing(ctx context.Context, name string, limit int) ([]git.Commit, []string, error)
}

// Forge is where the pull requests of a repository live. What a forge leaves to
// others (merging, running checks) it refuses with the place where it is done.
type Forge interface {
	Reader
	Opener
	Reviewer
	Keeper
	Merge(ctx context.Context, req MergeRequest) (Merged, error)
	// RunChecks runs the checks that are ours to run and have no result yet;
	// RerunChecks those that are not green.
	RunChecks(ctx context.Context, name string) (board.PullRequest, error)
	RerunChecks(ctx context.Context, name string) (board.PullRequest, error)
}
