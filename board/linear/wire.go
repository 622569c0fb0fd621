package linear

import "time"

// The types of variables: the client library takes their names for GraphQL's.
type (
	// IssueFilter narrows a list of issues.
	IssueFilter map[string]any
	// CommentFilter narrows a list of comments.
	CommentFilter map[string]any
	// AttachmentFilter narrows a list of attachments.
	AttachmentFilter map[string]any
	// WorkflowStateFilter narrows a list of states.
	WorkflowStateFilter map[string]any
	// IssueLabelFilter narrows a list of labels.
	IssueLabelFilter map[string]any
	// IssueUpdateInput changes an issue; a key with nil sends an explicit null,
	// which clears.
	IssueUpdateInput map[string]any
)

type pageInfo struct {
	HasNextPage bool
	EndCursor   *string
}

// more says whether a next page can be asked for: one that is announced without
// a cursor would be the same page again, for ever.
func (p *pageInfo) more() bool { return p.HasNextPage && p.EndCursor != nil }

type userWire struct {
	ID          string
	DisplayName string
	App         bool
	IsMe        bool
}

type stateWire struct {
	ID       string
	Name     string
	Type     string
	Position float64
}

type blockerWire struct {
	Type  string
	Issue struct {
		ID         string
		Identifier string
		State      struct{ Type string }
	}
}

type childWire struct {
	Identifier string
	Title      string
	State      struct{ Name, Type string }
}

type historyWire struct {
	CreatedAt time.Time
	Actor     *struct {
		ID   string
		App  bool
		IsMe bool
	}
	FromState *struct{ ID string }
	ToState   *struct{ ID string }
}

// whereWire is where an issue lies: what says whether it is on our board, and
// in which milestone.
type whereWire struct {
	ArchivedAt       *time.Time
	Trashed          *bool
	Team             struct{ ID string }
	Project          *struct{ ID, Name string }
	ProjectMilestone *struct{ ID, Name string }
}

// milestone is the id of the issue's milestone; empty is none.
func (w *whereWire) milestone() string {
	if w.ProjectMilestone == nil {
		return ""
	}
	return w.ProjectMilestone.ID
}

// issueWire are the fields of an issue that are no lists.
type issueWire struct {
	whereWire
	ID          string
	Identifier  string
	Title       string
	Description *string
	URL         string `graphql:"url"`
	SortOrder   float64
	CreatedAt   time.Time
	UpdatedAt   time.Time
	State       stateWire
	Assignee    *userWire
	Delegate    *userWire
	Creator     *struct{ DisplayName string }
	Parent      *struct{ Identifier string }
}

// rowWire is a row of a page: its lists are cut short, each with a bound of
// its own, and a row whose lists are longer is read again by itself.
type rowWire struct {
	issueWire
	Labels struct {
		Nodes    []struct{ Name string }
		PageInfo struct{ HasNextPage bool }
	} `graphql:"labels(first: 10)"`
	Children struct {
		Nodes    []childWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"children(first: 10)"`
	InverseRelations struct {
		Nodes    []blockerWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"inverseRelations(first: 10)"`
	Attachments struct {
		Nodes    []struct{ URL string }
		PageInfo struct{ HasNextPage bool }
	} `graphql:"attachments(first: 8)"`
	History struct {
		Nodes    []historyWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"history(first: 6, orderBy: createdAt)"`
}

// labelOn is a label that an issue carries.
type labelOn struct{ ID, Name string }

// wholeWire is one issue by itself, with its comments.
type wholeWire struct {
	issueWire
	Labels struct {
		Nodes    []labelOn
		PageInfo struct{ HasNextPage bool }
	} `graphql:"labels(first: 50)"`
	Children struct {
		Nodes    []childWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"children(first: 100)"`
	InverseRelations struct {
		Nodes    []blockerWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"inverseRelations(first: 100)"`
	Attachments linksWire `graphql:"attachments(first: 50)"`
	History     struct {
		Nodes    []historyWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"history(first: 50, orderBy: createdAt)"`
	Comments struct {
		Nodes    []commentWire
		PageInfo pageInfo
	} `graphql:"comments(first: 100, orderBy: createdAt)"`
}

// linksWire is a page of what is attached to an issue.
type linksWire struct {
	Nodes    []struct{ URL string }
	PageInfo pageInfo
}

type commentWire struct {
	ID        string
	Body      string
	CreatedAt time.Time
	UpdatedAt time.Time
	User      *userWire
}

// commentOn is a comment with whose it is.
type commentOn struct {
	commentWire
	Issue *struct{ ID string }
}

// issuePayload is what an update confirms.
type issuePayload struct {
	Success bool
	Issue   *struct {
		ID          string
		UpdatedAt   time.Time
		Description *string
		State       stateWire
		Assignee    *userWire
		Delegate    *userWire
		Labels      struct {
			Nodes []labelOn
		} `graphql:"labels(first: 50)"`
	}
}

type commentPayload struct {
	Success bool
	Comment commentWire
}

// of says whether the write of a comment is confirmed.
func (p *commentPayload) of(id string) bool { return p.Success && p.Comment.ID == id }

// payload is what the other mutations confirm.
type payload struct{ Success bool }

// confirmed is the outcome of a mutation that was answered so.
func (p *payload) confirmed(err error) error {
	if err == nil && !p.Success {
		return errUnconfirmed
	}
	return err
}
