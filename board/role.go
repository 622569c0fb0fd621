package board

import "strings"

// Role is what a state means to us. A state without a role has RoleNone: it is
// left alone everywhere (dispatcher-system.md, Board model, Roles).
type Role string

// The seven roles, in board order, and the absence of one.
const (
	RoleNone             Role = ""
	RoleBacklog          Role = "backlog"
	RoleReady            Role = "ready"
	RoleChangesRequested Role = "changesRequested"
	RoleInProgress       Role = "inProgress"
	RoleQuestion         Role = "question"
	RoleHumanReview      Role = "humanReview"
	RoleDone             Role = "done"
)

// Roles lists every role in the order in which a board shows its columns.
func Roles() []Role {
	return []Role{
		RoleBacklog, RoleReady, RoleChangesRequested, RoleInProgress,
		RoleQuestion, RoleHumanReview, RoleDone,
	}
}

// roleWords maps the spelling of the command line to roles, with the aliases
// that the specification keeps (dispatcher-system.md, CLI, state).
var roleWords = map[string]Role{
	"backlog":           RoleBacklog,
	"ready":             RoleReady,
	"changes-requested": RoleChangesRequested,
	"changesrequested":  RoleChangesRequested,
	"in-progress":       RoleInProgress,
	"inprogress":        RoleInProgress,
	"question":          RoleQuestion,
	"human-review":      RoleHumanReview,
	"humanreview":       RoleHumanReview,
	"done":              RoleDone,
	"hold":              RoleBacklog,
	"user-review":       RoleHumanReview,
}

// ParseRole reads a role as a person types it: in any case, as the command
// line spells it (`in-progress`), as the configuration does (`inProgress`), or
// by an alias (`hold`, `user-review`). It reports false for anything else,
// `ai-review` included: there is no review state.
func ParseRole(s string) (Role, bool) {
	r, ok := roleWords[strings.ToLower(strings.TrimSpace(s))]
	return r, ok
}

// Word is the role as the command line spells it, for example `in-progress`.
// RoleNone is the empty string.
func (r Role) Word() string {
	switch r {
	case RoleChangesRequested:
		return "changes-requested"
	case RoleInProgress:
		return "in-progress"
	case RoleHumanReview:
		return "human-review"
	case RoleNone, RoleBacklog, RoleReady, RoleQuestion, RoleDone:
		return string(r)
	}
	return string(r)
}

// DefaultName is the state name a role has when the board's owner chose none
// (dispatcher-system.md, Roles).
func (r Role) DefaultName() string {
	switch r {
	case RoleBacklog:
		return "Backlog"
	case RoleReady:
		return "Ready"
	case RoleChangesRequested:
		return "Changes Requested"
	case RoleInProgress:
		return "In Progress"
	case RoleQuestion:
		return "Question"
	case RoleHumanReview:
		return "Human Review"
	case RoleDone:
		return "Done"
	case RoleNone:
		return ""
	}
	return ""
}

// Closed says whether a row in this role is finished work.
func (r Role) Closed() bool { return r == RoleDone }
