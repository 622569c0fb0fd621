package github

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// projectByID finds a project that a token reaches: GITHUB's Apps of this fake
// have no permission on projects, people do.
func (s *Server) projectByID(id string) *Project {
	for _, p := range s.projects {
		if p.ID == id && !p.Forbidden {
			return p
		}
	}
	return nil
}

// owner answers organization(login:) and user(login:).
func (s *Server) ownerObj(login string) obj {
	return func(field string, args map[string]any) (any, error) {
		if field != "projectV2" {
			return nil, fmt.Errorf("the fake has no owner.%s", field)
		}
		n := f0(args)("number")
		for _, p := range s.projects {
			if strings.EqualFold(p.Owner, login) && p.Number == n && !p.Forbidden {
				return typed{"ProjectV2", s.projectObj(p)}, nil
			}
		}
		return nil, &typedError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a ProjectV2 with the number %d.", n)}
	}
}

// node answers node(id:).
func (s *Server) node(id string) (any, error) {
	if p := s.projectByID(id); p != nil {
		return typed{"ProjectV2", s.projectObj(p)}, nil
	}
	if r, p := s.pullByNode(id); p != nil {
		return typed{"PullRequest", s.pullObj(r, p)}, nil
	}
	for _, r := range s.repos {
		for _, p := range r.pulls {
			for i := range p.Reviews {
				if v := &p.Reviews[i]; id == "PRR_"+strconv.FormatInt(v.ID, 10) {
					return typed{"PullRequestReview", s.reviewObj(r, p, v)}, nil
				}
			}
		}
	}
	return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + id + "'"}
}

func (s *Server) projectObj(p *Project) obj {
	table := fields("ProjectV2", map[string]any{
		"id": p.ID, "number": p.Number, "title": p.Title, "closed": false,
		"url": fmt.Sprintf("%s/orgs/%s/projects/%d", s.web(), p.Owner, p.Number),
	})
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "field":
			for _, f := range p.fields() {
				if f.Name == args["name"] {
					return f.object(), nil
				}
			}
			return nil, nil
		case "fields":
			var list []typed
			for _, f := range p.fields() {
				list = append(list, f.object())
			}
			return connection(list, args), nil
		case "items":
			return s.itemConn(p, args), nil
		}
		return table(field, args)
	}
}

func (p *Project) fields() []Field {
	return append([]Field{p.Status, p.ClaimedBy}, p.OtherFields...)
}

func (f Field) object() typed {
	name := "ProjectV2Field"
	m := map[string]any{"id": f.ID, "name": f.Name, "dataType": f.Type}
	if f.Type == "SINGLE_SELECT" {
		name = "ProjectV2SingleSelectField"
		options := []typed{}
		for _, o := range f.Options {
			options = append(options, typed{"", fields("option", map[string]any{"id": o.ID, "name": o.Name})})
		}
		m["options"] = options
	}
	return typed{name, fields(name, m)}
}

func (s *Server) itemConn(p *Project, args map[string]any) obj {
	var list []typed
	for _, i := range p.Items {
		if !i.Archived {
			list = append(list, typed{"ProjectV2Item", s.itemObj(p, i)})
		}
	}
	return connection(list, args)
}

func (s *Server) itemObj(p *Project, i *Item) obj {
	kind := "ISSUE"
	switch {
	case i.Redacted:
		kind = "REDACTED"
	case i.Draft != "":
		kind = "DRAFT_ISSUE"
	}
	table := fields("ProjectV2Item", map[string]any{"id": i.ID, "type": kind, "isArchived": i.Archived, "updatedAt": stamp(i.Updated)})
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "project":
			return typed{"ProjectV2", s.projectObj(p)}, nil
		case "fieldValueByName":
			return s.fieldValue(p, i, fmt.Sprint(args["name"])), nil
		case "content":
			r := s.repos[i.Repo]
			switch {
			case i.Redacted || r == nil:
				return nil, nil
			case i.Draft != "":
				return typed{"DraftIssue", fields("DraftIssue", map[string]any{"id": "DI_" + i.ID, "title": i.Draft})}, nil
			}
			return typed{"Issue", s.issueObj(r, r.Issue(i.Issue))}, nil
		}
		return table(field, args)
	}
}

func (*Server) fieldValue(p *Project, i *Item, name string) any {
	switch {
	case name == p.Status.Name && i.Status != "":
		const t = "ProjectV2ItemFieldSingleSelectValue"
		return typed{t, fields(t, map[string]any{"name": p.optionName(i.Status), "optionId": i.Status, "updatedAt": stamp(i.statusAt())})}
	case name == p.ClaimedBy.Name && i.Claimed != nil:
		const t = "ProjectV2ItemFieldTextValue"
		return typed{t, fields(t, map[string]any{"text": *i.Claimed, "updatedAt": stamp(i.Updated)})}
	}
	return nil
}

