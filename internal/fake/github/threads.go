package github

import (
	"net/http"
	"strconv"
)

func (s *Server) threadRoutes(one func(func(http.ResponseWriter, *http.Request, grant, *Repo, *Pull)) func(http.ResponseWriter, *http.Request, grant, *Repo)) {
	const base = "/repos/{owner}/{repo}/pulls/{n}"
	s.mux.HandleFunc("GET "+base+"/files", s.inRepo("", one(s.listFiles)))
	s.mux.HandleFunc("GET "+base+"/comments", s.inRepo("", one(s.listThreads)))
	s.mux.HandleFunc("POST "+base+"/comments/{id}/replies", s.inRepo(pullsWrite, one(s.reply)))
	s.mux.HandleFunc("GET /repos/{owner}/{repo}/issues/{n}/comments", s.inRepo("", one(s.listComments)))
}

func (*Server) listFiles(w http.ResponseWriter, _ *http.Request, _ grant, repo *Repo, p *Pull) {
	list := []any{}
	for _, f := range repo.changed(p) {
		list = append(list, map[string]any{
			"filename": f.path, "status": "modified", "additions": f.added, "deletions": f.removed, "changes": f.added + f.removed, "patch": f.patch,
		})
	}
	answer(w, http.StatusOK, list)
}

// listThreads are the findings on lines, and what was answered to them.
func (s *Server) listThreads(w http.ResponseWriter, _ *http.Request, _ grant, _ *Repo, p *Pull) {
	list := []any{}
	for i := range p.Reviews {
		for j := range p.Reviews[i].Findings {
			list = append(list, s.findingJSON(&p.Reviews[i], j))
		}
	}
	answer(w, http.StatusOK, list)
}

// findingID is a number of its own for a finding of a review.
func (v *Review) findingID(at int) int64 { return v.ID*1000 + int64(at) }

func (s *Server) findingJSON(v *Review, at int) map[string]any {
	f := &v.Findings[at]
	out := map[string]any{
		"id": v.findingID(at), "pull_request_review_id": v.ID, "path": f.Path, "line": f.Line, "side": f.Side, "body": f.Body,
		"commit_id": v.Commit, "user": s.userJSON(v.Author), "created_at": stamp(v.At),
	}
	if f.To != 0 {
		out["in_reply_to_id"] = f.To
	}
	return out
}

// findingObj is a finding for GraphQL; one on a line that the diff no longer
// shows has lost its line.
func (s *Server) findingObj(r *Repo, p *Pull, v *Review, at int) obj {
	f := &v.Findings[at]
	m := map[string]any{
		"path": f.Path, "originalLine": f.Line, "body": f.Body, "replyTo": nil, "fullDatabaseId": strconv.FormatInt(v.findingID(at), 10),
		"line": func() any {
			if !s.inDiff(r, p, r.head(p), f) {
				return nil
			}
			return f.Line
		},
	}
	if w, n := p.finding(f.To); w != nil {
		m["replyTo"] = s.findingObj(r, p, w, n)
	}
	return fields("PullRequestReviewComment", m)
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, g grant, repo *Repo, p *Pull) {
	var o struct{ Body string }
	if !decode(w, r, &o) {
		return
	}
	to, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	of, at := p.finding(to)
	if err != nil || of == nil {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if o.Body == "" {
		invalid(w, "body is required")
		return
	}
	f := of.Findings[at]
	f.Body, f.To = o.Body, to
	repo.nextID++
	v := Review{ID: repo.nextID, Author: g.login(), State: "COMMENTED", Commit: repo.head(p), Findings: []Finding{f}, At: s.now()}
	p.Reviews, p.Updated = append(p.Reviews, v), s.now()
	answer(w, http.StatusCreated, s.findingJSON(&v, 0))
}

// finding is the review that a finding stands in, and where; nil for none.
func (p *Pull) finding(id int64) (*Review, int) {
	for i := range p.Reviews {
		for j := range p.Reviews[i].Findings {
			if p.Reviews[i].findingID(j) == id {
				return &p.Reviews[i], j
			}
		}
	}
	return nil, 0
}

func (s *Server) listComments(w http.ResponseWriter, _ *http.Request, _ grant, _ *Repo, p *Pull) {
	list := []any{}
	for i := range p.Comments {
		c := &p.Comments[i]
		list = append(list, map[string]any{"id": c.ID, "body": c.Body, "user": s.userJSON(c.Author), "created_at": stamp(c.At)})
	}
	answer(w, http.StatusOK, list)
}
