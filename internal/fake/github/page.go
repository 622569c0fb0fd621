package github

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// pagePath is the page of a pull request or an issue, and the buttons on it.
var pagePath = regexp.MustCompile(`^/([\w.-]+/[\w.-]+)/(pull|issues)/([1-9][0-9]{0,8})(/merge|/request-changes)?$`)

// maxForm bounds what a button sends, in bytes.
const maxForm = 64 << 10

// page shows a pull request or an issue to the person of the options, who may
// merge a pull request there or ask for changes. It answers false for what is no
// page.
func (s *Server) page(w http.ResponseWriter, r *http.Request) bool {
	m := pagePath.FindStringSubmatch(r.URL.Path)
	if m == nil || s.o.Person == "" {
		return false
	}
	n, err := strconv.Atoi(m[3])
	if err != nil {
		return false
	}
	repo, button := m[1], m[4]
	switch {
	case button == "" && r.Method == http.MethodGet && m[2] == "issues":
		s.showIssue(w, repo, n)
	case button == "" && r.Method == http.MethodGet:
		s.showPull(w, repo, n)
	case button != "" && r.Method == http.MethodPost && m[2] == "pull":
		s.press(w, r, repo, n, button)
	default:
		http.Error(w, "it is looked at with GET, and its buttons send POST", http.StatusMethodNotAllowed)
	}
	return true
}

// press carries a button of a pull request's page out.
func (s *Server) press(w http.ResponseWriter, r *http.Request, repo string, n int, button string) {
	// One on another site's page must not reach it.
	if err := http.NewCrossOriginProtection().Check(r); err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	err := errors.New("say what should change")
	if button == "/merge" {
		err = s.MergePull(repo, n, s.o.Person)
	} else if text := asked(w, r); text != "" {
		err = s.ReviewPull(repo, n, s.o.Person, "CHANGES_REQUESTED", text)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	http.Redirect(w, r, fmt.Sprintf("/%s/pull/%d", repo, n), http.StatusSeeOther)
}

// asked is what the form asks for.
func asked(w http.ResponseWriter, r *http.Request) string {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	return strings.TrimSpace(r.PostFormValue("body"))
}

// shownPull is what a page tells.
type shownPull struct {
	Repo, Title, Author, State, Body, Base, Head, Mergeable string
	Number                                                  int
	Issues                                                  []int
	Checks                                                  []Check
	Reviews                                                 []Review
	Diff                                                    []shownLine
	Open                                                    bool
}

type shownLine struct{ Kind, Text string }

func (s *Server) showPull(w http.ResponseWriter, repo string, n int) {
	s.mu.Lock()
	r := s.repos[repo]
	var p *Pull
	if r != nil {
		p = r.Pull(n)
	}
	if p == nil {
		s.mu.Unlock()
		http.Error(w, fmt.Sprintf("There is no pull request %d in %s.", n, repo), http.StatusNotFound)
		return
	}
	v := shownPull{
		Repo: repo, Number: n, Title: p.Title, Author: p.Author, State: stateOf(p), Body: p.Body, Base: p.Base, Head: p.Head,
		Issues: r.closes(p), Checks: append([]Check(nil), r.checks[r.head(p)]...), Reviews: append([]Review(nil), p.Reviews...),
		Open: p.State == "open", Mergeable: r.mergeable(p),
	}
	if v.Open {
		for _, f := range r.changed(p) {
			v.Diff = append(v.Diff, shownFile(&f)...)
		}
	}
	s.mu.Unlock()
	show(w, "pull", v)
}

// shownIssue is what an issue's page tells.
type shownIssue struct {
	Repo, Column string
	Issue
}

func (s *Server) showIssue(w http.ResponseWriter, repo string, n int) {
	s.mu.Lock()
	r := s.repos[repo]
	var i *Issue
	if r != nil {
		i = r.Issue(n)
	}
	if i == nil {
		s.mu.Unlock()
		http.Error(w, fmt.Sprintf("There is no issue %d in %s.", n, repo), http.StatusNotFound)
		return
	}
	v := shownIssue{Repo: repo, Issue: *i}
	v.Comments, v.Labels = append([]Comment(nil), i.Comments...), append([]string(nil), i.Labels...)
	for _, p := range s.projects {
		if it := p.Item(repo, n); it != nil {
			v.Column = p.optionName(it.Status)
		}
	}
	s.mu.Unlock()
	show(w, "issue", v)
}

func show(w http.ResponseWriter, name string, v any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")
	_ = pages.ExecuteTemplate(w, name, v) // a browser that left needs no page
}

func shownFile(f *changedFile) []shownLine {
	out := []shownLine{{"file", f.path}}
	for l := range strings.SplitSeq(strings.TrimSuffix(f.patch, "\n"), "\n") {
		kind := ""
		switch {
		case l == "":
		case l[0] == '+':
			kind = "added"
		case l[0] == '-':
			kind = "removed"
		}
		out = append(out, shownLine{kind, l})
	}
	return out
}

//go:embed page.html
var pageText string

var pages = template.Must(template.New("pages").Parse(pageText))
