package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// inRepo finds the repository of a request, and refuses a token that does not
// reach it or lacks the permission; need is name:level, or empty for reads.
func (s *Server) inRepo(need string, next func(http.ResponseWriter, *http.Request, grant, *Repo)) http.HandlerFunc {
	return s.asInstallation(func(w http.ResponseWriter, r *http.Request, g grant) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if r.Method != http.MethodGet {
			s.remember()
		}
		s.changed = s.changed || r.Method != http.MethodGet
		s.then(callOf(r), func() { s.inRepoNow(w, r, g, need, next) })
	})
}

// inRepoNow is inRepo on the model as the request sees it. The lock is held.
func (s *Server) inRepoNow(w http.ResponseWriter, r *http.Request, g grant, need string, next func(http.ResponseWriter, *http.Request, grant, *Repo)) {
	repo := s.repos[r.PathValue("owner")+"/"+r.PathValue("repo")]
	if repo == nil || g.app != nil && g.repos != nil && !slices.Contains(g.repos, repo.Name) {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if name, level, asked := strings.Cut(need, ":"); asked && g.app != nil && !slices.Contains([]string{level, "write"}, g.app.Permissions[name]) {
		w.Header().Set("X-Accepted-Github-Permissions", name+"="+level)
		refuse(w, http.StatusForbidden, "Resource not accessible by integration")
		return
	}
	next(w, r, g, repo)
}

const pullsWrite = "pull_requests:write"

func (s *Server) pullRoutes() {
	const base = "/repos/{owner}/{repo}/pulls"
	s.mux.HandleFunc("GET "+base, s.inRepo("", s.listPulls))
	s.mux.HandleFunc("POST "+base, s.inRepo(pullsWrite, s.createPull))
	one := func(next func(http.ResponseWriter, *http.Request, grant, *Repo, *Pull)) func(http.ResponseWriter, *http.Request, grant, *Repo) {
		return func(w http.ResponseWriter, r *http.Request, g grant, repo *Repo) {
			n, err := strconv.Atoi(r.PathValue("n"))
			p := repo.Pull(n)
			if err != nil || p == nil {
				refuse(w, http.StatusNotFound, "Not Found")
				return
			}
			next(w, r, g, repo, p)
		}
	}
	s.mux.HandleFunc("GET "+base+"/{n}", s.inRepo("", one(s.getPull)))
	s.mux.HandleFunc("PATCH "+base+"/{n}", s.inRepo(pullsWrite, one(s.editPull)))
	s.mux.HandleFunc("GET "+base+"/{n}/reviews", s.inRepo("", one(s.listReviews)))
	s.mux.HandleFunc("POST "+base+"/{n}/reviews", s.inRepo(pullsWrite, one(s.createReview)))
	s.mux.HandleFunc("GET "+base+"/{n}/commits", s.inRepo("", one(s.listCommits)))
	s.mux.HandleFunc("PUT "+base+"/{n}/update-branch", s.inRepo("contents:write", one(s.updateBranch)))
	s.mux.HandleFunc("POST /repos/{owner}/{repo}/issues/{n}/comments", s.inRepo(pullsWrite, one(s.createComment)))
	s.threadRoutes(one)
}

func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	if json.NewDecoder(r.Body).Decode(v) != nil {
		refuse(w, http.StatusBadRequest, "Problems parsing JSON")
		return false
	}
	return true
}

// invalid answers 422 with its reason, as validations do.
func invalid(w http.ResponseWriter, message string) {
	answer(w, http.StatusUnprocessableEntity, map[string]any{
		"message": "Validation Failed", "errors": []any{map[string]string{"resource": "PullRequest", "code": "custom", "message": message}},
	})
}

func (s *Server) createPull(w http.ResponseWriter, r *http.Request, g grant, repo *Repo) {
	var o struct {
		Title, Body, Head, Base string
		Draft                   bool
	}
	if !decode(w, r, &o) {
		return
	}
	_, o.Head = owned(o.Head)
	switch {
	case repo.tip(o.Head) == "":
		answer(w, http.StatusUnprocessableEntity, map[string]any{
			"message": "Validation Failed", "errors": []any{map[string]string{"resource": "PullRequest", "field": "head", "code": "invalid"}},
		})
		return
	case repo.tip(o.Base) == "":
		answer(w, http.StatusUnprocessableEntity, map[string]any{
			"message": "Validation Failed", "errors": []any{map[string]string{"resource": "PullRequest", "field": "base", "code": "invalid"}},
		})
		return
	case repo.tip(o.Head) == repo.tip(o.Base):
		invalid(w, fmt.Sprintf("No commits between %s and %s", o.Base, o.Head))
		return
	}
	for _, p := range repo.pulls {
		if p.State == "open" && p.Head == o.Head && p.Base == o.Base {
			invalid(w, fmt.Sprintf("A pull request already exists for %s:%s.", repo.Owner, o.Head))
			return
		}
	}
	p := &Pull{Title: o.Title, Body: o.Body, Base: o.Base, Head: o.Head, Draft: o.Draft, Author: g.login(), Created: s.now()}
	repo.Open(p)
	s.emitPull(repo, p, "opened", p.Author, nil)
	answer(w, http.StatusCreated, s.pullJSON(repo, p))
}

