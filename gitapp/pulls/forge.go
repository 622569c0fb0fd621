package pulls

import (
	"context"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
)

// Reader reads a forge.
type Reader interface {
	// List answers the open pull requests, or all of them, by number.
	List(ctx context.Context, all bool) ([]board.PullRequest, error)
	// Get answers one by name; ErrNotFound.
	Get(ctx context.Context, name string) (board.PullRequest, error)
	// ByHead answers the open one of a branch; ErrNotFound.
	ByHead(ctx context.Context, branch string) (board.PullRequest, error)
	// Diff is what one changes, as text.
	Diff(ctx context.Context, name string) (string, error)
}

// Opener opens pull requests as the developer identity.
type Opener interface {
	Create(ctx context.Context, req CreateRequest) (board.PullRequest, error)
	Update(ctx context.Context, name string, e Edit) (board.PullRequest, error)
}

// Reviewer posts what agents and the owner think of one.
type Reviewer interface {
	Review(ctx context.Context, req ReviewRequest) (board.Review, error)
	RequestChanges(ctx context.Context, name, by, body string) (board.Review, error)
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
	Force bool            // although checks are red
	By    gitapp.Identity // who merges
}

// Merged is a merge that was made.
type Merged struct {
	PR      board.PullRequest
	Already bool     // it was merged before
	Notes   []string // what the owner should know, one sentence each
}
