package github

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// github.com's pages.
const publicWeb = "https://github.com"

// web is where the pages are.
func (s *Server) web() string {
	if s.o.URL != "" {
		return s.o.URL
	}
	return publicWeb
}

// repoPath is a repository's address for git on an own server.
var repoPath = regexp.MustCompile(`^/[\w.-]+/[\w.-]+\.git/`)

// placed turns an address of an own server, which has its API below /api and git
// beside its pages, into the one that this fake knows it by.
func placed(r *http.Request) *http.Request {
	path := r.URL.Path
	switch {
	case path == "/api/graphql":
		path = "/graphql"
	case strings.HasPrefix(path, "/api/v3/"):
		path = strings.TrimPrefix(path, "/api/v3")
	case repoPath.MatchString(path) && !strings.HasPrefix(path, "/git/"):
		path = "/git" + path
	default:
		return r
	}
	out := r.Clone(r.Context())
	u := url.URL{Path: path, RawQuery: r.URL.RawQuery}
	if raw, below := strings.CutPrefix(r.URL.RawPath, "/api/v3"); below {
		u.RawPath = raw
	}
	out.URL = &u
	return out
}
