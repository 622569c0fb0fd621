package github

import (
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// pagePath is a pull request's page, and the button on it.
var pagePath = regexp.MustCompile(`^/([\w.-]+/[\w.-]+)/pull/([1-9][0-9]{0,8})(/merge)?$`)

// page shows a pull request to the person of the options, who may merge it
// there. It answers false for what is no page.
func (s *Server) page(w http.ResponseWriter, r *http.Request) bool {
	m := pagePath.FindStringSubmatch(r.URL.Path)
	if m == nil || s.o.Person == "" {
		return false
	}
	n, err := strconv.Atoi(m[2])
	if err != nil {
		return false
	}
	switch {
	case m[3] == "" && r.Method == http.MethodGet:
		s.showPull(w, m[1], n)
	case m[3] != "" && r.Method == http.MethodPost:
		// A button of another site's page must not merge here.
		if err := http.NewCrossOriginProtection().Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return true
		}
		if err := s.MergePull(m[1], n, s.o.Person); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
			return true
		}
		http.Redirect(w, r, fmt.Sprintf("/%s/pull/%d", m[1], n), http.StatusSeeOther)
	default:
		http.Error(w, "it is looked at with GET and merged with POST", http.StatusMethodNotAllowed)
	}
	return true
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
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'")
	_ = pullPage.Execute(w, v) // a browser that left needs no page
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

var pullPage = template.Must(template.New("pull").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}} · #{{.Number}}</title><style>
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1f2328}
pre{background:#f6f8fa;padding:.8rem;overflow:auto;white-space:pre-wrap}.added{color:#116329}.removed{color:#a40e26}.file{font-weight:bold}
.state{padding:.1rem .6rem;border-radius:1rem;background:#dff0d8}button{font:inherit;padding:.5rem 1.2rem;background:#1f883d;color:#fff;border:0;border-radius:.4rem}
</style></head><body>
<p>{{.Repo}}, a GitHub of this machine's own</p>
<h1>{{.Title}} <small>#{{.Number}}</small></h1>
<p><span class="state">{{.State}}</span> {{.Author}} wants to merge {{.Head}} into {{.Base}}{{range .Issues}} · closes #{{.}}{{end}}</p>
<pre>{{.Body}}</pre>
<h2>Checks</h2><ul>{{range .Checks}}<li>{{.Name}}: {{if .Done}}{{.Conclusion}}{{else}}in progress{{end}}</li>{{else}}<li>none yet</li>{{end}}</ul>
<h2>Reviews</h2>{{range .Reviews}}<p><b>{{.Author}}</b> {{.State}}</p><pre>{{.Body}}{{range .Findings}}
{{.Path}}:{{.Line}} {{.Body}}{{end}}</pre>{{else}}<p>none yet</p>{{end}}
{{if .Open}}<form method="post" action="/{{.Repo}}/pull/{{.Number}}/merge"><p>{{.Mergeable}} <button>Merge pull request</button></p></form>
<h2>Files</h2><pre>{{range .Diff}}<span class="{{.Kind}}">{{.Text}}</span>
{{end}}</pre>{{end}}
</body></html>
`))
