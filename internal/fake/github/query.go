package github

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// fields answers an object from a table of values.
func fields(of string, m map[string]any) obj {
	return func(field string, _ map[string]any) (any, error) {
		v, ok := m[field]
		if !ok {
			return nil, fmt.Errorf("the fake has no %s.%s", of, field)
		}
		if f, lazy := v.(func() any); lazy {
			v = f()
		}
		return v, nil
	}
}

func (s *Server) query(g grant) obj {
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "repository":
			name := fmt.Sprint(args["owner"], "/", args["name"])
			r := s.repo(name)
			if r == nil || g.app != nil && g.repos != nil && !slices.Contains(g.repos, r.Name) {
				return nil, &typedError{"NOT_FOUND", "Could not resolve to a Repository with the name '" + name + "'."}
			}
			return s.repoObj(r), nil
		case "organization", "user":
			login := fmt.Sprint(args["login"])
			if !slices.ContainsFunc(s.projects, func(p *Project) bool { return strings.EqualFold(p.Owner, login) }) {
				return nil, &typedError{"NOT_FOUND", "Could not resolve to an Organization with the login of '" + login + "'."}
			}
			return s.ownerObj(login), nil
		case "node":
			return s.node(fmt.Sprint(args["id"]))
		case "nodes":
			return s.nodes(args["ids"]), nil
		case "rateLimit":
			return fields("RateLimit", map[string]any{
				"limit": s.o.Points, "cost": 1, "remaining": s.o.Points - s.points, "used": s.points, "nodeCount": 0,
				"resetAt": s.now().Add(time.Hour).UTC().Format(time.RFC3339),
			}), nil
		case "viewer":
			return fields("User", map[string]any{"login": g.login(), "databaseId": s.users[g.login()], "id": "U_" + g.login()}), nil
		}
		return nil, fmt.Errorf("the fake has no Query.%s", field)
	}
}

func (s *Server) mutation(g grant) obj {
	return func(field string, args map[string]any) (any, error) {
		in, _ := args["input"].(map[string]any)
		if field != "markPullRequestReadyForReview" && field != "convertPullRequestToDraft" {
			return s.projectMutation(g, field, in)
		}
		if g.app != nil && g.app.Permissions["pull_requests"] != "write" {
			return nil, &typedError{"FORBIDDEN", "Resource not accessible by integration"}
		}
		r, p := s.pullByNode(fmt.Sprint(in["pullRequestId"]))
		if p == nil {
			return nil, &typedError{"NOT_FOUND", "Could not resolve to a node with the global id of '" + fmt.Sprint(in["pullRequestId"]) + "'."}
		}
		action := "ready_for_review"
		switch field {
		case "markPullRequestReadyForReview":
			p.Draft = false
		case "convertPullRequestToDraft":
			p.Draft, action = true, "converted_to_draft"
		default:
			return nil, fmt.Errorf("the fake has no Mutation.%s", field)
		}
		p.Updated = s.now()
		s.emitPull(r, p, action, g.login(), nil)
		return fields("payload", map[string]any{"pullRequest": typed{"PullRequest", s.pullObj(r, p)}}), nil
	}
}

func (s *Server) pullByNode(id string) (*Repo, *Pull) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "PR_"))
	if err != nil {
		return nil, nil
	}
	for _, r := range s.repos {
		if p := r.Pull(n); p != nil {
			return r, p
		}
	}
	return nil, nil
}

// nodes answers pull requests and issues by their node ids; null where there is
// none.
func (s *Server) nodes(ids any) []typed {
	list, _ := ids.([]any)
	out := make([]typed, len(list))
	for i, id := range list {
		if r, p := s.pullByNode(fmt.Sprint(id)); p != nil {
			out[i] = typed{"PullRequest", s.pullObj(r, p)}
		} else if r, o, err := s.issueByID(fmt.Sprint(id)); err == nil {
			out[i] = typed{"Issue", s.issueObj(r, o)}
		}
	}
	return out
}

