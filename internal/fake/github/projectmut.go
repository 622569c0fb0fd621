package github

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// mutations of projects and issues, as a person's token may make them.
func (s *Server) projectMutation(g grant, field string, in map[string]any) (any, error) {
	arg := func(name string) string { v, _ := in[name].(string); return v }
	switch field {
	case "updateProjectV2ItemFieldValue", "clearProjectV2ItemFieldValue":
		return s.setField(g, in, field == "clearProjectV2ItemFieldValue")
	case "addComment":
		return s.comment(g, arg("subjectId"), arg("body"))
	case "updateIssueComment":
		return s.editComment(g, arg("id"), func(i *Issue, at int) any {
			i.Comments[at].Body = arg("body")
			return fields("payload", map[string]any{"issueComment": typed{"", s.commentObj(&i.Comments[at])}})
		})
	case "deleteIssueComment":
		return s.editComment(g, arg("id"), func(i *Issue, at int) any {
			i.Comments = slices.Delete(i.Comments, at, at+1)
			return fields("payload", map[string]any{"clientMutationId": nil})
		})
	case "addLabelsToLabelable", "removeLabelsFromLabelable":
		return s.label(g, arg("labelableId"), in["labelIds"], field == "addLabelsToLabelable")
	case "removeAssigneesFromAssignable":
		return s.unassign(arg("assignableId"), in["assigneeIds"])
	case "updateIssue":
		r, i, err := s.issueByID(arg("id"))
		if err != nil {
			return nil, err
		}
		if body, ok := in["body"].(string); ok {
			old := map[string]any{"body": map[string]any{"from": i.Body}}
			i.Body, i.Updated = body, s.now()
			s.emitIssue(r, i, "edited", g.login(), map[string]any{"changes": old})
		}
		return fields("payload", map[string]any{"issue": typed{"Issue", s.issueObj(r, i)}}), nil
	}
	return nil, fmt.Errorf("the fake has no Mutation.%s", field)
}

func (s *Server) issueByID(id string) (*Repo, *Issue, error) {
	name, n, _ := strings.Cut(strings.TrimPrefix(id, "I_"), "_")
	number, err := strconv.Atoi(n)
	r := s.repo(name)
	if err == nil && r != nil {
		if i := r.Issue(number); i != nil {
			return r, i, nil
		}
	}
	return nil, nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + id + "'"}
}

func (s *Server) setField(g grant, in map[string]any, clear bool) (any, error) {
	p := s.projectByID(fmt.Sprint(in["projectId"]))
	if p == nil {
		return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + fmt.Sprint(in["projectId"]) + "'"}
	}
	var item *Item
	for _, i := range p.Items {
		if i.ID == in["itemId"] {
			item = i
		}
	}
	value, _ := in["value"].(map[string]any)
	switch {
	case item == nil:
		return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + fmt.Sprint(in["itemId"]) + "'"}
	case item.Archived:
		return nil, errors.New("The item is archived and cannot be updated") //nolint:staticcheck // GitHub's words
	case in["fieldId"] == p.ClaimedBy.ID && clear:
		item.Claimed = nil
	case in["fieldId"] == p.ClaimedBy.ID:
		text, ok := value["text"].(string)
		if !ok {
			return nil, errors.New("The value of a text field is a text") //nolint:staticcheck // an error as GitHub words them
		}
		item.Claimed = &text
	case in["fieldId"] == p.Status.ID && clear:
		item.Status = ""
	case in["fieldId"] == p.Status.ID:
		id, _ := value["singleSelectOptionId"].(string)
		if p.optionName(id) == "" {
			return nil, errors.New("The single select option Id does not belong to the field") //nolint:staticcheck // GitHub's words
		}
		p.move(item, id, s.now())
		if p.optionName(id) == "Done" {
			r := s.repos[item.Repo]
			if i := r.Issue(item.Issue); i != nil && !i.Closed {
				i.Closed = true // the project's own workflow
				s.emitIssue(r, i, "closed", g.login(), nil)
			}
		}
	default:
		return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + fmt.Sprint(in["fieldId"]) + "'"}
	}
	item.Updated = s.now()
	return fields("payload", map[string]any{"projectV2Item": typed{"ProjectV2Item", s.itemObj(p, item)}}), nil
}

// maxComment is how many characters a comment may have.
const maxComment = 65536

func (s *Server) comment(g grant, subject, body string) (any, error) {
	r, i, err := s.issueByID(subject)
	if err != nil {
		return nil, err
	}
	if len([]rune(body)) > maxComment {
		return nil, &typedError{"UNPROCESSABLE", "Body is too long (maximum is 65536 characters)"}
	}
	r.Say(i, g.login(), body, s.now())
	said := &i.Comments[len(i.Comments)-1]
	s.emitIssue(r, i, "created", g.login(), map[string]any{"comment": s.commentJSON(said)})
	node := typed{"", s.commentObj(said)}
	return fields("payload", map[string]any{"commentEdge": fields("edge", map[string]any{"node": node})}), nil
}

func (s *Server) editComment(g grant, id string, edit func(*Issue, int) any) (any, error) {
	n, _ := strconv.ParseInt(strings.TrimPrefix(id, "IC_"), 10, 64)
	for _, r := range s.repos {
		for _, i := range r.issues {
			for at := range i.Comments {
				if i.Comments[at].ID != n {
					continue
				}
				if i.Comments[at].Author != g.login() {
					return nil, &typedError{"FORBIDDEN", g.login() + " does not have the correct permissions to execute `UpdateIssueComment`"}
				}
				i.Updated = s.now()
				return edit(i, at), nil
			}
		}
	}
	return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + id + "'"}
}

func (s *Server) label(g grant, id string, labels any, add bool) (any, error) {
	r, i, err := s.issueByID(id)
	if err != nil {
		return nil, err
	}
	list, _ := labels.([]any)
	for _, l := range list {
		name := strings.TrimPrefix(fmt.Sprint(l), "LA_")
		if !slices.Contains(r.labels, name) {
			return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + fmt.Sprint(l) + "'"}
		}
		i.Labels = slices.DeleteFunc(i.Labels, func(o string) bool { return o == name })
		action := "unlabeled"
		if add {
			i.Labels, action = append(i.Labels, name), "labeled"
		}
		s.emitIssue(r, i, action, g.login(), map[string]any{"label": map[string]any{"name": name}})
	}
	i.Updated = s.now()
	return fields("payload", map[string]any{"labelable": typed{"Issue", s.issueObj(r, i)}}), nil
}

func (s *Server) unassign(id string, users any) (any, error) {
	r, i, err := s.issueByID(id)
	if err != nil {
		return nil, err
	}
	list, _ := users.([]any)
	for _, u := range list {
		i.Assignees = slices.DeleteFunc(i.Assignees, func(o string) bool { return "U_"+o == u })
	}
	i.Updated = s.now()
	return fields("payload", map[string]any{"assignable": typed{"Issue", s.issueObj(r, i)}}), nil
}
