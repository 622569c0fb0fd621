package board

import (
	"strings"
	"time"
)

// PullState is where a pull request is in its life.
type PullState string

// The three states of a pull request.
const (
	PullOpen   PullState = "open"
	PullMerged PullState = "merged"
	PullClosed PullState = "closed"
)

// Mergeable is whether a pull request could be merged now.
type Mergeable string

// Unknown means: ask again, never "conflict".
const (
	MergeUnknown  Mergeable = "unknown"
	MergeClean    Mergeable = "clean"
	MergeConflict Mergeable = "conflict"
)

// CheckState is the result of a check, or of all checks together.
type CheckState string

// ChecksNone means that none is configured or reported; it counts as green
// (design.md, section 8). ChecksUnknown means that they may not be read; it
// counts as green nowhere (dispatcher-system.md, Routing a developer's result
// 2: green checks are verified, never assumed).
const (
	ChecksNone    CheckState = "none"
	ChecksUnknown CheckState = "unknown"
	ChecksPending CheckState = "pending"
	ChecksGreen   CheckState = "green"
	ChecksRed     CheckState = "red"
)

// Check is one check on one head.
type Check struct {
	Name     string     `json:"name"`
	State    CheckState `json:"state"`
	Head     string     `json:"head"`
	Summary  string     `json:"summary,omitempty"` // the end of its output, or why it failed
	Started  time.Time  `json:"started,omitzero"`
	Finished time.Time  `json:"finished,omitzero"`
}

// ReviewState is what a review asks for. An agent's is always a comment.
type ReviewState string

// What a review says. Approval is the owner's merge, never a state.
const (
	ReviewComment          ReviewState = "COMMENT"
	ReviewChangesRequested ReviewState = "CHANGES_REQUESTED"
)

// Review is one review on a pull request.
type Review struct {
	ID       string      `json:"id"`
	Author   string      `json:"author"`
	Bot      bool        `json:"bot"` // by one of our agent identities
	State    ReviewState `json:"state"`
	Commit   string      `json:"commit"`
	Body     string      `json:"body"`
	Findings []Finding   `json:"findings,omitempty"`
	At       time.Time   `json:"at"`
	// FindingsUnread says that Findings were not read: a list leaves them out of
	// what ended. The review may have some.
	FindingsUnread bool `json:"findingsUnread,omitempty"`
}

// The two severities of a finding.
const (
	SeverityBlocking = "blocking"
	SeverityNit      = "nit"
)

// Finding is one remark anchored to a line.
type Finding struct {
	Path     string `json:"path"`
	Line     int    `json:"line,omitempty"` // 1-based in the new file; 0 is the file as a whole
	Severity string `json:"severity"`       // SeverityBlocking or SeverityNit
	Body     string `json:"body"`
}

// PullRequest is what a forge knows of one pull request, as far as the rules
// need it.
type PullRequest struct {
	Number  int       `json:"number"`
	Name    string    `json:"name"` // `#3`
	URL     string    `json:"url,omitempty"`
	Title   string    `json:"title"`
	Body    string    `json:"body,omitempty"`
	State   PullState `json:"state"`
	Draft   bool      `json:"draft"`
	Author  string    `json:"author"`
	ByAgent bool      `json:"byAgent"` // opened by the developer identity
	Base    string    `json:"base"`
	Head    string    `json:"head"`    // branch name; FromFork tells whose
	HeadSHA string    `json:"headSha"` // read live
	// BaseSHA is where the base branch stands, read live; empty where the pull
	// request is merged or closed, or the base cannot be read.
	BaseSHA   string     `json:"baseSha,omitempty"`
	MergeSHA  string     `json:"mergeSha,omitempty"`
	MergedAt  time.Time  `json:"mergedAt,omitzero"`
	CreatedAt time.Time  `json:"createdAt"`
	Mergeable Mergeable  `json:"mergeable"`
	Behind    int        `json:"behind"` // commits of base that head lacks
	Checks    CheckState `json:"checks"` // all checks at HeadSHA together
	// ChecksWhy says in a sentence why Checks is unknown, with the way out;
	// empty where it is known.
	ChecksWhy string   `json:"checksWhy,omitempty"`
	CheckRuns []Check  `json:"checkRuns,omitempty"`
	Reviews   []Review `json:"reviews,omitempty"` // oldest first
	Issues    []Ref    `json:"issues,omitempty"`  // refs in `Fixes <REF>` lines of the body, canonical
	// Foreign lists authors of commits on the branch that are not the
	// developer identity's, for the attribution warning.
	Foreign []string `json:"foreign,omitempty"`
}

// forkHead begins the Head of a pull request whose branch is another
// repository's. No branch can be called so.
const forkHead = "fork:"

// ForkHead is the Head for a branch of another repository.
func ForkHead(branch string) string { return forkHead + branch }

// FromFork says whether the branch is another repository's: nothing can be
// fetched from it by its name, and only its author can push to it.
func (p *PullRequest) FromFork() bool { return strings.HasPrefix(p.Head, forkHead) }