func (s *Server) repoObj(r *Repo) obj {
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "nameWithOwner":
			return r.Owner + "/" + r.Name, nil
		case "id":
			return "R_" + r.Owner + "/" + r.Name, nil
		case "name":
			return r.Name, nil
		case "hasIssuesEnabled":
			return true, nil
		case "defaultBranchRef":
			return fields("Ref", map[string]any{"name": r.Default, "target": typed{"Commit", fields("Commit", map[string]any{"oid": r.tip(r.Default)})}}), nil
		case "pullRequest":
			n, _ := strconv.Atoi(fmt.Sprint(args["number"]))
			p := r.Pull(n)
			if p == nil {
				return nil, &typedError{"NOT_FOUND", fmt.Sprintf("Could not resolve to a PullRequest with the number of %d.", n)}
			}
			return s.pullObj(r, p), nil
		case "pullRequests":
			return s.pullConn(r, args), nil
		case "issue":
			n := f0(args)("number")
			i := r.Issue(n)
			if i == nil {
				return nil, &typedError{"NOT_FOUND", fmt.Sprintf("Could not resolve to an Issue with the number of %d.", n)}
			}
			return typed{"Issue", s.issueObj(r, i)}, nil
		case "labels":
			return connection(names(r.labels, func(n string) obj {
				return fields("Label", map[string]any{"name": n, "id": "LA_" + n})
			}), args), nil
		case "milestones":
			return connection(names(r.milestones, func(n string) obj {
				open := s.issueList(r, func(i *Issue) bool { return i.Milestone == n && !i.Closed })
				return fields("Milestone", map[string]any{
					"title": n, "number": slices.Index(r.milestones, n) + 1, "id": "MI_" + n, "openIssueCount": len(open),
				})
			}), args), nil
		}
		return nil, fmt.Errorf("the fake has no Repository.%s", field)
	}
}

// mergeable is what the repository says, unless this request is to find it not
// worked out.
func (s *Server) mergeable(r *Repo, p *Pull) string {
	if s.unknown {
		return "UNKNOWN"
	}
	return r.mergeable(p)
}

func stateOf(p *Pull) string {
	switch {
	case !p.Merged.IsZero():
		return "MERGED"
	case p.State == "closed":
		return "CLOSED"
	}
	return "OPEN"
}

func (s *Server) pullConn(r *Repo, args map[string]any) obj {
	states, _ := args["states"].([]any)
	head, _ := args["headRefName"].(string)
	var all []*Pull
	for _, p := range r.pulls {
		if (len(states) == 0 || slices.Contains(states, any(stateOf(p)))) && (head == "" || p.Head == head) {
			all = append(all, p)
		}
	}
	if order, ok := args["orderBy"].(map[string]any); ok {
		byUpdate := order["field"] == "UPDATED_AT"
		slices.SortStableFunc(all, func(a, b *Pull) int {
			if byUpdate {
				return a.Updated.Compare(b.Updated)
			}
			return a.Created.Compare(b.Created)
		})
		if order["direction"] == "DESC" {
			slices.Reverse(all)
		}
	}
	var list []typed
	for _, p := range all {
		list = append(list, typed{"PullRequest", s.pullObj(r, p)})
	}
	return connection(list, args)
}

// connection is one page of a list, by its position as the cursor.
func connection(all []typed, args map[string]any) obj {
	from := 0
	if after, ok := args["after"].(string); ok {
		from, _ = strconv.Atoi(after)
	}
	from = min(from, len(all))
	to := len(all)
	if before, ok := args["before"].(string); ok {
		n, _ := strconv.Atoi(before)
		to = max(from, min(to, n))
	}
	arg := f0(args)
	if n := arg("first"); n > 0 {
		to = min(to, from+n)
	}
	if n := arg("last"); n > 0 {
		from = max(from, to-n)
	}
	return fields("connection", map[string]any{
		"totalCount": len(all), "nodes": append([]typed{}, all[from:to]...),
		"pageInfo": fields("PageInfo", map[string]any{
			"hasNextPage": to < len(all), "endCursor": strconv.Itoa(to), "hasPreviousPage": from > 0, "startCursor": strconv.Itoa(from),
		}),
	})
}

