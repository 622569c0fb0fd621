package github

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// cliText is what GitHub's own command line asks besides. The program's own
// queries are not held to it, but to the narrower schema.
//
//go:embed gh.graphql
var cliText string

// CLISchema is what gh may ask.
var CLISchema = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(
		&ast.Source{Name: "schema.graphql", Input: schemaText}, &ast.Source{Name: "gh.graphql", Input: cliText})
})

// schemaOf is what the sender of a request is held to.
func schemaOf(r *http.Request) *ast.Schema {
	if strings.HasPrefix(r.UserAgent(), "GitHub CLI") {
		return CLISchema()
	}
	return Schema()
}

// cliPull answers the fields of a pull request that only gh asks for.
func (s *Server) cliPull(r *Repo, p *Pull, field string, args map[string]any) (any, error) {
	switch field {
	case "additions", "deletions", "changedFiles":
		files := r.changed(p)
		sum := map[string]int{"changedFiles": len(files)}
		for _, f := range files {
			sum["additions"] += f.added
			sum["deletions"] += f.removed
		}
		return sum[field], nil
	case "closedAt":
		if p.State == "closed" {
			return stamp(p.Updated), nil
		}
		return nil, nil
	case "headRepositoryOwner", "headRepository":
		return s.headRepo(r, p, field), nil
	case "maintainerCanModify":
		return false, nil
	case "mergeStateStatus":
		return map[string]string{"MERGEABLE": "CLEAN", "CONFLICTING": "DIRTY", "UNKNOWN": "UNKNOWN"}[s.mergeable(r, p)], nil
	case "reviewDecision":
		return p.decision(), nil
	case "comments":
		var list []typed
		for i := range p.Comments {
			list = append(list, typed{"", s.commentObj(&p.Comments[i])})
		}
		return connection(list, args), nil
	case "commits":
		commit := obj(func(field string, _ map[string]any) (any, error) {
			switch field {
			case "oid":
				return r.head(p), nil
			case "statusCheckRollup":
				return s.rollup(r, r.head(p))
			}
			return nil, fmt.Errorf("the fake has no Commit.%s", field)
		})
		return connection([]typed{{"", fields("PullRequestCommit", map[string]any{"commit": commit})}}, args), nil
	case "files":
		var list []typed
		for _, f := range r.changed(p) {
			list = append(list, typed{"", fields("file", map[string]any{"path": f.path, "additions": f.added, "deletions": f.removed})})
		}
		return connection(list, args), nil
	case "labels", "assignees", "projectCards", "reviewRequests": // nobody sets one here
		return connection(nil, args), nil
	case "milestone", "reactionGroups":
		return nil, nil
	}
	return nil, fmt.Errorf("the fake has no PullRequest.%s", field)
}

func (*Server) headRepo(r *Repo, p *Pull, field string) any {
	owner := r.Owner
	if p.Fork != "" {
		owner = p.Fork
	}
	if field == "headRepository" {
		return fields("Repository", map[string]any{"id": "R_" + owner + "/" + r.Name, "name": r.Name})
	}
	return typed{"User", fields("User", map[string]any{"id": "U_" + owner, "login": owner, "name": nil})}
}

// decision is what people's last reviews come to; null where nobody decided.
func (p *Pull) decision() any {
	last := map[string]string{}
	for i := range p.Reviews {
		if v := &p.Reviews[i]; v.State != "COMMENTED" && v.State != "PENDING" {
			last[v.Author] = v.State
		}
	}
	var out any
	for _, state := range last {
		if state == "CHANGES_REQUESTED" {
			return state
		}
		out = state
	}
	return out
}

// changedFile is one file of a pull request's diff.
type changedFile struct {
	path           string
	added, removed int
	patch          string
}

// changed are the files that a pull request changes, by its diff.
func (r *Repo) changed(p *Pull) []changedFile {
	text, err := r.git.Diff(bg(), r.Dir, r.tip(p.Base), r.head(p))
	if err != nil {
		return nil
	}
	var out []changedFile
	body := false // past the head of a file, in its hunks
	for l := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(l, "diff --git "):
			_, name, _ := strings.Cut(strings.TrimSpace(l), " b/")
			out, body = append(out, changedFile{path: name}), false
			continue
		case strings.HasPrefix(l, "@@"):
			body = true
		case !body || len(out) == 0:
			continue
		case strings.HasPrefix(l, "+"):
			out[len(out)-1].added++
		case strings.HasPrefix(l, "-"):
			out[len(out)-1].removed++
		}
		out[len(out)-1].patch += l
	}
	return out
}
