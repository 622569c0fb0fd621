package github

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/git"
)

// Repo is a repository: a bare git repository on disk, and what GitHub keeps
// beside it. What can be computed from git is computed, never kept.
type Repo struct {
	Owner, Name string
	Dir         string // of the bare repository
	Default     string // branch
	Public      bool   // whoever asks may read it by git

	git                *git.Git
	pulls              []*Pull
	issues             []*Issue
	numbers            int // of issues and pull requests together
	labels, milestones []string
	checks             map[string][]Check // by commit
	nextID             int64              // of reviews and comments
	hooks              []Hook

	tips  func() map[string]string // of all branches, while a request is answered
	merge map[[2]string]string     // whether two commits merge, which never changes
}

// Pull is a pull request. Its head moves with its branch while it is open.
type Pull struct {
	Number            int
	Title, Body       string
	Base, Head        string // branches
	Draft             bool
	State             string // open or closed
	Author            string // login
	Created, Updated  time.Time
	Merged            time.Time // zero while it is not
	MergeSHA, HeadSHA string    // once closed
	Reviews           []Review
	Comments          []Comment
	Closes            []int // issues
	// Unknown is how often mergeable is answered as not yet known.
	Unknown int
	Large   bool   // its diff is more than GitHub shows
	Fork    string // owner of the head repository, where it is another
	Told    string // the head that hooks know
}

// Review is one review.
type Review struct {
	ID       int64
	Author   string
	State    string // COMMENTED, CHANGES_REQUESTED, APPROVED
	Body     string
	Commit   string
	Findings []Finding
	At       time.Time
}

// Finding is a review comment on a line. An answer to one is a review of its
// own that has no text, as on GitHub.
type Finding struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Side string `json:"side"`
	Body string `json:"body"`
	To   int64  `json:"in_reply_to,omitempty"` // the finding that it answers
}

// Comment is a comment in a conversation.
type Comment struct {
	ID     int64
	Author string
	Body   string
	At     time.Time
}

// Check is a check run, or a legacy status where Status is set.
type Check struct {
	Name       string
	Done       bool
	Conclusion string // of a check run that is done: success, failure, …
	Status     string // of a legacy status: success, failure, error, pending
	Unlisted   bool   // the roll-up leaves it out
}

// AddRepo makes the bare repository at dir known.
func (s *Server) AddRepo(owner, name, dir, branch string) {
	_ = s.change(func() error { // not kept now, it is with the next write
		s.repos[owner+"/"+name] = &Repo{
			Owner: owner, Name: name, Dir: dir, Default: branch, git: git.New(git.Options{}),
			checks: map[string][]Check{}, nextID: 1000,
		}
		return nil
	})
}

// AddUser makes a person known, with a token of theirs.
func (s *Server) AddUser(login string, id int64, token string) {
	_ = s.change(func() error { // not kept now, it is with the next write
		s.users[login] = id
		s.tokens[token] = grant{user: login}
		return nil
	})
}

// With changes a repository while the fake serves.
func (s *Server) With(name string, change func(*Repo)) {
	_ = s.change(func() error { // not kept now, it is with the next write
		change(s.repos[name])
		return nil
	})
}

// Pull is a pull request of the repository; nil where there is none.
func (r *Repo) Pull(number int) *Pull {
	for _, p := range r.pulls {
		if p.Number == number {
			return p
		}
	}
	return nil
}

// Open opens a pull request, under its own number if it has one.
func (r *Repo) Open(p *Pull) {
	if p.Number == 0 {
		r.numbers++
		p.Number = r.numbers
	}
	p.State, p.Updated, p.Told = "open", p.Created, r.head(p)
	r.pulls = append(r.pulls, p)
}

// SetCheck sets one check of a commit.
func (r *Repo) SetCheck(commit string, c Check) {
	kept := slices.DeleteFunc(slices.Clone(r.checks[commit]), func(o Check) bool { return o.Name == c.Name })
	r.checks[commit] = append(kept, c)
}

// Unchecked is the head of an open pull request on which one of these checks is
// not done; empty where there is none.
func (r *Repo) Unchecked(names ...string) string {
	for _, p := range r.pulls {
		head := r.head(p)
		for _, name := range names {
			done := slices.ContainsFunc(r.checks[head], func(c Check) bool { return c.Name == name && c.Done })
			if p.State == "open" && head != "" && !done {
				return head
			}
		}
	}
	return ""
}

