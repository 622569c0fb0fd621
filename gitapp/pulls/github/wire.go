package github

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
)

// The types of variables: the client library takes their names for GraphQL's.
type (
	// ID is a node id.
	ID string
	// PullRequestState is a state to ask for.
	PullRequestState string
)

// markWire is as much of a pull request as tells whether anything changed.
type markWire struct {
	ID                string
	Number            int
	State             string
	UpdatedAt         time.Time
	IsDraft           bool
	Mergeable         string
	BaseRefName       string
	HeadRefOid        string
	BaseRefOid        string
	StatusCheckRollup *struct{ State string } `graphql:"statusCheckRollup @include(if: $checks)"`
}

// mark is what must be the same for a pull request to count as unchanged, and
// whether checks were seen. A mergeable that is UNKNOWN says nothing new.
func (m *markWire) mark(seen bool) string {
	rollup := ""
	switch {
	case !seen:
		rollup = "unseen"
	case m.StatusCheckRollup != nil:
		rollup = m.StatusCheckRollup.State
	}
	mergeable := m.Mergeable
	if mergeable == "UNKNOWN" {
		mergeable = ""
	}
	return strings.Join([]string{m.State, m.UpdatedAt.String(), strconv.FormatBool(m.IsDraft), m.BaseRefName, m.HeadRefOid, rollup}, " ") + "/" + mergeable
}

type pageInfo struct {
	HasNextPage bool
	EndCursor   *graphql.String
}

