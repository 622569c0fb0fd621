package github

import (
	"hash/fnv"
	"net/http"
	"strconv"
	"strings"
)

// Rename gives a repository another name of the same owner. Its old one leads
// to it: REST and git are redirected, GraphQL answers at once under the new
// name. Installations that reach it go on to.
func (s *Server) Rename(old, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember()
	r := s.repos[old]
	was := r.Name
	delete(s.repos, old)
	r.Name = name
	next := r.Owner + "/" + name
	s.repos[next] = r
	s.renamed[old] = next
	for _, a := range s.apps {
		for i, n := range a.Repositories {
			if a.Account == r.Owner && n == was {
				a.Repositories[i] = name
			}
		}
	}
	for text, g := range s.tokens {
		for i, n := range g.repos {
			if n == was {
				g.repos[i] = name
			}
		}
		s.tokens[text] = g
	}
	for _, p := range s.projects {
		for _, i := range p.Items {
			if i.Repo == old {
				i.Repo = next
			}
		}
	}
}

// repo is a repository by its name, or by one that it had.
func (s *Server) repo(name string) *Repo {
	if next, ok := s.renamed[name]; ok && s.repos[name] == nil {
		name = next
	}
	return s.repos[name]
}

// moved redirects a request for a repository that has another name now, and
// understands the address that it is sent to, which names it by its id.
func (s *Server) moved(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for old, next := range s.renamed {
		if rest, ok := under(r.URL.Path, "/repos/"+old); ok && s.repos[old] == nil {
			code := http.StatusMovedPermanently
			if r.Method != http.MethodGet {
				code = http.StatusTemporaryRedirect
			}
			to := "http://" + r.Host + "/repositories/" + repositoryID(next) + rest
			if r.URL.RawQuery != "" {
				to += "?" + r.URL.RawQuery
			}
			w.Header().Set("Location", to)
			answer(w, code, map[string]string{"message": "Moved Permanently", "url": to})
			return true
		}
		if rest, ok := strings.CutPrefix(r.URL.Path, "/git/"+old+".git/"); ok && s.repos[old] == nil {
			to := "/git/" + next + ".git/" + rest
			if r.URL.RawQuery != "" {
				to += "?" + r.URL.RawQuery
			}
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return true
		}
	}
	for name := range s.repos {
		if rest, ok := under(r.URL.Path, "/repositories/"+repositoryID(name)); ok {
			r.URL.Path, r.URL.RawPath = "/repos/"+name+rest, ""
		}
	}
	return false
}

func under(path, base string) (string, bool) {
	rest, ok := strings.CutPrefix(path, base)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// repositoryID is a number that stays the name's own.
func repositoryID(name string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // it cannot fail
	return strconv.FormatUint(uint64(h.Sum32()), 10)
}
