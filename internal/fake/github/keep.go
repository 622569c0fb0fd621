package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/backside4charter/dispatcher/internal/git"
)

// stateFile is the folder's only file.
const stateFile = "github.json"

// kept is what lasts over the end of a process. Tokens of Apps do not: they are
// minted anew.
type kept struct {
	Apps     []*App
	Users    map[string]int64
	People   map[string]string // logins by token
	Repos    []keptRepo
	Projects []keptProject
}

type keptRepo struct {
	*Repo
	Pulls              []*Pull
	Issues             []*Issue
	Numbers            int
	Labels, Milestones []string
	Checks             map[string][]Check
	NextID             int64
	Hooks              []Hook
}

type keptProject struct {
	*Project
	NextItem, NextOption int
}

// Open is the GitHub that the folder of the options holds, or an empty one.
func Open(o Options) (*Server, error) {
	s := New(o)
	text, err := os.ReadFile(filepath.Join(o.Folder, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(text, &k) //nolint:musttag // the names of the fields are the file's
	}
	if err != nil {
		return nil, fmt.Errorf("read the GitHub in %s: %w", o.Folder, err)
	}
	s.restore(&k)
	return s, nil
}

// Empty says that nobody has made anything here yet.
func (s *Server) Empty() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.repos) == 0
}

func (s *Server) restore(k *kept) {
	for _, a := range k.Apps {
		s.apps[a.ID] = a
	}
	maps.Copy(s.users, k.Users)
	for token, login := range k.People {
		s.tokens[token] = grant{user: login}
	}
	for i := range k.Repos {
		at := &k.Repos[i]
		r := at.Repo
		r.git, r.pulls, r.issues, r.numbers = git.New(git.Options{}), at.Pulls, at.Issues, at.Numbers
		r.labels, r.milestones, r.checks, r.nextID, r.hooks = at.Labels, at.Milestones, at.Checks, at.NextID, at.Hooks
		if r.checks == nil {
			r.checks = map[string][]Check{}
		}
		s.repos[r.Owner+"/"+r.Name] = r
	}
	for _, at := range k.Projects {
		at.nextItem, at.nextOptionID = at.NextItem, at.NextOption
		s.projects = append(s.projects, at.Project)
	}
}

// save keeps the state, whole or not at all. The lock is held. What cannot be
// kept now is kept with the next write.
func (s *Server) save() error {
	if s.o.Folder == "" {
		return nil
	}
	k := kept{Users: s.users, People: map[string]string{}}
	for _, a := range s.apps {
		k.Apps = append(k.Apps, a)
	}
	for token, g := range s.tokens {
		if g.app == nil {
			k.People[token] = g.user
		}
	}
	for _, r := range s.repos {
		k.Repos = append(k.Repos, keptRepo{
			Repo: r, Pulls: r.pulls, Issues: r.issues, Numbers: r.numbers, Labels: r.labels, Milestones: r.milestones,
			Checks: r.checks, NextID: r.nextID, Hooks: r.hooks,
		})
	}
	for _, p := range s.projects {
		k.Projects = append(k.Projects, keptProject{Project: p, NextItem: p.nextItem, NextOption: p.nextOptionID})
	}
	text, err := json.MarshalIndent(k, "", " ") //nolint:musttag // the names of the fields are the file's
	if err == nil {
		err = os.MkdirAll(s.o.Folder, 0o755)
	}
	path := filepath.Join(s.o.Folder, stateFile)
	if err == nil {
		err = os.WriteFile(path+".new", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("keep the GitHub of %s: %w", s.o.Folder, err)
	}
	return nil
}

// change carries out a change that comes from outside HTTP, keeps it, and tells
// of it.
func (s *Server) change(f func() error) error {
	defer s.tell()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember()
	if err := f(); err != nil {
		return err
	}
	return s.save()
}

// serve answers a request. The answer to one that changes something goes out
// once that is kept.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	defer s.tell()
	if strings.HasPrefix(r.URL.Path, "/git/") {
		s.mux.ServeHTTP(w, r)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pushed(r)
		return
	}
	if r.Method == http.MethodGet || s.o.Folder == "" {
		s.mux.ServeHTTP(w, r)
		return
	}
	held := &keeper{head: w.Header(), code: http.StatusOK}
	s.mux.ServeHTTP(held, r)
	s.mu.Lock()
	var err error
	if s.changed {
		s.changed, err = false, s.save()
	}
	s.mu.Unlock()
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.WriteHeader(held.code)
	_, _ = w.Write(held.body.Bytes()) // a client that left needs no answer
}
