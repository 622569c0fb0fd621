package pulls

import (
	"context"
	"fmt"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
)

// ByName asks a History about pull requests by their names; a store of them
// embeds it.
type ByName struct {
	history History
	at      func(ctx context.Context, name string) (board.PullRequest, error)
}

// NewByName asks h; at answers a pull request whose commits h's repository
// holds, as far as they can be had.
func NewByName(h History, at func(ctx context.Context, name string) (board.PullRequest, error)) ByName {
	return ByName{history: h, at: at}
}

// MergeOnly says whether a pull request's head went from one commit to another
// by clean merges of its base alone.
func (n ByName) MergeOnly(ctx context.Context, name, from, to string) (bool, error) {
	pr, err := n.at(ctx, name)
	if err == nil {
		var only bool
		if only, err = n.history.MergeOnly(ctx, pr.BaseSHA, from, to); err == nil {
			return only, nil
		}
	}
	return false, fmt.Errorf("compare two heads of %s: %w", name, err)
}

// Foreign lists who else than the developer identity wrote commits that one
// head of a pull request has, and neither another head of it nor the base.
func (n ByName) Foreign(ctx context.Context, name, from, to string) ([]string, error) {
	pr, err := n.at(ctx, name)
	if err == nil {
		var who []string
		if who, err = n.history.Foreign(ctx, pr.BaseSHA, from, to); err == nil {
			return who, nil
		}
	}
	return nil, fmt.Errorf("look who wrote the commits of %s: %w", name, err)
}

// Landing is what a merge of the base into a pull request brings.
func (n ByName) Landing(ctx context.Context, name string, limit int) (landed []git.Commit, conflicts []string, err error) {
	pr, err := n.at(ctx, name)
	if err == nil && pr.BaseSHA == "" {
		err = fmt.Errorf("its base %s: %w", pr.Base, ErrBranchGone)
	}
	if err == nil {
		landed, conflicts, err = n.history.Landing(ctx, pr.BaseSHA, pr.HeadSHA, limit)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("look what lands on %s: %w", name, err)
	}
	return landed, conflicts, nil
}