// actor is whoever acts; null for an account that is gone. A bot's login has
// no [bot] in GraphQL.
func (s *Server) actor(login string) any {
	if login == "" {
		return nil
	}
	kind := "User"
	name, isBot := strings.CutSuffix(login, "[bot]")
	if isBot {
		kind = "Bot"
	}
	return typed{kind, fields(kind, map[string]any{"login": name, "databaseId": s.users[login], "id": "U_" + name, "name": nil})}
}

func (s *Server) pullObj(r *Repo, p *Pull) obj {
	m := map[string]any{
		"id": nodeID(p), "number": p.Number, "title": p.Title, "body": p.Body, "isDraft": p.Draft, "state": stateOf(p),
		"url":    fmt.Sprintf("%s/%s/%s/pull/%d", s.web(), r.Owner, r.Name, p.Number),
		"merged": !p.Merged.IsZero(), "isCrossRepository": p.Fork != "",
		"baseRefName": p.Base, "headRefName": p.Head, "headRefOid": func() any { return r.head(p) }, "baseRefOid": func() any { return r.tip(p.Base) },
		"createdAt": p.Created.UTC().Format(time.RFC3339), "updatedAt": p.Updated.UTC().Format(time.RFC3339),
		"mergedAt": nil, "mergeCommit": nil,
		"mergeable":  func() any { return s.mergeable(r, p) },
		"author":     s.actor(p.Author),
		"repository": fields("Repository", map[string]any{"nameWithOwner": r.Owner + "/" + r.Name}),
	}
	if !p.Merged.IsZero() {
		m["mergedAt"] = p.Merged.UTC().Format(time.RFC3339)
		m["mergeCommit"] = fields("Commit", map[string]any{"oid": p.MergeSHA})
	}
	table := fields("PullRequest", m)
	return func(field string, args map[string]any) (any, error) {
		switch field {
		case "reviews":
			var list []typed
			for i := range p.Reviews {
				list = append(list, typed{"", s.reviewObj(r, p, &p.Reviews[i])})
			}
			return connection(list, args), nil
		case "statusCheckRollup":
			return s.rollup(r, r.head(p))
		case "closingIssuesReferences":
			var list []typed
			for _, n := range r.closes(p) {
				list = append(list, typed{"", fields("Issue", map[string]any{
					"number": n, "repository": fields("Repository", map[string]any{"nameWithOwner": r.Owner + "/" + r.Name}),
				})})
			}
			return connection(list, args), nil
		}
		if _, ours := m[field]; !ours {
			return s.cliPull(r, p, field, args)
		}
		return table(field, args)
	}
}

func (s *Server) reviewObj(r *Repo, p *Pull, v *Review) obj {
	table := fields("PullRequestReview", map[string]any{
		"fullDatabaseId": strconv.FormatInt(v.ID, 10), "state": v.State, "body": v.Body, "submittedAt": v.At.UTC().Format(time.RFC3339),
		"author": s.actor(v.Author), "commit": fields("Commit", map[string]any{"oid": v.Commit}),
		"id": "PRR_" + strconv.FormatInt(v.ID, 10), "authorAssociation": association(v.Author), "reactionGroups": []typed{},
	})
	return func(field string, args map[string]any) (any, error) {
		if field != "comments" {
			return table(field, args)
		}
		var list []typed
		for i := range v.Findings {
			list = append(list, typed{"", s.findingObj(r, p, v, i)})
		}
		return connection(list, args), nil
	}
}