// owned splits owner:branch.
func owned(head string) (owner, branch string) {
	if o, b, ok := strings.Cut(head, ":"); ok {
		return o, b
	}
	return "", head
}

func (s *Server) listPulls(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo) {
	q := r.URL.Query()
	state := q.Get("state")
	if state == "" {
		state = "open"
	}
	_, head := owned(q.Get("head"))
	list := []any{}
	for _, p := range repo.pulls {
		if (state == "all" || p.State == state) && (head == "" || p.Head == head) {
			list = append(list, s.pullJSON(repo, p))
		}
	}
	answer(w, http.StatusOK, list)
}

func (s *Server) getPull(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo, p *Pull) {
	if strings.Contains(r.Header.Get("Accept"), "diff") {
		if p.Large {
			refuse(w, http.StatusNotAcceptable, "Sorry, the diff exceeded the maximum number of lines (20000)")
			return
		}
		repo.showDiff(w, r, repo.tip(p.Base), repo.head(p))
		return
	}
	v := s.pullJSON(repo, p)
	v["mergeable"] = map[string]any{"MERGEABLE": true, "CONFLICTING": false}[s.mergeable(repo, p)]
	answer(w, http.StatusOK, v)
}

// showDiff answers a diff as text.
func (r *Repo) showDiff(w http.ResponseWriter, req *http.Request, base, head string) {
	text, err := r.git.Diff(req.Context(), r.Dir, base, head)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	_, _ = w.Write([]byte(text)) // a client that left needs no answer
}

func (s *Server) editPull(w http.ResponseWriter, r *http.Request, g grant, repo *Repo, p *Pull) {
	var o struct{ Title, Body, State *string }
	if !decode(w, r, &o) {
		return
	}
	if o.Title != nil {
		p.Title = *o.Title
	}
	if o.Body != nil {
		p.Body = *o.Body
	}
	action := "edited"
	if o.State != nil && *o.State == "closed" && p.State == "open" {
		p.HeadSHA, p.State, action = repo.head(p), "closed", "closed"
	}
	p.Updated = s.now()
	s.emitPull(repo, p, action, g.login(), nil)
	answer(w, http.StatusOK, s.pullJSON(repo, p))
}

func (s *Server) pullJSON(repo *Repo, p *Pull) map[string]any {
	v := map[string]any{
		"number": p.Number, "node_id": nodeID(p), "title": p.Title, "body": p.Body, "state": p.State, "draft": p.Draft, "merged": !p.Merged.IsZero(),
		"html_url":   fmt.Sprintf("%s/%s/%s/pull/%d", s.web(), repo.Owner, repo.Name, p.Number),
		"user":       s.userJSON(p.Author),
		"created_at": p.Created.UTC().Format(time.RFC3339), "updated_at": p.Updated.UTC().Format(time.RFC3339),
		"base": map[string]any{"ref": p.Base, "sha": repo.tip(p.Base)},
		"head": map[string]any{"ref": p.Head, "sha": repo.head(p), "label": repo.Owner + ":" + p.Head},
	}
	if !p.Merged.IsZero() {
		v["merged_at"], v["merge_commit_sha"] = p.Merged.UTC().Format(time.RFC3339), p.MergeSHA
	}
	return v
}

func (s *Server) userJSON(login string) map[string]any {
	kind := "User"
	if strings.HasSuffix(login, "[bot]") {
		kind = "Bot"
	}
	return map[string]any{"login": login, "id": s.users[login], "type": kind}
}

func nodeID(p *Pull) string { return "PR_" + strconv.Itoa(p.Number) }

func (s *Server) listReviews(w http.ResponseWriter, _ *http.Request, _ grant, _ *Repo, p *Pull) {
	list := []any{}
	for _, v := range p.Reviews {
		list = append(list, s.reviewJSON(&v))
	}
	answer(w, http.StatusOK, list)
}

