package github

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cgi"
	"os/exec"
	"strconv"
	"strings"
)

func bg() context.Context { return context.Background() }

func (s *Server) commitRoutes() {
	s.mux.HandleFunc("GET /repos/{owner}/{repo}", s.inRepo("", s.getRepo))
	s.mux.HandleFunc("GET /repos/{owner}/{repo}/compare/{range...}", s.inRepo("contents:read", s.compare))
	s.mux.HandleFunc("GET /repos/{owner}/{repo}/commits/{ref}/check-runs", s.inRepo("checks:read", s.checkRuns))
	s.mux.HandleFunc("GET /repos/{owner}/{repo}/commits/{ref}/status", s.inRepo("statuses:read", s.combinedStatus))
	s.mux.HandleFunc("GET /repos/{owner}/{repo}/commits/{ref}", s.inRepo("", s.getCommit))
}

func (*Server) getRepo(w http.ResponseWriter, _ *http.Request, _ grant, repo *Repo) {
	answer(w, http.StatusOK, map[string]any{"full_name": repo.Owner + "/" + repo.Name, "default_branch": repo.Default})
}

// unchanged answers a condition that still holds, which costs nothing.
func (s *Server) unchanged(w http.ResponseWriter, r *http.Request, content string) bool {
	key := r.URL.String()
	if s.etags[key] != content {
		s.etags[key] = content
	}
	tag := fmt.Sprintf("W/%q", content)
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") != tag {
		return false
	}
	if at := callOf(r).at; at >= 0 {
		s.log[at].Status304 = true
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// getCommit answers a commit, or its id alone, which is its tag as well.
func (s *Server) getCommit(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo) {
	id := repo.rev(r.PathValue("ref"))
	if id == "" {
		refuse(w, http.StatusUnprocessableEntity, "No commit found for SHA: "+r.PathValue("ref"))
		return
	}
	if s.unchanged(w, r, id) {
		return
	}
	if strings.Contains(r.Header.Get("Accept"), "sha") {
		_, _ = w.Write([]byte(id)) // a client that left needs no answer
		return
	}
	answer(w, http.StatusOK, map[string]any{"sha": id})
}

// rev is a commit by id or branch; empty where there is none.
func (r *Repo) rev(name string) string {
	if id := r.tip(name); id != "" {
		return id
	}
	if r.git.HasCommit(bg(), r.Dir, name) {
		return name
	}
	return ""
}

func (s *Server) compare(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo) {
	base, head, ok := strings.Cut(r.PathValue("range"), "...")
	base, head = repo.rev(base), repo.rev(head)
	if !ok || base == "" || head == "" {
		refuse(w, http.StatusNotFound, "Not Found")
		return
	}
	if s.unchanged(w, r, base+head) {
		return
	}
	if strings.Contains(r.Header.Get("Accept"), "diff") {
		repo.showDiff(w, r, base, head)
		return
	}
	behind, ahead, err := repo.git.Apart(r.Context(), repo.Dir, base, head)
	if err != nil {
		refuse(w, http.StatusNotFound, "No common ancestor between the two")
		return
	}
	log, err := repo.git.Log(r.Context(), repo.Dir, base, head, 250)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	commits := []any{}
	for i := len(log) - 1; i >= 0; i-- {
		commits = append(commits, s.commitJSON(repo, log[i].ID, log[i].Author.Email, log[i].Author.Name, log[i].Parents))
	}
	answer(w, http.StatusOK, map[string]any{"behind_by": behind, "ahead_by": ahead, "total_commits": ahead, "commits": commits})
}

// commitJSON attributes a commit to an account by its address alone.
func (s *Server) commitJSON(_ *Repo, id, email, name string, parents []string) map[string]any {
	var author any
	for login, uid := range s.users {
		if email == fmt.Sprintf("%d+%s@users.noreply.github.com", uid, login) {
			author = s.userJSON(login)
		}
	}
	over := []any{}
	for _, p := range parents {
		over = append(over, map[string]string{"sha": p})
	}
	return map[string]any{
		"sha": id, "author": author, "parents": over,
		"commit": map[string]any{"author": map[string]string{"name": name, "email": email}},
	}
}

func (s *Server) listCommits(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo, p *Pull) {
	log, err := repo.git.Log(r.Context(), repo.Dir, repo.tip(p.Base), repo.head(p), 250)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	list := []any{}
	for i := len(log) - 1; i >= 0; i-- {
		list = append(list, s.commitJSON(repo, log[i].ID, log[i].Author.Email, log[i].Author.Name, log[i].Parents))
	}
	answer(w, http.StatusOK, paged(w, r, list))
}

// paged is the part of a list that a request asks for, with where the next is.
func paged(w http.ResponseWriter, r *http.Request, list []any) []any {
	q := r.URL.Query()
	size, err := strconv.Atoi(q.Get("per_page"))
	if err != nil || size < 1 {
		size = 30
	}
	size = min(size, 100)
	page, err := strconv.Atoi(q.Get("page"))
	if err != nil || page < 1 {
		page = 1
	}
	from, to := min((page-1)*size, len(list)), min(page*size, len(list))
	if to < len(list) {
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<%s?%s>; rel="next"`, r.URL.Path, q.Encode()))
	}
	return list[from:to]
}

func (s *Server) checkRuns(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo) {
	runs := []any{}
	for _, c := range repo.checks[r.PathValue("ref")] {
		if c.Status != "" {
			continue
		}
		v := map[string]any{"name": c.Name, "status": "in_progress", "conclusion": nil}
		if c.Done {
			v["status"], v["conclusion"] = "completed", c.Conclusion
		}
		runs = append(runs, v)
	}
	if s.unchanged(w, r, strings.ReplaceAll(fmt.Sprint(bearer(r), runs), `"`, "")) { // GitHub's tags are each token's own
		return
	}
	answer(w, http.StatusOK, map[string]any{"total_count": len(runs), "check_runs": paged(w, r, runs)})
}

func (*Server) combinedStatus(w http.ResponseWriter, r *http.Request, _ grant, repo *Repo) {
	list := []any{}
	for _, c := range repo.checks[r.PathValue("ref")] {
		if c.Status != "" {
			list = append(list, map[string]any{"context": c.Name, "state": c.Status})
		}
	}
	answer(w, http.StatusOK, map[string]any{"state": "pending", "total_count": len(list), "statuses": list})
}

// smartHTTP serves git itself below /git/<owner>/<name>.git, for whoever has a
// token that lasts: reads with any, pushes with contents:write.
func (s *Server) smartHTTP(w http.ResponseWriter, r *http.Request) {
	_, token, _ := r.BasicAuth()
	s.mu.Lock()
	g, known := s.tokens[token]
	var repo *Repo
	rest := strings.TrimPrefix(r.URL.Path, "/git/")
	for name, x := range s.repos {
		if strings.HasPrefix(rest, name+".git/") {
			repo = x
			rest = strings.TrimPrefix(rest, name+".git")
		}
	}
	s.mu.Unlock()
	push := strings.Contains(r.URL.RawQuery, "git-receive-pack") || strings.HasSuffix(rest, "git-receive-pack")
	switch {
	case (!known || g.user == "" && !g.expires.After(s.now())) && !(repo != nil && repo.Public && !push && token == ""):
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Invalid username or token.", http.StatusUnauthorized)
		return
	case repo == nil:
		http.Error(w, "Repository not found.", http.StatusNotFound)
		return
	case push && g.app != nil && g.app.Permissions["contents"] != "write":
		http.Error(w, "Permission to "+repo.Owner+"/"+repo.Name+".git denied to "+g.login()+".", http.StatusForbidden)
		return
	}
	path, err := exec.LookPath("git")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	h := &cgi.Handler{
		Path: path, Args: []string{"http-backend"}, Root: "/git/" + repo.Owner + "/" + repo.Name + ".git",
		Env: []string{
			"GIT_PROJECT_ROOT=" + repo.Dir, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=" + g.login(), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true",
		},
	}
	h.ServeHTTP(w, r)
}
