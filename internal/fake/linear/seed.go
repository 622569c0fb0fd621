package linear

import (
	"fmt"
	"slices"
	"strings"
)

// Setup is a workspace as its owner would set it up by hand.
type Setup struct {
	Key    string   // API key of the acting account
	Team   string   // its key, as in ACM-12
	States []State  // name, type and position; nil is the seven of the specification
	Labels []string // `Group/Label` puts a label into a group
	Merge  string   // state that a merge moves to; empty is Done, - is no automation
}

// Made are the ids of a set-up, as a configuration names them.
type Made struct {
	Workspace, Team, TeamKey, Project, ProjectURL string
	Owner, Developer, Reviewer                    string
}

// DefaultStates are the states that the specification asks for.
func DefaultStates() []State {
	return []State{
		{Name: "Backlog", Type: TypeBacklog},
		{Name: "Ready", Type: TypeUnstarted},
		{Name: "Changes Requested", Type: TypeStarted, Position: 1},
		{Name: "In Progress", Type: TypeStarted, Position: 2},
		{Name: "Question", Type: TypeStarted, Position: 3},
		{Name: "Human Review", Type: TypeStarted, Position: 4},
		{Name: "Done", Type: TypeCompleted},
		{Name: "Canceled", Type: TypeCanceled},
		{Name: "Duplicate", Type: TypeDuplicate},
	}
}

// Set makes a workspace: an owner with a key, two agents, a team with its
// states, a project and labels.
func (w *World) Set(s Setup) Made {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.d
	owner := &User{ID: d.newID(), Name: "Olive Owner", DisplayName: "olive", Email: "olive@acme.example"}
	dev := &User{ID: d.newID(), Name: "Developer Agent", DisplayName: "developer-agent", App: true}
	rev := &User{ID: d.newID(), Name: "Reviewer Agent", DisplayName: "reviewer-agent", App: true}
	d.Users = append(d.Users, owner, dev, rev)
	d.Keys[s.Key] = owner.ID
	team := &Team{ID: d.newID(), Key: s.Team, Name: "Team " + s.Team}
	d.Teams = append(d.Teams, team)
	if s.States == nil {
		s.States = DefaultStates()
	}
	for _, st := range s.States {
		st.ID, st.Team = d.newID(), team.ID
		d.States = append(d.States, &st)
		if st.Name == s.Merge || s.Merge == "" && st.Name == "Done" {
			team.MergeState = st.ID
		}
	}
	p := &Project{ID: d.newID(), Name: "Widgets", Slug: "0a1b2c3d4e5f", Teams: []string{team.ID}}
	p.URL = "https://linear.app/" + d.Org + "/project/widgets-" + p.Slug
	d.Projects = append(d.Projects, p)
	for _, name := range s.Labels {
		w.addLabel(team, name)
	}
	return Made{
		Workspace: d.Org, Team: team.ID, TeamKey: team.Key, Project: p.ID, ProjectURL: p.URL,
		Owner: owner.ID, Developer: dev.ID, Reviewer: rev.ID,
	}
}

func (w *World) addLabel(team *Team, name string) {
	d := w.d
	group, leaf, grouped := strings.Cut(name, "/")
	parent := ""
	if grouped {
		n := slices.IndexFunc(d.Labels, func(l *Label) bool { return l.Group && l.Name == group })
		if n < 0 {
			n = len(d.Labels)
			d.Labels = append(d.Labels, &Label{ID: d.newID(), Name: group, Group: true, Team: team.ID})
		}
		name, parent = leaf, d.Labels[n].ID
	}
	d.Labels = append(d.Labels, &Label{ID: d.newID(), Name: name, Parent: parent, Team: team.ID})
}

// AddUser adds a person or an app and answers its id.
func (w *World) AddUser(u User) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	u.ID = w.d.newID()
	w.d.Users = append(w.d.Users, &u)
	return u.ID
}

// AddKey gives a user an API key.
func (w *World) AddKey(key, user string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.d.Keys[key] = user
}

// Draft is an issue as its owner writes it, with names in place of ids.
type Draft struct {
	Team, Project string // ids; empty is the first
	Title, Body   string
	State         string // name; empty is the first
	Milestone     string // name; comes into being here
	Labels        []string
	Parent        string   // identifier
	Blockers      []string // identifiers
	Assignee      string   // user id
	Order         float64  // 0 goes to the end
	NoProject     bool
	Creator       string
	Comments      []Comment // body and user
	PullRequests  []string  // URLs
}

// AddIssue makes an issue and answers its identifier. A name that the
// workspace does not know is an error.
func (w *World) AddIssue(n Draft) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.d
	team := d.Teams[0]
	if n.Team != "" {
		if team = d.team(n.Team); team == nil {
			return "", fmt.Errorf("no team %s", n.Team)
		}
	}
	team.Issues++
	i := &Issue{
		ID: d.newID(), Team: team.ID, Number: team.Issues, Title: n.Title, Description: n.Body,
		Assignee: n.Assignee, Creator: n.Creator, Order: n.Order, Created: w.now(),
	}
	if i.Creator == "" {
		i.Creator = d.Users[0].ID
	}
	if i.Order == 0 {
		i.Order = float64(len(d.Issues) + 1)
	}
	i.Updated = i.Created
	for _, s := range d.States {
		if s.Team == team.ID && (i.State == "" && n.State == "" || s.Name == n.State) {
			i.State = s.ID
		}
	}
	if i.State == "" {
		return "", fmt.Errorf("no state %q", n.State)
	}
	if err := w.place(i, n); err != nil {
		return "", err
	}
	d.Issues = append(d.Issues, i)
	for _, c := range n.Comments {
		c.ID, c.Issue, c.Created = d.newID(), i.ID, w.now()
		c.Updated = c.Created
		d.Comments = append(d.Comments, &c)
	}
	for _, url := range n.PullRequests {
		d.Attachments = append(d.Attachments, &Attachment{ID: d.newID(), Issue: i.ID, URL: url, Title: url, Source: "github", Created: w.now()})
	}
	return d.identifier(i), w.save()
}

// place gives a new issue its project, milestone, labels and relations.
func (w *World) place(i *Issue, n Draft) error {
	d := w.d
	if !n.NoProject && len(d.Projects) > 0 {
		i.Project = n.Project
		if i.Project == "" {
			i.Project = d.Projects[0].ID
		}
	}
	if n.Milestone != "" {
		at := slices.IndexFunc(d.Milestones, func(m *Milestone) bool { return m.Name == n.Milestone && m.Project == i.Project })
		if at < 0 {
			at = len(d.Milestones)
			d.Milestones = append(d.Milestones, &Milestone{ID: d.newID(), Project: i.Project, Name: n.Milestone, Order: float64(at)})
		}
		i.Milestone = d.Milestones[at].ID
	}
	for _, name := range n.Labels {
		at := slices.IndexFunc(d.Labels, func(l *Label) bool { return l.Name == name && !l.Group })
		if at < 0 {
			return fmt.Errorf("no label %q", name)
		}
		i.Labels = append(i.Labels, d.Labels[at].ID)
	}
	if n.Parent != "" {
		parent := d.issue(n.Parent)
		if parent == nil {
			return fmt.Errorf("no issue %s", n.Parent)
		}
		i.Parent = parent.ID
	}
	for _, ref := range n.Blockers {
		blocker := d.issue(ref)
		if blocker == nil {
			return fmt.Errorf("no issue %s", ref)
		}
		d.Relations = append(d.Relations, &Relation{ID: d.newID(), Type: "blocks", From: blocker.ID, To: i.ID})
	}
	return nil
}