// statusAt is when the column was set: each value of an item has its own time.
func (i *Item) statusAt() time.Time {
	if i.StatusAt.IsZero() {
		return i.Updated
	}
	return i.StatusAt
}

func names(list []string, of func(string) obj) []typed {
	var out []typed
	for _, n := range list {
		out = append(out, typed{"", of(n)})
	}
	return out
}

func issueID(r *Repo, n int) string { return "I_" + r.Owner + "/" + r.Name + "_" + itoa(n) }

func (s *Server) issueObj(r *Repo, i *Issue) obj {
	state, reason := "OPEN", any(nil)
	if i.Closed {
		state, reason = "CLOSED", "COMPLETED"
	}
	m := map[string]any{
		"id": issueID(r, i.Number), "number": i.Number, "title": i.Title, "body": i.Body, "state": state, "stateReason": reason,
		"url":       fmt.Sprintf("%s/%s/%s/issues/%d", s.web(), r.Owner, r.Name, i.Number),
		"createdAt": stamp(i.Created), "updatedAt": stamp(i.Updated), "author": s.actor(i.Author),
		"repository": fields("Repository", map[string]any{"nameWithOwner": r.Owner + "/" + r.Name}),
		"milestone":  nil, "parent": nil,
	}
	if i.Milestone != "" {
		m["milestone"] = fields("Milestone", map[string]any{"title": i.Milestone, "number": slices.Index(r.milestones, i.Milestone) + 1})
	}
	if p := r.Issue(i.Parent); p != nil {
		m["parent"] = typed{"", s.issueObj(r, p)}
	}
	m["lastEditedAt"] = nil // a change of the text moves updatedAt here
	m["issueDependenciesSummary"] = func() any {
		open := s.issueList(r, func(o *Issue) bool { return !o.Closed && slices.Contains(i.BlockedBy, o.Number) })
		return fields("IssueDependenciesSummary", map[string]any{"blockedBy": len(open), "totalBlockedBy": len(i.BlockedBy)})
	}
	m["subIssuesSummary"] = func() any {
		all := s.issueList(r, func(o *Issue) bool { return o.Parent == i.Number })
		done := s.issueList(r, func(o *Issue) bool { return o.Parent == i.Number && o.Closed })
		return fields("SubIssuesSummary", map[string]any{"completed": len(done), "total": len(all)})
	}
	table := fields("Issue", m)
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "assignees":
			return connection(names(i.Assignees, func(n string) obj {
				return fields("User", map[string]any{"login": n, "id": "U_" + n, "databaseId": s.users[n]})
			}), args), nil
		case "labels":
			return connection(names(i.Labels, func(n string) obj {
				return fields("Label", map[string]any{"name": n, "id": "LA_" + n})
			}), args), nil
		case "comments":
			var list []typed
			for n := range i.Comments {
				list = append(list, typed{"", s.commentObj(&i.Comments[n])})
			}
			return connection(list, args), nil
		case "blockedBy":
			return connection(s.issueList(r, func(o *Issue) bool { return slices.Contains(i.BlockedBy, o.Number) }), args), nil
		case "subIssues":
			return connection(s.issueList(r, func(o *Issue) bool { return o.Parent == i.Number }), args), nil
		case "closedByPullRequestsReferences":
			var list []typed
			for _, p := range r.pulls {
				if slices.Contains(r.closes(p), i.Number) && (p.State == "open" || !p.Merged.IsZero() || args["includeClosedPrs"] == true) {
					list = append(list, typed{"PullRequest", s.pullObj(r, p)})
				}
			}
			return connection(list, args), nil
		case "projectItems":
			var list []typed
			for _, p := range s.projects {
				if it := p.Item(r.Owner+"/"+r.Name, i.Number); it != nil && (!it.Archived || args["includeArchived"] != false) {
					list = append(list, typed{"ProjectV2Item", s.itemObj(p, it)})
				}
			}
			return connection(list, args), nil
		}
		return table(field, args)
	}
}

func (s *Server) issueList(r *Repo, want func(*Issue) bool) []typed {
	var list []typed
	for _, o := range r.issues {
		if want(o) {
			list = append(list, typed{"Issue", s.issueObj(r, o)})
		}
	}
	return list
}

func (s *Server) commentObj(c *Comment) obj {
	return fields("IssueComment", map[string]any{
		"id": "IC_" + strconv.FormatInt(c.ID, 10), "databaseId": c.ID, "body": c.Body, "createdAt": stamp(c.At), "updatedAt": stamp(c.At),
		"author": s.actor(c.Author), "viewerDidAuthor": c.Author == s.viewer, "authorAssociation": association(c.Author),
		"includesCreatedEdit": false, "isMinimized": false, "minimizedReason": nil, "reactionGroups": []typed{},
		"url": "https://github.com/comment/" + strconv.FormatInt(c.ID, 10),
	})
}

func association(login string) string {
	if strings.HasPrefix(login, "stranger") {
		return "NONE"
	}
	return "MEMBER"
}
