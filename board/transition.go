package board

import "slices"

// Transition is one way a row may move, and who may move it.
type Transition struct {
	From, To Role
	By       []ActorKind
	Trigger  string
}

// transitions is the table of dispatcher-system.md, Transitions, with the
// moves that the rest of that page asks for: a board error put right, and the
// restores of an abort or a clean-up. The owner moves a row anywhere but into
// a closed state; automation alone closes one, see MayMove.
var transitions = []Transition{
	{RoleReady, RoleInProgress, by(ActorDispatcher), "claimed for a developer"},
	{RoleChangesRequested, RoleInProgress, by(ActorDispatcher), "claimed for rework or a clean-up"},
	{RoleHumanReview, RoleInProgress, by(ActorDispatcher), "claimed for a clean-up"},
	{RoleReady, RoleChangesRequested, by(ActorDispatcher), "a Ready row with an open pull request is a board error"},
	{RoleInProgress, RoleHumanReview, by(ActorDispatcher), "verdict PASS, or a clean-up restored"},
	{RoleInProgress, RoleChangesRequested, by(ActorDispatcher), "verdict CHANGES_REQUESTED, or restored"},
	{RoleInProgress, RoleReady, by(ActorDispatcher), "restored: nothing was pushed"},
	{RoleInProgress, RoleQuestion, by(ActorDeveloper, ActorReviewer, ActorCleaner, ActorDispatcher), "parked on a decision of the owner's"},
	{RoleHumanReview, RoleChangesRequested, by(ActorAutomation), "the owner requested changes (review sync)"},
	{RoleInProgress, RoleChangesRequested, by(ActorAutomation), "the owner requested changes during a review (review sync)"},
}

// childTransitions is the table for a sub-issue: tracking only, kept by the
// developer of its parent and put right by the dispatcher
// (dispatcher-system.md, Legacy sub-issues).
var childTransitions = []Transition{
	{RoleReady, RoleInProgress, by(ActorDeveloper, ActorDispatcher), "its parent's developer builds it"},
	{RoleReady, RoleDone, by(ActorDeveloper, ActorDispatcher), "built"},
	{RoleChangesRequested, RoleInProgress, by(ActorDeveloper, ActorDispatcher), "its parent's developer reworks it"},
	{RoleChangesRequested, RoleDone, by(ActorDeveloper, ActorDispatcher), "built"},
	{RoleInProgress, RoleDone, by(ActorDeveloper, ActorDispatcher), "built"},
	{RoleHumanReview, RoleInProgress, by(ActorDeveloper, ActorDispatcher), "its parent's developer reworks it"},
	{RoleHumanReview, RoleDone, by(ActorDeveloper, ActorDispatcher), "built"},
	{RoleDone, RoleInProgress, by(ActorDeveloper, ActorDispatcher), "its parent's developer reworks it"},
}

func by(kinds ...ActorKind) []ActorKind { return kinds }

// Transitions is a copy of the table for top-level issues: everything that
// somebody other than the owner may do, but for closing.
func Transitions() []Transition { return append([]Transition(nil), transitions...) }

// ChildTransitions is a copy of the table for sub-issues.
func ChildTransitions() []Transition { return append([]Transition(nil), childTransitions...) }

// MayMove answers nil when the actor may move the row into a state that has
// the given role and is closed or not, and an error that wraps ErrForbidden
// and says why otherwise. Moving a row to where it is is nobody's harm.
func MayMove(by Actor, i *Issue, to Role, closed bool) error {
	switch {
	case i.Unreadable != "":
		return unreadable(i)
	case to == i.Role && to != RoleNone:
		return nil
	case by.Kind == ActorAutomation && closed:
		return nil
	case by.Kind == ActorAutomation && i.Parent == "":
		return inTable(transitions, by, i, to)
	case closed && i.Parent == "":
		return refuse("an issue without a parent is closed by merging its pull request, by nobody else")
	case by.Kind == ActorOwner:
		return nil
	case i.Role == RoleBacklog || i.Role == RoleQuestion:
		return refuse("only the owner moves a row out of %s", i.State)
	case i.Role == RoleNone:
		return refuse("the state %s has no role here and is left alone", quoteState(i.State))
	case to == RoleNone:
		return refuse("only the owner moves a row into a state without a role")
	}
	if by.Worker() {
		if err := ownIssue(by, i); err != nil {
			return err
		}
	}
	if i.Parent != "" && !(by.Worker() && sameRef(by.Ref, i.Ref)) {
		if inTable(childTransitions, by, i, to) == nil {
			return nil
		}
	}
	if by.Worker() && !sameRef(by.Ref, i.Ref) {
		return refuse("a %s may set a sub-issue to in-progress or done, not %s to %s", by.Kind, i.Role.Word(), to.Word())
	}
	return inTable(transitions, by, i, to)
}

func inTable(table []Transition, by Actor, i *Issue, to Role) error {
	for _, t := range table {
		if t.From != i.Role || t.To != to {
			continue
		}
		if slices.Contains(t.By, by.Kind) {
			return nil
		}
	}
	return refuse("a %s may not move a row from %s to %s", by.Kind, wordOr(i.Role, i.State), to.Word())
}

func wordOr(r Role, state string) string {
	if r == RoleNone {
		return quoteState(state)
	}
	return r.Word()
}

// MayClaim answers nil when the actor may claim, assign or release the row:
// another agent's row is refused to everyone, to a worker everything but the
// release of its own issue, and to the loop a row that is not its to work
// (dispatcher-system.md, Delegate and claim).
func MayClaim(by Actor, i *Issue) error {
	switch {
	case i.Unreadable != "":
		return unreadable(i)
	case !i.Delegate.Ours():
		return refuse("the row belongs to another agent (%s)", i.Delegate)
	case by.Worker():
		return refuse("a %s claims and assigns nothing", by.Kind)
	case i.Closed:
		return refuse("the issue is closed (%s)", i.State)
	case by.Kind == ActorDispatcher && i.HumanOwned():
		return refuse("%s works this issue", i.Assignee)
	case by.Kind == ActorDispatcher && (i.Role == RoleBacklog || i.Role == RoleQuestion || i.Role == RoleNone):
		return refuse("a row in %s is the owner's", quoteState(i.State))
	}
	return nil
}

// mayRelease is the part of MayClaim that a release is held to.
func mayRelease(by Actor, i *Issue) error {
	switch {
	case i.Unreadable != "":
		return unreadable(i)
	case !i.Delegate.Ours():
		return refuse("the row belongs to another agent (%s)", i.Delegate)
	case by.Worker() && !sameRef(by.Ref, i.Ref):
		return refuse("a %s releases its own issue only (%s)", by.Kind, by.Ref)
	case by.Worker() && i.Claim != nil && i.Claim.Run != "" && by.Run != "" && i.Claim.Run != by.Run:
		return errNotOurs(i.Claim.Session)
	}
	return nil
}

// ownIssue refuses a worker everything but its own issue and its children.
func ownIssue(by Actor, i *Issue) error {
	if !by.Worker() || sameRef(by.Ref, i.Ref) || (by.Ref != "" && sameRef(by.Ref, i.Parent)) {
		return nil
	}
	return refuse("a %s writes to its own issue (%s) and its sub-issues only", by.Kind, by.Ref)
}

func sameRef(a, b Ref) bool { return equalFold(string(a), string(b)) }
