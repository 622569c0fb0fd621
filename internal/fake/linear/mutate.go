package linear

import (
	"fmt"
	"regexp"
	"slices"
)

// writer carries out mutations.
type writer struct {
	reader
	w *World
}

// mutation answers the fields of a mutation's root.
func (m *writer) mutation(field string, args map[string]any) (any, error) {
	id, _ := args["id"].(string)
	input, _ := args["input"].(map[string]any)
	switch field {
	case "issueUpdate":
		return m.issueUpdate(id, input)
	case "issueAddLabel":
		return m.issueUpdate(id, map[string]any{"addedLabelIds": []any{args["labelId"]}})
	case "issueRemoveLabel":
		return m.issueUpdate(id, map[string]any{"removedLabelIds": []any{args["labelId"]}})
	case "commentCreate":
		return m.commentCreate(input)
	case "commentUpdate":
		return m.commentUpdate(id, input)
	case "commentDelete":
		return m.commentDelete(id)
	case "attachmentCreate", "attachmentLinkURL":
		if input == nil {
			input = args
		}
		return m.attach(input, "")
	case "attachmentLinkGitHubPR":
		if m.o.NoGitHub {
			return nil, invalid("Integration not found", "The GitHub integration is not connected.")
		}
		if url, _ := args["url"].(string); !pullURL.MatchString(url) {
			return nil, invalid("Argument Validation Error", "url must be a GitHub pull request URL.")
		}
		return m.attach(args, "github")
	}
	return noField("Mutation", field)
}

var pullURL = regexp.MustCompile(`^https://github\.com/[^/]+/[^/]+/pull/\d+$`)

// payload answers a mutation's result: success, and the entity under a name.
func (m *writer) payload(name string, entity any) obj {
	m.d.Sync++
	sync := float64(m.d.Sync)
	return func(field string, _ map[string]any) (any, error) {
		switch field {
		case "success":
			return true, nil
		case "lastSyncId":
			return sync, nil
		case name:
			return entity, nil
		}
		return noField("Payload", field)
	}
}

func (m *writer) find(id string) (*Issue, error) {
	i := m.d.issue(id)
	if i == nil || !m.sees(i.Team) {
		return nil, notFound("Issue")
	}
	return i, nil
}

// issueUpdate changes an issue as far as the input names fields; an explicit
// null clears.
func (m *writer) issueUpdate(id string, input map[string]any) (any, error) {
	i, err := m.find(id)
	if err != nil {
		return nil, err
	}
	next := *i
	next.Labels = slices.Clone(i.Labels)
	for _, key := range []string{"title", "description", "stateId", "delegateId", "assigneeId", "projectId", "projectMilestoneId", "sortOrder", "labelIds", "addedLabelIds", "removedLabelIds"} {
		v, stated := input[key]
		if !stated {
			continue
		}
		if err := m.set(&next, key, v, input); err != nil {
			return nil, err
		}
	}
	h := &History{Issue: i.ID, Actor: m.me.ID}
	if next.State != i.State {
		h.FromState, h.ToState = i.State, next.State
	}
	m.w.changed(i, next, h)
	return m.payload("issue", m.issue(i)), nil
}

// changed puts a changed issue in place, with its line of history. The lock is
// held.
func (w *World) changed(i *Issue, next Issue, h *History) {
	next.Updated = w.now()
	h.ID, h.Created = w.d.newID(), next.Updated
	w.d.History = append(w.d.History, h)
	*i = next
}

func (m *writer) set(i *Issue, key string, v any, input map[string]any) error {
	s, _ := v.(string)
	switch key {
	case "title":
		i.Title = s
	case "description":
		i.Description = s
	case "sortOrder":
		i.Order, _ = number(v)
	case "stateId":
		if st := m.d.state(s); st == nil || st.Team != i.Team || !st.Archived.IsZero() {
			return notFound("WorkflowState")
		}
		i.State = s
	case "projectId":
		i.Project = s
	case "projectMilestoneId":
		i.Milestone = s
	case "delegateId", "assigneeId":
		return m.assign(i, key, s, input)
	default:
		return m.relabel(i, key, v)
	}
	return nil
}

// assign sets assignee and delegate. An app user is never an assignee: it is
// routed to the delegate. Delegating makes the acting account the assignee,
// unless the workspace is set otherwise or the input says so.
func (m *writer) assign(i *Issue, key, id string, input map[string]any) error {
	u := m.d.user(id)
	if id != "" && (u == nil || u.Inactive) {
		return notFound("User")
	}
	if u != nil && !(u.Teams == nil || slices.Contains(u.Teams, i.Team)) {
		return invalid("User not in team", fmt.Sprintf("%s has no access to the team.", u.DisplayName))
	}
	app := u != nil && u.App
	switch {
	case key == "assigneeId" && !app:
		i.Assignee = id
	case key == "delegateId" && u != nil && !app:
		return invalid("Argument Validation Error", "delegateId must be an app user.")
	default:
		i.Delegate = id
		if _, stated := input["assigneeId"]; app && !stated && !m.o.KeepsAssignee {
			i.Assignee = m.me.ID
		}
	}
	return nil
}

func (m *writer) relabel(i *Issue, key string, v any) error {
	var ids []string
	list, _ := v.([]any)
	for _, one := range list {
		id, _ := one.(string)
		l := m.d.label(id)
		if l == nil {
			return notFound("IssueLabel")
		}
		if l.Group && key != "removedLabelIds" {
			return invalid("Label is a group", fmt.Sprintf("The label '%s' is a group and cannot be assigned to issues directly.", l.Name))
		}
		ids = append(ids, id)
	}
	switch key {
	case "labelIds":
		i.Labels = ids
	case "addedLabelIds":
		for _, id := range ids {
			if !slices.Contains(i.Labels, id) {
				i.Labels = append(i.Labels, id)
			}
		}
	case "removedLabelIds":
		i.Labels = slices.DeleteFunc(i.Labels, func(id string) bool { return slices.Contains(ids, id) })
	}
	return nil
}
