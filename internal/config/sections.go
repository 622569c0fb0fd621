package config

import (
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

func (d *decoder) checkLinear(c *Config) {
	l := c.Linear
	if l == nil || d.bad["linear"] {
		return
	}
	d.required("linear.workspace", l.Workspace)
	d.required("linear.teamId", l.TeamID)
	d.required("linear.teamKey", l.TeamKey)
	d.required("linear.projectId", l.ProjectID)
	d.required("linear.projectUrl", l.ProjectURL)
	if d.readable("linear.projectUrl") && !strings.HasPrefix(l.ProjectURL, "https://") {
		d.fault("linear.projectUrl", "", "must begin with https://")
	}
	d.checkStates("linear.states", l.States, nil)
	switch {
	case d.bad["linear.agents"]:
	case !d.stated("linear.agents"):
		d.fault("linear.agents", "", "is required: the user ids of developer and reviewer")
	default:
		d.required("linear.agents.developer", l.Agents.Developer)
		d.required("linear.agents.reviewer", l.Agents.Reviewer)
		if l.Agents.Developer != "" && l.Agents.Developer == l.Agents.Reviewer {
			d.fault("linear.agents.reviewer", "the delegate says which phase a row is in", "must differ from the developer's")
		}
	}
	d.checkLabels("linear.labels", l.Labels)
	d.optional("linear.apiUrl", l.APIURL)
	if d.readable("linear.apiUrl") && !keepsKey(l.APIURL) {
		d.fault("linear.apiUrl", "the API key goes there", "must begin with https://, or be an http:// address of this machine")
	}
}

// keepsKey says whether a key may be sent there: nobody on the way reads it.
func keepsKey(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

func (d *decoder) checkGitHub(c *Config) {
	d.optional("githubUrl", c.GitHubURL)
	if d.readable("githubUrl") && !keepsKey(c.GitHubURL) {
		d.fault("githubUrl", "tokens go there", "must begin with https://, or be an http:// address of this machine")
	}
	g := c.GitHub
	if g == nil || d.bad["github"] {
		return
	}
	d.required("github.owner", g.Owner)
	d.requiredNumber("github.projectNumber")
	d.required("github.projectId", g.ProjectID)
	d.required("github.statusFieldId", g.StatusFieldID)
	d.required("github.claimedByFieldId", g.ClaimedByFieldID)
	stateNames := make(map[string]string, len(g.States))
	for role, s := range g.States {
		stateNames[role] = s.Name
		p := "github.states." + role
		if !d.bad[p] {
			d.required(p+".name", s.Name)
			d.required(p+".optionId", s.OptionID)
		}
	}
	d.checkStates("github.states", stateNames, []string{string(board.RoleQuestion)})
	d.checkLabels("github.labels", g.Labels)
}

func (d *decoder) checkNative(c *Config) {
	n := c.Native
	d.optional("native.path", n.Path)
	if d.readable("native.key") && !refKey.MatchString(n.Key) {
		hint := ""
		if up := strings.ToUpper(n.Key); refKey.MatchString(up) {
			hint = `write "` + up + `"`
		}
		d.fault("native.key", hint, "%q is not up to 10 of A-Z and 0-9, a letter first", n.Key)
	}
	for path, v := range map[string]string{
		"native.developerName":  n.DeveloperName,
		"native.developerEmail": n.DeveloperEmail,
		"native.reviewerName":   n.ReviewerName,
	} {
		d.optional(path, v)
		if strings.ContainsAny(v, "<>") {
			d.fault(path, "", "must not hold '<' or '>'")
		}
	}
	if d.readable("native.developerEmail") && !strings.Contains(n.DeveloperEmail, "@") {
		d.fault("native.developerEmail", "", "%q is not an address", n.DeveloperEmail)
	}
	d.checkStates("native.states", n.States, roleNames())
	d.checkLabels("native.labels", n.Labels)
}

// checkStates asks that the keys are roles, that every role is there that is
// not optional, and that no two roles share a state.
func (d *decoder) checkStates(path string, states map[string]string, optional []string) {
	if d.bad[path] {
		return
	}
	known, owner := roleNames(), map[string]string{}
	for _, role := range slices.Sorted(maps.Keys(states)) {
		name, p := states[role], path+"."+role
		if !slices.Contains(known, role) {
			d.fault(p, meant(role, known), "unknown role")
			continue
		}
		if !d.stated(p + ".name") { // GitHub's have a name and an option, asked for already
			d.optional(p, name)
		}
		if other, taken := owner[strings.ToLower(name)]; taken && name != "" {
			d.fault(p, "", "%q is already the state of %s", name, other)
		}
		owner[strings.ToLower(name)] = role
	}
	for _, role := range known {
		if _, ok := states[role]; !ok && !slices.Contains(optional, role) {
			d.fault(path+"."+role, "", "is required: the name of the state")
		}
	}
}

// checkLabels asks that the labels differ, and refuses the name question: that
// is a state (dispatcher-system.md, Labels).
func (d *decoder) checkLabels(path string, l Labels) {
	d.optional(path+".confirmWithUser", l.ConfirmWithUser)
	d.optional(path+".ui", l.UI)
	for p, name := range map[string]string{path + ".confirmWithUser": l.ConfirmWithUser, path + ".ui": l.UI} {
		if strings.EqualFold(name, "question") {
			d.fault(p, "", "question is a state, not a label")
		}
	}
	if l.UI != "" && strings.EqualFold(l.UI, l.ConfirmWithUser) {
		d.fault(path+".ui", "", "must differ from confirmWithUser")
	}
}