func (s *Server) reviewJSON(v *Review) map[string]any {
	return map[string]any{
		"id": v.ID, "user": s.userJSON(v.Author), "state": v.State, "body": v.Body, "commit_id": v.Commit,
		"submitted_at": v.At.UTC().Format(time.RFC3339),
		"html_url":     fmt.Sprintf("https://github.com/review/%d", v.ID),
	}
}

func (s *Server) createReview(w http.ResponseWriter, r *http.Request, g grant, repo *Repo, p *Pull) {
	var o struct {
		Body     string
		CommitID string `json:"commit_id"`
		Event    string
		Comments []Finding
	}
	if !decode(w, r, &o) {
		return
	}
	state := map[string]string{"COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}[o.Event]
	switch {
	case state == "":
		state = "PENDING"
	case g.login() == p.Author && state != "COMMENTED":
		invalid(w, "Can not request changes on your own pull request")
		return
	case o.Body == "" && state != "APPROVED":
		invalid(w, "body is required")
		return
	}
	if o.CommitID == "" {
		o.CommitID = repo.head(p)
	}
	for _, f := range o.Comments {
		if !s.inDiff(repo, p, o.CommitID, &f) {
			refuse(w, http.StatusUnprocessableEntity, "Unprocessable Entity: \"Line could not be resolved\"")
			return
		}
	}
	repo.nextID++
	v := Review{ID: repo.nextID, Author: g.login(), State: state, Body: o.Body, Commit: o.CommitID, Findings: o.Comments, At: s.now()}
	p.Reviews, p.Updated = append(p.Reviews, v), s.now()
	s.emitReview(repo, p, &v)
	answer(w, http.StatusOK, s.reviewJSON(&v))
}

// inDiff says whether a line of the new side is shown by the diff
// of a commit.
func (*Server) inDiff(repo *Repo, p *Pull, head string, f *Finding) bool {
	text, err := repo.git.Diff(bg(), repo.Dir, repo.tip(p.Base), head)
	if err != nil {
		return false
	}
	in, line := false, 0
	for l := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(l, "+++ "):
			in = l == "+++ b/"+f.Path
		case !in:
		case strings.HasPrefix(l, "@@"):
			_, after, _ := strings.Cut(l, "+")
			line, _ = strconv.Atoi(strings.FieldsFunc(after, func(r rune) bool { return r < '0' || r > '9' })[0])
		case strings.HasPrefix(l, "-") || strings.HasPrefix(l, "\\"):
		default:
			if line == f.Line {
				return true
			}
			line++
		}
	}
	return false
}

func (s *Server) createComment(w http.ResponseWriter, r *http.Request, g grant, repo *Repo, p *Pull) {
	var o struct{ Body string }
	if !decode(w, r, &o) {
		return
	}
	if len([]rune(o.Body)) > 65536 {
		invalid(w, "body is too long (maximum is 65536 characters)")
		return
	}
	repo.nextID++
	c := Comment{ID: repo.nextID, Author: g.login(), Body: o.Body, At: s.now()}
	p.Comments = append(p.Comments, c)
	s.emit(repo, "issue_comment", "created", c.Author, map[string]any{
		"comment": s.commentJSON(&c), "issue": map[string]any{"number": p.Number, "title": p.Title, "state": p.State, "pull_request": map[string]any{}},
	})
	answer(w, http.StatusCreated, map[string]any{"id": repo.nextID, "body": o.Body})
}

func (s *Server) updateBranch(w http.ResponseWriter, r *http.Request, g grant, repo *Repo, p *Pull) {
	var o struct {
		Expected string `json:"expected_head_sha"`
	}
	if r.ContentLength != 0 && !decode(w, r, &o) {
		return
	}
	if o.Expected != "" && o.Expected != repo.head(p) {
		refuse(w, http.StatusUnprocessableEntity, "expected head sha didn’t match current head ref.")
		return
	}
	if p.State != "open" || p.Fork != "" || repo.tip(p.Head) == "" {
		refuse(w, http.StatusUnprocessableEntity, "Head repository or branch is not accessible")
		return
	}
	err := repo.update(p, bot(g.login(), s.users[g.login()]), s.now())
	if errors.Is(err, errUpToDate) || errors.Is(err, errConflict) {
		refuse(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	s.headsMoved(repo, g.login())
	answer(w, http.StatusAccepted, map[string]string{"message": "Updating pull request branch.", "url": "https://api.github.com"})
}
