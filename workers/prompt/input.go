package prompt

import "github.com/backside4charter/dispatcher/board"

// Task is what every kind of worker is told about.
type Task struct {
	Issue board.Issue
	// PR is the pull request to go on with, to review or to merge into; nil for
	// a developer who starts afresh.
	PR            *board.PullRequest
	DefaultBranch string
	Remote        string // name of the git remote; empty when there is none
	OnGitHub      bool   // the pull request lives on GitHub, not in a local record
	Project       string // the owner's hint about install and gate commands, beside CLAUDE.md
	UI            bool   // the issue carries the label for design-sensitive work

	Attempt int  // 1 is the first
	Resume  bool // goes on in the worker's own session, which was cut off
	// Lost: the worktree of that session is gone, and was made anew.
	Lost    bool
	Failure string // why the try before failed
	// HandedBack: the owner worked in the session by hand before this.
	HandedBack bool

	// Question and Answer are the parked question and the owner's reply,
	// verbatim.
	Question, Answer string

	// Nonce is a random word of 8 to 64 letters and digits, new for each
	// prompt; it names the blocks of untrusted text.
	Nonce string
	// Trusted says whether text by this author may reach the worker; nil trusts
	// everyone. It is asked about people's comments and reviews; those of our
	// own roles are always in.
	Trusted func(author string) bool
}

// DeveloperInput is a developer's task. With a pull request it is rework, or
// goes on after a question.
type DeveloperInput struct {
	Task
	Branch   string
	Worktree string
	Existing bool // the branch was there before, with or without commits
	// OwnerRequests are reviews by people, carried verbatim; Findings are the
	// reviewer's.
	OwnerRequests []board.Review
	Findings      []board.Review
}

// ReviewerInput is a reviewer's task; PR must be set, with its head.
type ReviewerInput struct {
	Task
	// Prior are earlier reviews of this pull request by the reviewer.
	Prior []board.Review
	// MergeScoped asks for a judgement of the last merge only.
	MergeScoped bool
	// Known are issues that are known and not to be raised again.
	Known []string
	// HowToVerify is the developer's own text.
	HowToVerify string
}

// Commit is one commit as a prompt shows it.
type Commit struct {
	SHA, Subject string
}

// CleanerInput is a cleaner's task; PR must be set.
type CleanerInput struct {
	Task
	Branch    string
	Worktree  string
	Behind    int      // commits of the default branch that the branch lacks
	Landed    []Commit // those commits, newest first
	Conflicts []string // files that git reports in conflict
}
