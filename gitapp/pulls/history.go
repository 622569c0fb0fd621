package pulls

import (
	"context"
	"errors"
	"slices"

	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/internal/git"
)

// History is a pull request's commits as the repository at Dir has them,
// wherever the pull request itself lives.
type History struct {
	Git       *git.Git
	Dir       string
	Developer gitapp.Identity
}

// maxMerges bounds how far MergeOnly looks back.
const maxMerges = 100

// MergeOnly says whether a head went from one commit to another by clean merges
// of the base alone: along the first parents, each a merge of a commit that the
// base has, with the very tree that git makes of the two (design.md, section 7,
// a verdict counts for the head it was given on). What was resolved or added by
// hand is thereby told from what git did.
//
// Commits that this repository does not hold prove nothing: false.
func (h History) MergeOnly(ctx context.Context, base, from, to string) (bool, error) {
	if err := errors.Join(git.ValidCommit(from), git.ValidCommit(to)); err != nil {
		return false, err
	}
	if base == "" || !h.Git.HasCommit(ctx, h.Dir, from) || !h.Git.HasCommit(ctx, h.Dir, to) {
		return false, nil
	}
	at := to
	for range maxMerges {
		if at == from {
			return true, nil
		}
		before, err := h.cleanMerge(ctx, at, base)
		if err != nil || before == "" {
			return false, err
		}
		at = before
	}
	return false, nil
}

// cleanMerge answers what a commit merged the base into, if it is a merge that
// git makes by itself; empty if it is anything else.
func (h History) cleanMerge(ctx context.Context, id, base string) (string, error) {
	g, repo := h.Git, h.Dir
	tree, parents, err := g.TreeOf(ctx, repo, id)
	if err != nil || len(parents) != 2 {
		return "", err
	}
	landed, err := g.IsAncestor(ctx, repo, parents[1], base)
	if err != nil || !landed {
		return "", err
	}
	if fork, err := g.MergeBase(ctx, repo, parents[0], parents[1]); err != nil || fork == "" {
		return "", err
	}
	made, conflicts, err := g.MergeTree(ctx, repo, parents[0], parents[1])
	if err != nil || len(conflicts) > 0 || made != tree {
		return "", err
	}
	return parents[0], nil
}

// Foreign lists who else than the developer identity wrote commits that one
// head has, and neither another head nor the base.
func (h History) Foreign(ctx context.Context, base, from, to string) ([]string, error) {
	if err := errors.Join(git.ValidCommit(from), git.ValidCommit(to)); err != nil {
		return nil, err
	}
	if base == "" || !h.Git.HasCommit(ctx, h.Dir, from) || !h.Git.HasCommit(ctx, h.Dir, to) {
		return nil, nil
	}
	commits, err := h.Git.Log(ctx, h.Dir, base, to, 0)
	if err != nil {
		return nil, err
	}
	old, err := h.Git.Log(ctx, h.Dir, base, from, 0)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, c := range old {
		known[c.ID] = true
	}
	var who []string
	for _, c := range commits {
		if !known[c.ID] && c.Author.Email != h.Developer.Email && !slices.Contains(who, c.Author.String()) {
			who = append(who, c.Author.String())
		}
	}
	return who, nil
}

// Landing is what a merge of the base into a head brings: the commits that the
// head lacks, newest first, at most limit of them, and the files that git
// cannot merge by itself.
func (h History) Landing(ctx context.Context, base, head string, limit int) (landed []git.Commit, conflicts []string, err error) {
	if landed, err = h.Git.Log(ctx, h.Dir, head, base, limit); err != nil {
		return nil, nil, err
	}
	if _, conflicts, err = h.Git.MergeTree(ctx, h.Dir, base, head); err != nil {
		return nil, nil, err
	}
	return landed, conflicts, nil
}