// Review adds a review of a person.
func (r *Repo) Review(p *Pull, by, state, body string, at time.Time) Review {
	r.nextID++
	review := Review{ID: r.nextID, Author: by, State: state, Body: body, Commit: r.head(p), At: at}
	p.Reviews, p.Updated = append(p.Reviews, review), at
	return review
}

// Merge merges a pull request as the button does.
func (r *Repo) Merge(p *Pull, by string, at time.Time) error {
	ctx := context.Background()
	base, head := r.tip(p.Base), r.head(p)
	tree, conflicts, err := r.git.MergeTree(ctx, r.Dir, base, head)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return fmt.Errorf("conflicts in %v", conflicts)
	}
	id, err := r.git.CommitTree(ctx, r.Dir, tree, []string{base, head}, fmt.Sprintf("Merge pull request #%d from %s\n\n%s\n", p.Number, p.Head, p.Title), bot(by, 1))
	if err != nil {
		return err
	}
	if err := r.moveRef(ctx, p.Base, id, base, "merge"); err != nil {
		return err
	}
	p.HeadSHA, p.MergeSHA, p.Merged, p.State, p.Updated = head, id, at, "closed", at
	return nil
}

func bot(login string, id int64) git.Identity {
	return git.Identity{Name: login, Email: strconv.FormatInt(id, 10) + "+" + login + "@users.noreply.github.com"}
}

// tip is where a branch stands; empty where there is none. While one request is
// answered git is asked once.
func (r *Repo) tip(branch string) string {
	if r.tips != nil {
		return r.tips()[branch]
	}
	id, err := r.git.RevParse(context.Background(), r.Dir, "refs/heads/"+branch)
	if err != nil {
		return ""
	}
	return id
}

// head is where a pull request's branch stands, or stood when it was closed.
func (r *Repo) head(p *Pull) string {
	if p.State == "closed" || p.HeadSHA != "" && r.tip(p.Head) == "" {
		return p.HeadSHA
	}
	return r.tip(p.Head)
}

// mergeable is computed as the real one is, and forgotten as often as asked.
func (r *Repo) mergeable(p *Pull) string {
	if p.State != "open" {
		return "UNKNOWN"
	}
	if p.Unknown > 0 {
		p.Unknown--
		return "UNKNOWN"
	}
	pair := [2]string{r.tip(p.Base), r.head(p)}
	if known, ok := r.merge[pair]; ok {
		return known
	}
	_, conflicts, err := r.git.MergeTree(context.Background(), r.Dir, pair[0], pair[1])
	if err != nil {
		return "UNKNOWN"
	}
	if r.merge == nil {
		r.merge = map[[2]string]string{}
	}
	r.merge[pair] = "MERGEABLE"
	if len(conflicts) > 0 {
		r.merge[pair] = "CONFLICTING"
	}
	return r.merge[pair]
}

// hold lets all branches be looked up at once from now on, until one is moved.
func (r *Repo) hold() {
	r.tips = sync.OnceValue(func() map[string]string {
		at := map[string]string{}
		refs, err := r.git.Refs(context.Background(), r.Dir, "refs/heads/")
		if err != nil {
			return at
		}
		for _, ref := range refs {
			at[ref.Name] = ref.Commit
		}
		return at
	})
}

func (r *Repo) moveRef(ctx context.Context, branch, to, from, why string) error {
	r.tips = nil
	return r.git.UpdateRef(ctx, r.Dir, "refs/heads/"+branch, to, from, why)
}

var errUpToDate = errors.New("There are no new commits on the base branch.") //nolint:staticcheck,revive // GitHub's words

var errConflict = errors.New("merge conflict between base and head")

// update merges the base into the head's branch, as update-branch does.
func (r *Repo) update(p *Pull, by git.Identity, at time.Time) error {
	ctx := context.Background()
	base, head := r.tip(p.Base), r.head(p)
	behind, _, err := r.git.Apart(ctx, r.Dir, base, head)
	if err != nil {
		return err
	}
	if behind == 0 {
		return errUpToDate
	}
	tree, conflicts, err := r.git.MergeTree(ctx, r.Dir, head, base)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return errConflict
	}
	id, err := r.git.CommitTree(ctx, r.Dir, tree, []string{head, base}, fmt.Sprintf("Merge branch '%s' into %s\n", p.Base, p.Head), by)
	if err != nil {
		return err
	}
	p.Updated = at
	return r.moveRef(ctx, p.Head, id, head, "update-branch")
}
