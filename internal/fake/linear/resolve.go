package linear

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// obj answers the fields of one object: a scalar, nil, another obj, a list of
// scalars or of obj, or a connection.
type obj func(field string, args map[string]any) (any, error)

// reader is one request's view of the workspace.
type reader struct {
	o  *Options
	d  *data
	me *User
}

func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func noField(typ, field string) (any, error) {
	return nil, fmt.Errorf("the fake does not know %s.%s", typ, field)
}

// sees says whether the key's account has access to a team.
func (r *reader) sees(team string) bool {
	return r.me.Teams == nil || slices.Contains(r.me.Teams, team)
}

func (r *reader) user(id string) any {
	u := r.d.user(id)
	if u == nil {
		return nil
	}
	return r.userObj(u)
}

func (r *reader) userObj(u *User) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return u.ID, nil
		case "name":
			return u.Name, nil
		case "displayName":
			return u.DisplayName, nil
		case "email":
			return u.Email, nil
		case "active":
			return !u.Inactive, nil
		case "app":
			return u.App, nil
		case "guest":
			return u.Guest, nil
		case "isMe":
			return u.ID == r.me.ID, nil
		}
		return noField("User", field)
	}
}

func (r *reader) bot(name string) any {
	if name == "" {
		return nil
	}
	return obj(func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id", "name", "type":
			return name, nil
		}
		return noField("ActorBot", field)
	})
}

func (r *reader) team(t *Team) obj {
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "id":
			return t.ID, nil
		case "key":
			return t.Key, nil
		case "name":
			return t.Name, nil
		case "projects":
			var c conn
			for _, p := range r.d.Projects {
				if slices.Contains(p.Teams, t.ID) {
					c.add(r.project(p), item{})
				}
			}
			return c.page(r.o, args)
		}
		return noField("Team", field)
	}
}

func (r *reader) project(p *Project) obj {
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "id":
			return p.ID, nil
		case "name":
			return p.Name, nil
		case "slugId":
			return p.Slug, nil
		case "url":
			return p.URL, nil
		case "projectMilestones":
			var c conn
			for _, m := range r.d.Milestones {
				if m.Project == p.ID {
					c.add(r.milestone(m), item{})
				}
			}
			return c.page(r.o, args)
		}
		return noField("Project", field)
	}
}

func (r *reader) milestone(m *Milestone) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return m.ID, nil
		case "name":
			return m.Name, nil
		case "sortOrder":
			return m.Order, nil
		}
		return noField("ProjectMilestone", field)
	}
}

func (r *reader) state(s *State) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return s.ID, nil
		case "name":
			return s.Name, nil
		case "type":
			return s.Type, nil
		case "position":
			return s.Position, nil
		case "team":
			return r.team(r.d.team(s.Team)), nil
		}
		return noField("WorkflowState", field)
	}
}

func (r *reader) stateOrNil(id string) any {
	if s := r.d.state(id); s != nil {
		return r.state(s)
	}
	return nil
}

func (r *reader) label(l *Label) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return l.ID, nil
		case "name":
			return l.Name, nil
		case "isGroup":
			return l.Group, nil
		case "parent":
			if p := r.d.label(l.Parent); p != nil {
				return r.label(p), nil
			}
			return nil, nil
		case "team":
			if t := r.d.team(l.Team); t != nil {
				return r.team(t), nil
			}
			return nil, nil
		}
		return noField("IssueLabel", field)
	}
}

func (r *reader) comment(c *Comment) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return c.ID, nil
		case "body":
			return c.Body, nil
		case "createdAt":
			return stamp(c.Created), nil
		case "updatedAt":
			return stamp(c.Updated), nil
		case "user":
			return r.user(c.User), nil
		case "botActor":
			return r.bot(c.Bot), nil
		case "externalUser":
			return r.bot(c.External), nil
		case "issue":
			return r.issueOrNil(c.Issue), nil
		case "parent":
			if p := r.d.comment(c.Parent); p != nil {
				return r.comment(p), nil
			}
			return nil, nil
		}
		return noField("Comment", field)
	}
}

func (r *reader) attachment(a *Attachment) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return a.ID, nil
		case "url":
			return a.URL, nil
		case "title":
			return a.Title, nil
		case "subtitle":
			return text(a.Subtitle), nil
		case "sourceType":
			return text(a.Source), nil
		case "createdAt":
			return stamp(a.Created), nil
		case "updatedAt":
			return stamp(a.Updated), nil
		case "issue":
			return r.issueOrNil(a.Issue), nil
		}
		return noField("Attachment", field)
	}
}

func (r *reader) relation(rel *Relation) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return rel.ID, nil
		case "type":
			return rel.Type, nil
		case "issue":
			return r.issueOrNil(rel.From), nil
		case "relatedIssue":
			return r.issueOrNil(rel.To), nil
		}
		return noField("IssueRelation", field)
	}
}

func (r *reader) history(h *History) obj {
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "id":
			return h.ID, nil
		case "createdAt":
			return stamp(h.Created), nil
		case "actor":
			return r.user(h.Actor), nil
		case "botActor":
			return r.bot(h.Bot), nil
		case "fromState":
			return r.stateOrNil(h.FromState), nil
		case "toState":
			return r.stateOrNil(h.ToState), nil
		}
		return noField("IssueHistory", field)
	}
}

// branch is the branch name that Linear proposes.
func (r *reader) branch(i *Issue) string {
	return strings.ToLower(r.me.DisplayName + "/" + r.d.identifier(i))
}
