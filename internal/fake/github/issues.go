package github

import (
	"slices"
	"time"
)

// Issue is an issue of a repository. Issues and pull requests count together.
type Issue struct {
	Number     int
	Title      string
	Body       string
	Closed     bool
	Author     string
	Assignees  []string
	Labels     []string
	Milestone  string
	Comments   []Comment
	BlockedBy  []int
	Parent     int
	Created    time.Time
	Updated    time.Time
	StateSince time.Time
}

// Project is a project of the owner, with its two fields that matter here and
// the items in board order.
type Project struct {
	ID, Owner    string
	Number       int
	Title        string
	Status       Field
	ClaimedBy    Field
	Items        []*Item
	Forbidden    bool // nobody's token reaches it
	OtherFields  []Field
	nextItem     int
	nextOptionID int
}

// Field is a field of a project; Options are of a single select one.
type Field struct {
	ID, Name, Type string // TEXT, SINGLE_SELECT, NUMBER, …
	Options        []Option
}

// Option is one choice of a single select field.
type Option struct{ ID, Name string }

// Item is an issue in a project, or what a token cannot see.
type Item struct {
	ID       string
	Repo     string // owner/name
	Issue    int
	Archived bool
	Redacted bool
	Draft    string // title of a draft that is no issue yet
	Status   string // option id; empty for none
	Claimed  *string
	Updated  time.Time
	StatusAt time.Time // when Status was last set; Updated where it is zero
	Moves    []Move    // oldest first
}

// Move is one move of an item to a column.
type Move struct {
	To string // name of the option
	At time.Time
}

// Move moves an item to the column of a name, as a person does on the page.
func (p *Project) Move(i *Item, column string, at time.Time) {
	p.move(i, p.option(column), at)
}

func (p *Project) move(i *Item, option string, at time.Time) {
	i.Status, i.StatusAt, i.Updated = option, at, at
	i.Moves = append(i.Moves, Move{p.optionName(option), at})
}

// Column is the name of the column that an item stands in.
func (p *Project) Column(i *Item) string { return p.optionName(i.Status) }

// Say adds a comment to an issue, as a person does on its page.
func (r *Repo) Say(i *Issue, by, text string, at time.Time) {
	r.nextID++
	i.Comments, i.Updated = append(i.Comments, Comment{ID: r.nextID, Author: by, Body: text, At: at}), at
}

// AddProject makes a project with a Status field of the given options and a
// Claimed By field.
func (s *Server) AddProject(owner string, number int, options ...string) *Project {
	p := &Project{
		ID: "PVT_" + itoa(number), Owner: owner, Number: number, Title: "Board",
		Status:    Field{ID: "PVTSSF_" + itoa(number), Name: "Status", Type: "SINGLE_SELECT"},
		ClaimedBy: Field{ID: "PVTF_" + itoa(number), Name: "Claimed By", Type: "TEXT"},
	}
	for _, name := range options {
		p.addOption(name)
	}
	_ = s.change(func() error { // not kept now, it is with the next write
		s.projects = append(s.projects, p)
		return nil
	})
	return p
}

func (p *Project) addOption(name string) Option {
	p.nextOptionID++
	o := Option{ID: "opt" + itoa(p.Number) + itoa(p.nextOptionID), Name: name}
	p.Status.Options = append(p.Status.Options, o)
	return o
}

// Renumber gives every option a new id, as an edit of the field through the
// API does; items lose their value.
func (p *Project) Renumber() {
	old := p.Status.Options
	p.Status.Options = nil
	for _, o := range old {
		p.addOption(o.Name)
	}
	for _, i := range p.Items {
		i.Status = ""
	}
}

func (p *Project) option(name string) string {
	for _, o := range p.Status.Options {
		if o.Name == name {
			return o.ID
		}
	}
	return ""
}

func (p *Project) optionName(id string) string {
	for _, o := range p.Status.Options {
		if o.ID == id {
			return o.Name
		}
	}
	return ""
}

// Item is the project's item of an issue; nil where there is none.
func (p *Project) Item(repo string, number int) *Item {
	for _, i := range p.Items {
		if i.Repo == repo && i.Issue == number {
			return i
		}
	}
	return nil
}

// NewIssue makes an issue of the repository and puts it into the projects, in
// the column of that name.
func (s *Server) NewIssue(repo string, i Issue, column string, projects ...*Project) int {
	_ = s.change(func() error { // not kept now, it is with the next write
		s.newIssue(repo, &i, column, projects)
		return nil
	})
	return i.Number
}

func (s *Server) newIssue(repo string, i *Issue, column string, projects []*Project) {
	r, now := s.repos[repo], s.now()
	r.numbers++
	i.Number, i.Created, i.Updated, i.StateSince = r.numbers, now, now, now
	r.issues = append(r.issues, i)
	if i.Milestone != "" && !slices.Contains(r.milestones, i.Milestone) {
		r.milestones = append(r.milestones, i.Milestone)
	}
	for _, l := range i.Labels {
		r.addLabel(l)
	}
	for _, p := range projects {
		p.nextItem++
		p.Items = append(p.Items, &Item{
			ID: "PVTI_" + itoa(p.Number) + "_" + itoa(p.nextItem), Repo: repo, Issue: i.Number, Status: p.option(column), Updated: now, StatusAt: now,
		})
	}
	s.emitIssue(r, i, "opened", i.Author, nil)
}

// AddLabel makes a label known.
func (r *Repo) AddLabel(name string) { r.addLabel(name) }

func (r *Repo) addLabel(name string) {
	if !slices.Contains(r.labels, name) {
		r.labels = append(r.labels, name)
	}
}

// Issue is an issue of the repository; nil where there is none.
func (r *Repo) Issue(number int) *Issue {
	for _, i := range r.issues {
		if i.Number == number {
			return i
		}
	}
	return nil
}

// ProjectOf is the owner's project of that number; nil where there is none.
func (s *Server) ProjectOf(owner string, number int) *Project {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.projects {
		if p.Owner == owner && p.Number == number {
			return p
		}
	}
	return nil
}

// Project changes a project while the fake serves.
func (s *Server) Project(p *Project, change func(*Project)) {
	_ = s.change(func() error { // not kept now, it is with the next write
		change(p)
		return nil
	})
}
