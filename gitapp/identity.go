// Package gitapp is who the agents are: the identity under which a developer
// commits and opens pull requests, and the one under which a reviewer posts
// reviews (dispatcher-system.md, Agent identities).
//
// It promises that an identity is given per command and never written into a
// repository's configuration. It writes no board and routes no result.
package gitapp

import (
	"context"
	"errors"
	"fmt"

	"github.com/backside4charter/dispatcher/internal/git"
)

// Identity is a name and an address, as git writes them into a commit.
type Identity = git.Identity

// Identities are the two of a repository.
type Identities struct {
	Developer Identity
	Reviewer  Identity
}

// reviewerEmail is where a local reviewer cannot be reached: reviews are
// records, the reviewer commits nothing.
const reviewerEmail = "reviewer@dispatcher.invalid"

// Native are the identities of a repository whose pull requests are local:
// they are only names.
func Native(developerName, developerEmail, reviewerName string) Identities {
	return Identities{
		Developer: Identity{Name: developerName, Email: developerEmail},
		Reviewer:  Identity{Name: reviewerName, Email: reviewerEmail},
	}
}

// committer commits in a worktree as somebody.
type committer interface {
	Commit(ctx context.Context, dir string, by git.Identity, args ...string) (string, error)
}

var _ committer = (*git.Git)(nil)

// CommitRequest is what is committed: exactly one of Message and File.
type CommitRequest struct {
	Message string
	File    string // absolute
	All     bool   // all tracked files with changes, as git commit -a
}

// Commit commits what is staged in the worktree at dir under an identity, as
// git commit does, and answers what git says.
func Commit(ctx context.Context, g committer, dir string, by Identity, r CommitRequest) (string, error) {
	var args []string
	switch {
	case (r.Message == "") == (r.File == ""):
		return "", errors.New("commit: a message (-m) or a file with it (-F) is needed, and not both")
	case r.Message != "":
		args = []string{"--message=" + r.Message}
	default:
		args = []string{"--file=" + r.File}
	}
	if r.All {
		args = append(args, "--all")
	}
	out, err := g.Commit(ctx, dir, by, args...)
	if err != nil {
		return "", fmt.Errorf("as %s: %w", by, err)
	}
	return out, nil
}
