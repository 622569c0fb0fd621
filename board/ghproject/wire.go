package ghproject

import (
	"time"

	"github.com/shurcooL/graphql"
)

// The types of variables: the client library takes their names for GraphQL's.
type (
	// ID is a node id.
	ID string
	// ProjectV2FieldValue is the value of one field; exactly one key is set.
	ProjectV2FieldValue map[string]any
)

type pageInfo struct {
	HasNextPage bool
	EndCursor   *graphql.String
}

type optionWire struct{ ID, Name string }

// statusField is the field Status with its options; other fields of that name
// have no options.
type statusField struct {
	Typename string `graphql:"__typename"`
	Single   struct {
		ID      string
		Name    string
		Options []optionWire
	} `graphql:"... on ProjectV2SingleSelectField"`
}

type claimField struct {
	Typename string `graphql:"__typename"`
	Plain    struct {
		ID       string
		Name     string
		DataType string
	} `graphql:"... on ProjectV2Field"`
}

// projectWire is what every read that decides on columns carries.
type projectWire struct {
	ID        string
	Title     string
	Status    *statusField `graphql:"status: field(name: \"Status\")"`
	ClaimedBy *claimField  `graphql:"claimedBy: field(name: \"Claimed By\")"`
}

type actorWire struct {
	Typename string `graphql:"__typename"`
	Login    string
}

type commentWire struct {
	ID                string
	Body              string
	CreatedAt         time.Time
	Author            *actorWire
	AuthorAssociation string
	ViewerDidAuthor   bool
}

type relatedWire struct {
	Number     int
	Title      string
	State      string
	Repository struct{ NameWithOwner string }
}

// issueWire is an issue with its short lists; without whole neither its
// relations to other issues nor its comments.
type issueWire struct {
	ID         string
	Number     int
	Title      string
	Body       string
	URL        string
	State      string
	CreatedAt  time.Time
	UpdatedAt  time.Time
	Author     *actorWire
	Repository struct{ NameWithOwner string }
	Milestone  *struct{ Title string }
	Parent     *relatedWire
	Assignees  struct {
		Nodes []struct{ ID, Login string }
	} `graphql:"assignees(first: 10)"`
	Labels struct {
		Nodes []struct{ ID, Name string }
	} `graphql:"labels(first: 50)"`
	BlockedBy struct {
		Nodes    []relatedWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"blockedBy(first: 50) @include(if: $whole)"`
	SubIssues struct {
		Nodes    []relatedWire
		PageInfo struct{ HasNextPage bool }
	} `graphql:"subIssues(first: 100) @include(if: $whole)"`
	ClosedBy struct {
		Nodes []struct {
			Number     int
			URL        string
			Repository struct{ NameWithOwner string }
		}
	} `graphql:"closedByPullRequestsReferences(first: 50, includeClosedPrs: true)"`
	Comments struct {
		Nodes []commentWire
	} `graphql:"comments(last: 100) @include(if: $whole)"`
}

type valuesWire struct {
	Status *struct {
		Single struct {
			Name      string
			OptionID  string
			UpdatedAt time.Time
		} `graphql:"... on ProjectV2ItemFieldSingleSelectValue"`
	} `graphql:"status: fieldValueByName(name: \"Status\")"`
	ClaimedBy *struct {
		Text struct {
			Text      string
			UpdatedAt time.Time
		} `graphql:"... on ProjectV2ItemFieldTextValue"`
	} `graphql:"claimedBy: fieldValueByName(name: \"Claimed By\")"`
}

// slimItem is one item of the project, as far as a look sees it.
type slimItem struct {
	ID         string
	IsArchived bool
	valuesWire
	Content struct {
		Typename string    `graphql:"__typename"`
		Issue    slimIssue `graphql:"... on Issue"`
	}
}

// slimIssue is as much of an issue as tells whether it has changed. Its one list
// keeps a hundred items at one point.
type slimIssue struct {
	ID                       string
	State                    string
	Title                    string
	UpdatedAt                time.Time
	LastEditedAt             *time.Time
	Repository               struct{ NameWithOwner string }
	Milestone                *struct{ Title string }
	Parent                   *struct{ ID string }
	IssueDependenciesSummary struct{ BlockedBy, TotalBlockedBy int }
	SubIssuesSummary         struct{ Completed, Total int }
	Comments                 struct {
		TotalCount int
		Nodes      []struct {
			ID        string
			UpdatedAt time.Time
		}
	} `graphql:"comments(last: 1)"`
}

// itemOf is an item as an issue lists it, in whatever project.
type itemOf struct {
	ID         string
	IsArchived bool
	Project    struct{ ID string }
	valuesWire
}

// milestonesWire is a page of the repository's milestones.
type milestonesWire struct {
	Nodes    []struct{ Title string }
	PageInfo pageInfo
}

// sweepQuery is one page of the board, and the first milestones.
type sweepQuery struct {
	Node struct {
		Project struct {
			projectWire
			Items struct {
				TotalCount int
				Nodes      []slimItem
				PageInfo   pageInfo
			} `graphql:"items(first: 100, after: $after, orderBy: {field: POSITION, direction: ASC})"`
		} `graphql:"... on ProjectV2"`
	} `graphql:"node(id: $project)"`
	Repository struct {
		NameWithOwner string
		Milestones    milestonesWire `graphql:"milestones(first: 100, orderBy: {field: NUMBER, direction: ASC})"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}

// rowQuery is one issue with its items over all projects, and the project.
type rowQuery struct {
	Node struct {
		Project projectWire `graphql:"... on ProjectV2"`
	} `graphql:"node(id: $project)"`
	Repository struct {
		NameWithOwner string
		Issue         *struct {
			issueWire
			ProjectItems struct {
				Nodes    []itemOf
				PageInfo pageInfo
			} `graphql:"projectItems(first: 20, after: $after, includeArchived: true)"`
		} `graphql:"issue(number: $number)"`
	} `graphql:"repository(owner: $owner, name: $name)"`
}