// sweepQuery asks for what is open and what was closed last, in one request.
type sweepQuery struct {
	Repository struct {
		DefaultBranchRef *struct {
			Name   string
			Target struct{ Oid string }
		}
		Open struct {
			Nodes    []markWire
			PageInfo pageInfo
		} `graphql:"open: pullRequests(states: [OPEN], first: 50, after: $after, orderBy: {field: CREATED_AT, direction: ASC})"`
		Settled settledPage `graphql:"settled: pullRequests(states: [MERGED, CLOSED], first: 50, orderBy: {field: UPDATED_AT, direction: DESC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

type actorWire struct {
	Typename string `graphql:"__typename"`
	Login    string
	User     struct {
		DatabaseID *int64
	} `graphql:"... on User"`
}

// login is as REST and settings spell it: a bot's with its [bot].
func (a *actorWire) login() string {
	switch {
	case a == nil:
		return "ghost" // whose account is gone, as GitHub shows it
	case a.Typename == "Bot":
		return a.Login + "[bot]"
	}
	return a.Login
}

type reviewWire struct {
	ID             string
	FullDatabaseID string `graphql:"fullDatabaseId"`
	State          string
	Body           string
	SubmittedAt    *time.Time
	Author         *actorWire
	// AuthorAssociation is what the author is to the repository.
	AuthorAssociation string
	Commit            *struct{ Oid string }
	Comments          findingsPage `graphql:"comments(first: 30) @include(if: $findings)"`
}

type findingsPage struct {
	Nodes    []findingWire
	PageInfo pageInfo
}

// reviewsPage is a page of reviews, oldest first; the newest page is read first.
type reviewsPage struct {
	Nodes    []reviewWire
	PageInfo struct {
		HasPreviousPage bool
		StartCursor     *graphql.String
	}
}

// findingWire is what a review says on a line.
type findingWire struct {
	Path         string
	Line         *int // null once the diff no longer shows it
	OriginalLine *int
	Body         string
	ReplyTo      *struct {
		FullDatabaseID string `graphql:"fullDatabaseId"`
	}
}

type contextWire struct {
	Typename string `graphql:"__typename"`
	CheckRun struct {
		Name       string
		Status     string
		Conclusion *string
	} `graphql:"... on CheckRun"`
	StatusContext struct {
		Context string
		State   string
	} `graphql:"... on StatusContext"`
}

// pullWire is one pull request in full.
type pullWire struct {
	outlineWire
	BaseRefOid        string
	UpdatedAt         time.Time
	Mergeable         string
	Reviews           reviewsPage `graphql:"reviews(last: 50)"`
	StatusCheckRollup *struct {
		State    string
		Contexts struct {
			Nodes      []contextWire
			TotalCount int
		} `graphql:"contexts(first: 100)"`
	} `graphql:"statusCheckRollup @include(if: $checks)"`
}

// withoutAnswers leaves out reviews without a text, of which some are answers on
// lines that were not read.
func (w *pullWire) withoutAnswers() {
	w.Reviews.Nodes = slices.DeleteFunc(w.Reviews.Nodes, func(r reviewWire) bool {
		return r.State == "COMMENTED" && strings.TrimSpace(r.Body) == ""
	})
}

// closingWire are the issues that GitHub has linked.
type closingWire struct {
	Nodes []struct {
		Number     int
		Repository struct{ NameWithOwner string }
	}
}

// nodesQuery asks for pull requests by their ids, in full.
type nodesQuery struct {
	Nodes []struct {
		Pull pullWire `graphql:"... on PullRequest"`
	} `graphql:"nodes(ids: $ids)"`
}

// oneQuery asks for one by its number.
type oneQuery struct {
	Repository struct {
		PullRequest *pullWire `graphql:"pullRequest(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

func (w *pullWire) asMark() markWire {
	m := markWire{
		ID: w.ID, Number: w.Number, State: w.State, UpdatedAt: w.UpdatedAt, IsDraft: w.IsDraft, Mergeable: w.Mergeable,
		BaseRefName: w.BaseRefName, HeadRefOid: w.HeadRefOid, BaseRefOid: w.BaseRefOid,
	}
	if w.StatusCheckRollup != nil {
		m.StatusCheckRollup = &struct{ State string }{w.StatusCheckRollup.State}
	}
	return m
}

// pull is the pull request in the words of the board.
func (s *Store) pull(w *pullWire) board.PullRequest {
	pr := s.outline(&w.outlineWire)
	pr.Mergeable, pr.Checks = mergeableOf(w.Mergeable), board.ChecksNone
	if pr.State == board.PullOpen {
		pr.BaseSHA = w.BaseRefOid
	}
	s.addChecks(&pr, w)
	for i := range w.Reviews.Nodes {
		if r, ok := s.review(&w.Reviews.Nodes[i]); ok {
			pr.Reviews = append(pr.Reviews, r)
		}
	}
	return pr
}

func stateOf(s string) board.PullState {
	switch s {
	case "MERGED":
		return board.PullMerged
	case "CLOSED":
		return board.PullClosed
	}
	return board.PullOpen
}

func mergeableOf(s string) board.Mergeable {
	switch s {
	case "MERGEABLE":
		return board.MergeClean
	case "CONFLICTING":
		return board.MergeConflict
	}
	return board.MergeUnknown
}

// review leaves out what nobody has sent yet, what was taken back, what people
// say whose word does not count, and answers on lines: GitHub keeps each as a
// review of its own without a text.
func (s *Store) review(w *reviewWire) (board.Review, bool) {
	if w.State == "PENDING" || w.State == "DISMISSED" {
		return board.Review{}, false
	}
	findings := w.findings()
	if w.State == "COMMENTED" && strings.TrimSpace(w.Body) == "" && len(findings) == 0 && len(w.Comments.Nodes) > 0 {
		return board.Review{}, false
	}
	r := board.Review{ID: w.FullDatabaseID, Author: w.Author.login(), State: board.ReviewComment, Body: w.Body, Findings: findings}
	r.Bot = w.Author != nil && (w.Author.Typename == "Bot" || s.isAgent(w.Author))
	if !r.Bot && !s.o.Trusts(r.Author, w.AuthorAssociation) {
		return board.Review{}, false
	}
	if w.State == "CHANGES_REQUESTED" {
		r.State = board.ReviewChangesRequested
	}
	if w.Commit != nil {
		r.Commit = w.Commit.Oid
	}
	if w.SubmittedAt != nil {
		r.At = *w.SubmittedAt
	}
	return r, true
}

// issues are those that the body names, and those of this repository that
// GitHub has linked.
func (s *Store) issues(body string, linked *closingWire) []board.Ref {
	refs := pulls.Fixes(body)
	for _, n := range linked.Nodes {
		ref := board.Ref(fmt.Sprintf("#%d", n.Number))
		if strings.EqualFold(n.Repository.NameWithOwner, s.o.Forge.Repository) && !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs
}
