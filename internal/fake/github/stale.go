package github

import (
	"maps"
	"slices"
)

// past is the model as it was before the last change: what a read answers that
// a lagging replica serves. Where branches stand is git's to say and is never
// past.
type past struct {
	repos    map[string]*Repo
	projects []*Project
}

// remember keeps the model before it changes, where a read may be answered from
// it. The lock is held.
func (s *Server) remember() {
	if !s.stale {
		return
	}
	p := &past{repos: make(map[string]*Repo, len(s.repos))}
	for name, r := range s.repos {
		p.repos[name] = r.clone()
	}
	for _, o := range s.projects {
		c := *o
		c.Status.Options = slices.Clone(o.Status.Options)
		c.Items = cloned(o.Items, func(i *Item) { i.Claimed, i.Moves = copied(i.Claimed), slices.Clone(i.Moves) })
		p.projects = append(p.projects, &c)
	}
	s.past = p
}

// then answers f from the past, if the request is to be. The lock is held.
func (s *Server) then(c *call, f func()) {
	if c.fault == FaultUnknown {
		s.unknown = true
		defer func() { s.unknown = false }()
	}
	if c.fault != FaultStale || s.past == nil {
		s.held(f)
		return
	}
	repos, projects := s.repos, s.projects
	s.repos, s.projects = s.past.repos, s.past.projects
	defer func() { s.repos, s.projects = repos, projects }()
	s.held(f)
}

// held lets f ask for all branches at the price of one.
func (s *Server) held(f func()) {
	for _, r := range s.repos {
		r.hold()
		defer func() { r.tips = nil }()
	}
	f()
}

func (r *Repo) clone() *Repo {
	c := *r
	c.labels, c.milestones, c.checks = slices.Clone(r.labels), slices.Clone(r.milestones), maps.Clone(r.checks)
	c.pulls = cloned(r.pulls, func(p *Pull) {
		p.Reviews, p.Comments = slices.Clone(p.Reviews), slices.Clone(p.Comments)
	})
	c.issues = cloned(r.issues, func(i *Issue) {
		i.Labels, i.Assignees, i.Comments = slices.Clone(i.Labels), slices.Clone(i.Assignees), slices.Clone(i.Comments)
	})
	return &c
}

// cloned copies what pointers point to, and deep what part says.
func cloned[T any](list []*T, deep func(*T)) []*T {
	out := make([]*T, len(list))
	for i, p := range list {
		out[i] = copied(p)
		deep(out[i])
	}
	return out
}

func copied[T any](p *T) *T {
	if p == nil {
		return nil
	}
	c := *p
	return &c
}
