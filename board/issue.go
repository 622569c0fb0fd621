package board

import "time"

// Ref is an issue's name on its board, in the board's own spelling: `ACM-12`,
// `#480`, `DSP-3`. Backends accept it in any case and answer it canonical.
type Ref string

// Issue is one row of a board, whole: what the loop decides on and what a
// person reads.
type Issue struct {
	Ref       Ref      `json:"ref"`
	URL       string   `json:"url,omitempty"` // empty where a board has no pages
	Title     string   `json:"title"`
	Body      string   `json:"body,omitempty"` // Markdown
	State     string   `json:"state"`          // the board's own name of the column
	Role      Role     `json:"role"`
	Closed    bool     `json:"closed,omitempty"`
	Milestone string   `json:"milestone,omitempty"`
	Labels    []string `json:"labels,omitempty"`
	Assignee  string   `json:"assignee,omitempty"`
	Delegate  Delegate `json:"delegate,omitempty"`
	Claim     *Claim   `json:"claim,omitempty"`

	Blockers []Blocker `json:"blockers,omitempty"`
	Parent   Ref       `json:"parent,omitempty"`
	Children []Child   `json:"children,omitempty"`
	PRs      []string  `json:"prs,omitempty"` // linked pull requests by name or URL

	Comments []Comment `json:"comments,omitempty"` // oldest first, claim comments excluded

	// Position orders rows within the board: Issues of one Poll come sorted.
	Epoch      int64     `json:"epoch,omitempty"` // claim epoch; 0 on boards without a fence
	CreatedAt  time.Time `json:"createdAt"`
	CreatedBy  string    `json:"createdBy,omitempty"`
	UpdatedAt  time.Time `json:"updatedAt"`
	StateSince time.Time `json:"stateSince"`
	StateBy    ActorKind `json:"stateBy,omitempty"` // who made the last state change
	PrevRole   Role      `json:"prevRole,omitempty"`
	LastRun    string    `json:"lastRun,omitempty"`    // id of the last run on it, where the board keeps one
	Unreadable string    `json:"unreadable,omitempty"` // why this row cannot be read; it is a hold and nothing else in it may be trusted
	HandEdited bool      `json:"handEdited,omitempty"` // changed outside the program since its last write
}

// Blocker is an issue that must close before another is worked. A blocker that
// the board no longer knows counts as open.
type Blocker struct {
	Ref  Ref  `json:"ref"`
	Open bool `json:"open"`
}

// Child is one of a parent's sub-issues (legacy tracking only).
type Child struct {
	Ref    Ref    `json:"ref"`
	Title  string `json:"title"`
	State  string `json:"state"`
	Closed bool   `json:"closed"`
}

// HumanOwned says whether a person works this row: assignee set and delegate
// empty (dispatcher-system.md, Delegate and claim).
func (i *Issue) HumanOwned() bool { return i.Assignee != "" && i.Delegate == DelegateNone }

// OpenBlockers lists the refs that still block the issue.
func (i *Issue) OpenBlockers() []Ref {
	var open []Ref
	for _, b := range i.Blockers {
		if b.Open {
			open = append(open, b.Ref)
		}
	}
	return open
}

// HasLabel says whether the issue carries the label, compared without case.
func (i *Issue) HasLabel(name string) bool {
	for _, l := range i.Labels {
		if equalFold(l, name) {
			return true
		}
	}
	return false
}

// Comment is one comment on an issue. Role is the tag that says which of our
// roles wrote it; an untagged comment is the owner's (dispatcher-system.md,
// Workers, Comments).
type Comment struct {
	ID     string    `json:"id"`
	Role   ActorKind `json:"role"` // ActorOwner for untagged comments
	Author string    `json:"author,omitempty"`
	Body   string    `json:"body"` // without the tag
	At     time.Time `json:"at"`
	Run    string    `json:"run,omitempty"` // the run that wrote it, where the board keeps one
}

// State is one column of a board.
type State struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Role   Role   `json:"role"`
	Closed bool   `json:"closed"`
}

// Milestone is a group of issues, with how many of them are open. Issues of no
// milestone are counted under the name NoMilestone.
type Milestone struct {
	Name string `json:"milestone"`
	Open int    `json:"open"`
}

// NoMilestone is the name that stands for "no milestone" wherever one is taken.
const NoMilestone = "(none)"
