package linear

import "slices"

func (r *reader) issueOrNil(id string) any {
	if i := r.d.issue(id); i != nil {
		return r.issue(i)
	}
	return nil
}

func (r *reader) issue(i *Issue) obj {
	return func(field string, args map[string]any) (any, error) {
		if v, ok := r.plain(i, field); ok {
			return v, nil
		}
		switch field {
		case "labels":
			var c conn
			for _, id := range i.Labels {
				if l := r.d.label(id); l != nil {
					c.add(r.label(l), item{})
				}
			}
			return c.page(r.o, args)
		case "children":
			return r.issues(args, func(c *Issue) bool { return c.Parent == i.ID })
		case "inverseRelations":
			return r.relations(args, func(rel *Relation) bool { return rel.To == i.ID })
		case "relations":
			return r.relations(args, func(rel *Relation) bool { return rel.From == i.ID })
		case "attachments":
			return r.attachments(args, func(a *Attachment) bool { return a.Issue == i.ID })
		case "comments":
			return r.comments(args, func(c *Comment) bool { return c.Issue == i.ID })
		case "history":
			var c conn
			for _, h := range r.d.History {
				if h.Issue == i.ID {
					c.add(r.history(h), item{created: h.Created, updated: h.Created})
				}
			}
			return c.page(r.o, args)
		}
		return noField("Issue", field)
	}
}

// plain are the fields of an issue that are no connections.
func (r *reader) plain(i *Issue, field string) (any, bool) {
	switch field {
	case "id":
		return i.ID, true
	case "identifier":
		return r.d.identifier(i), true
	case "previousIdentifiers":
		list := []any{}
		for _, p := range i.Previous {
			list = append(list, p)
		}
		return list, true
	case "number":
		return float64(i.Number), true
	case "title":
		return i.Title, true
	case "description":
		return text(i.Description), true
	case "url":
		return "https://linear.app/" + r.d.Org + "/issue/" + r.d.identifier(i), true
	case "branchName":
		return r.branch(i), true
	case "priority":
		return float64(i.Priority), true
	case "sortOrder":
		return i.Order, true
	case "createdAt":
		return stamp(i.Created), true
	case "updatedAt":
		return stamp(i.Updated), true
	case "archivedAt":
		return stamp(i.Archived), true
	case "trashed":
		return i.Trashed, true
	}
	return r.related(i, field)
}

// related are the single objects that an issue names.
func (r *reader) related(i *Issue, field string) (any, bool) {
	switch field {
	case "team":
		return r.team(r.d.team(i.Team)), true
	case "project":
		if p := r.d.project(i.Project); p != nil {
			return r.project(p), true
		}
		return nil, true
	case "projectMilestone":
		if m := r.d.milestone(i.Milestone); m != nil {
			return r.milestone(m), true
		}
		return nil, true
	case "state":
		return r.state(r.d.state(i.State)), true
	case "assignee":
		return r.user(i.Assignee), true
	case "delegate":
		return r.user(i.Delegate), true
	case "creator":
		return r.user(i.Creator), true
	case "botActor":
		return nil, true
	case "parent":
		return r.issueOrNil(i.Parent), true
	}
	return nil, false
}

// issues are the issues that the account sees, archived ones only when asked.
func (r *reader) issues(args map[string]any, want func(*Issue) bool) (any, error) {
	var c conn
	for _, i := range r.d.Issues {
		if !r.sees(i.Team) || !want(i) || !i.Archived.IsZero() && args["includeArchived"] != true {
			continue
		}
		c.add(r.issue(i), item{created: i.Created, updated: i.Updated})
	}
	return c.page(r.o, args)
}

func (r *reader) comments(args map[string]any, want func(*Comment) bool) (any, error) {
	var c conn
	for _, m := range r.d.Comments {
		if i := r.d.issue(m.Issue); i != nil && r.sees(i.Team) && want(m) {
			c.add(r.comment(m), item{created: m.Created, updated: m.Updated})
		}
	}
	return c.page(r.o, args)
}

func (r *reader) relations(args map[string]any, want func(*Relation) bool) (any, error) {
	var c conn
	for _, rel := range r.d.Relations {
		if want(rel) {
			c.add(r.relation(rel), item{})
		}
	}
	return c.page(r.o, args)
}

func (r *reader) attachments(args map[string]any, want func(*Attachment) bool) (any, error) {
	var c conn
	for _, a := range r.d.Attachments {
		if want(a) {
			c.add(r.attachment(a), item{created: a.Created, updated: a.Updated})
		}
	}
	return c.page(r.o, args)
}

// query answers the fields of the root.
func (r *reader) query(field string, args map[string]any) (any, error) {
	id, _ := args["id"].(string)
	switch field {
	case "viewer":
		return r.userObj(r.me), nil
	case "organization":
		return r.organization(), nil
	case "team":
		for _, t := range r.d.Teams {
			if (t.ID == id || t.Key == id) && r.sees(t.ID) {
				return r.team(t), nil
			}
		}
		return nil, notFound("Team")
	case "project":
		if p := r.d.project(id); p != nil && slices.ContainsFunc(p.Teams, r.sees) {
			return r.project(p), nil
		}
		return nil, notFound("Project")
	case "issue":
		if i := r.d.issue(id); i != nil && r.sees(i.Team) {
			return r.issue(i), nil
		}
		return nil, notFound("Issue")
	case "comment":
		if c := r.d.comment(id); c != nil {
			return r.comment(c), nil
		}
		return nil, notFound("Comment")
	case "issues":
		if r.o.AnyIssue {
			delete(args, "filter")
			args["includeArchived"] = true
		}
		return r.issues(args, func(*Issue) bool { return true })
	case "comments":
		return r.comments(args, func(*Comment) bool { return true })
	case "attachments":
		return r.attachments(args, func(a *Attachment) bool { return r.sees(r.d.issue(a.Issue).Team) })
	case "attachmentsForURL":
		return r.attachments(args, func(a *Attachment) bool { return a.URL == args["url"] })
	}
	return r.lists(field, args)
}

// lists are the workspace's own lists.
func (r *reader) lists(field string, args map[string]any) (any, error) {
	var c conn
	switch field {
	case "teams":
		for _, t := range r.d.Teams {
			if r.sees(t.ID) {
				c.add(r.team(t), item{})
			}
		}
	case "projects":
		for _, p := range r.d.Projects {
			if slices.ContainsFunc(p.Teams, r.sees) {
				c.add(r.project(p), item{})
			}
		}
	case "users":
		for _, u := range r.d.Users {
			if !u.Inactive || args["includeDisabled"] == true {
				c.add(r.userObj(u), item{})
			}
		}
	case "workflowStates":
		for _, s := range r.d.States {
			if r.sees(s.Team) && (s.Archived.IsZero() || args["includeArchived"] == true) {
				c.add(r.state(s), item{})
			}
		}
	case "issueLabels":
		for _, l := range r.d.Labels {
			if l.Team == "" || r.sees(l.Team) {
				c.add(r.label(l), item{})
			}
		}
	default:
		return noField("Query", field)
	}
	return c.page(r.o, args)
}

func (r *reader) organization() obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id", "name", "urlKey":
			return r.d.Org, nil
		}
		return noField("Organization", field)
	}
}
