package linear

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// The state types of Linear, in the order in which it shows them.
const (
	TypeTriage    = "triage"
	TypeBacklog   = "backlog"
	TypeUnstarted = "unstarted"
	TypeStarted   = "started"
	TypeCompleted = "completed"
	TypeCanceled  = "canceled"
	TypeDuplicate = "duplicate"
)

// User is a person, or an app that issues can be delegated to.
type User struct {
	ID, Name, DisplayName, Email string
	App, Inactive, Guest         bool
	// Teams are the ids of the teams that the user sees; nil is all of them.
	Teams []string `json:",omitempty"`
}

// Team owns issues and workflow states.
type Team struct {
	ID, Key, Name string
	Issues        int // number of the last issue
	// MergeState is the state that a merged pull request moves its issues to;
	// empty where the team has no such automation.
	MergeState string
}

// State is one workflow state.
type State struct {
	ID, Team, Name, Type string
	Position             float64
	Archived             time.Time
}

// Project groups issues of one or more teams.
type Project struct {
	ID, Name, Slug, URL string
	Teams               []string
}

// Milestone belongs to one project.
type Milestone struct {
	ID, Project, Name string
	Order             float64
}

// Label is a label, or a group of them. An empty team is the workspace's.
type Label struct {
	ID, Name, Parent, Team string
	Group                  bool
}

// Issue is one issue.
type Issue struct {
	ID, Team, Title, Description      string
	Number                            int
	Previous                          []string `json:",omitempty"`
	Project, Milestone, State, Parent string
	Assignee, Delegate, Creator       string
	Labels                            []string
	Priority                          int
	Order                             float64
	Created, Updated, Archived        time.Time
	Trashed                           bool
}

// Comment is a comment on an issue. Without a user an integration or somebody
// outside wrote it.
type Comment struct {
	ID, Issue, Body, User, Bot, External, Parent string
	Created, Updated                             time.Time
}

// Attachment is a link on an issue, one for each URL.
type Attachment struct {
	ID, Issue, URL, Title, Subtitle, Source string
	Created, Updated                        time.Time
}

// Relation says how two issues are related: Type blocks reads "From blocks To".
type Relation struct{ ID, Type, From, To string }

// History is one change of an issue.
type History struct {
	ID, Issue, Actor, Bot string
	FromState, ToState    string
	Created               time.Time
}

// data is everything that lasts.
type data struct {
	Made        int // ids given
	Sync        int // writes made
	Last        time.Time
	Org         string
	Keys        map[string]string // API key to user
	Expired     []string          // keys that were withdrawn
	Users       []*User
	Teams       []*Team
	States      []*State
	Projects    []*Project
	Milestones  []*Milestone
	Labels      []*Label
	Issues      []*Issue
	Comments    []*Comment
	Attachments []*Attachment
	Relations   []*Relation
	History     []*History
}

// newID is an id in the form of a version 4 UUID.
func (d *data) newID() string {
	d.Made++
	s := strconv.FormatInt(int64(d.Made), 16)
	return "00000000-0000-4000-8000-" + strings.Repeat("0", 12-len(s)) + s
}

func byID[T any](list []*T, id func(*T) string, want string) *T {
	if want == "" {
		return nil
	}
	if n := slices.IndexFunc(list, func(v *T) bool { return id(v) == want }); n >= 0 {
		return list[n]
	}
	return nil
}

func (d *data) user(id string) *User {
	return byID(d.Users, func(v *User) string { return v.ID }, id)
}

func (d *data) team(id string) *Team {
	return byID(d.Teams, func(v *Team) string { return v.ID }, id)
}

func (d *data) state(id string) *State {
	return byID(d.States, func(v *State) string { return v.ID }, id)
}

func (d *data) project(id string) *Project {
	return byID(d.Projects, func(v *Project) string { return v.ID }, id)
}

func (d *data) milestone(id string) *Milestone {
	return byID(d.Milestones, func(v *Milestone) string { return v.ID }, id)
}

func (d *data) label(id string) *Label {
	return byID(d.Labels, func(v *Label) string { return v.ID }, id)
}

func (d *data) comment(id string) *Comment {
	return byID(d.Comments, func(v *Comment) string { return v.ID }, id)
}

func (d *data) attachment(id string) *Attachment {
	return byID(d.Attachments, func(v *Attachment) string { return v.ID }, id)
}

// identifier is what an issue is called: ACM-12.
func (d *data) identifier(i *Issue) string {
	return d.team(i.Team).Key + "-" + strconv.Itoa(i.Number)
}

// issue finds an issue by id, or by an identifier in any case, old ones
// included.
func (d *data) issue(id string) *Issue {
	if i := byID(d.Issues, func(v *Issue) string { return v.ID }, id); i != nil {
		return i
	}
	for _, i := range d.Issues {
		if strings.EqualFold(d.identifier(i), id) ||
			slices.ContainsFunc(i.Previous, func(p string) bool { return strings.EqualFold(p, id) }) {
			return i
		}
	}
	return nil
}

func closed(s *State) bool {
	return s.Type == TypeCompleted || s.Type == TypeCanceled || s.Type == TypeDuplicate
}
