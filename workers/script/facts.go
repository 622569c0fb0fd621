package script

import (
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// conditions are what a try or a step can ask for; each also with "!" before
// it. They are read from the board and the pull requests at the start of every
// turn, so that a run that was killed at any moment goes on where it stopped.
//
//	fresh     nothing is there yet: none of pr, asked, answered and gaveUp
//	pr        the issue has an open pull request
//	asked     this kind of worker wrote to the issue, and the owner has not since
//	answered  this kind of worker wrote to the issue, and the owner has since
//	reworked  the last review asks for changes
//	byOwner   the last review is a person's
//	rereview  changes were asked for, on an earlier head than the present one
//	reviewed  our reviewer has reviewed the present head
//	gaveUp    the loop gave the issue up, and the owner took it up again
var conditions = []string{"fresh", "pr", "asked", "answered", "reworked", "byOwner", "rereview", "reviewed", "gaveUp"}

// facts is what the agent knows of its issue.
type facts struct {
	kind  board.Kind
	issue board.Issue
	pull  *board.PullRequest // the open one, if there is one
}

func (f *facts) holds(cond string) bool {
	name, not := strings.CutPrefix(cond, "!")
	return f.is(name) != not
}

func (f *facts) is(name string) bool {
	switch name {
	case "fresh":
		return f.pull == nil && !f.is("asked") && !f.is("answered") && !f.is("gaveUp")
	case "pr":
		return f.pull != nil
	case "asked":
		worker, owner := f.lastWords()
		return worker >= 0 && owner < worker
	case "answered":
		worker, owner := f.lastWords()
		return worker >= 0 && owner > worker
	case "reworked":
		r := f.lastReview()
		return r != nil && asksChanges(*r)
	case "byOwner":
		r := f.lastReview()
		return r != nil && !r.Bot
	case "rereview":
		return f.pull != nil && slices.ContainsFunc(f.pull.Reviews, func(r board.Review) bool {
			return asksChanges(r) && r.Commit != f.pull.HeadSHA
		})
	case "reviewed":
		return f.pull != nil && slices.ContainsFunc(f.pull.Reviews, func(r board.Review) bool {
			return r.Bot && r.Commit == f.pull.HeadSHA
		})
	case "gaveUp":
		return slices.ContainsFunc(f.issue.Comments, func(c board.Comment) bool {
			return c.Role == board.ActorDispatcher && strings.Contains(c.Body, "needs human attention")
		})
	}
	return false
}

// lastWords are the places of the last comments of this kind of worker and of
// the owner; -1 where there is none.
func (f *facts) lastWords() (worker, owner int) {
	worker, owner = -1, -1
	for i, c := range f.issue.Comments {
		switch c.Role {
		case board.ActorOfKind(f.kind):
			worker = i
		case board.ActorOwner:
			owner = i
		case board.ActorDispatcher, board.ActorAutomation, board.ActorDeveloper, board.ActorReviewer, board.ActorCleaner:
		}
	}
	return worker, owner
}

func (f *facts) lastReview() *board.Review {
	if f.pull == nil || len(f.pull.Reviews) == 0 {
		return nil
	}
	return &f.pull.Reviews[len(f.pull.Reviews)-1]
}

// asksChanges says whether a review sends the work back: a person's by its
// state or by having a text, an agent's by a blocking finding (agents only
// comment).
func asksChanges(r board.Review) bool {
	if !r.Bot {
		return r.State == board.ReviewChangesRequested || r.Body != ""
	}
	return slices.ContainsFunc(r.Findings, func(f board.Finding) bool { return f.Severity == board.SeverityBlocking })
}

// request is the text of the last review that asks for changes.
func (f *facts) request() string {
	if f.pull == nil {
		return ""
	}
	for _, r := range slices.Backward(f.pull.Reviews) {
		if !asksChanges(r) {
			continue
		}
		if r.Body != "" {
			return r.Body
		}
		if len(r.Findings) > 0 {
			return r.Findings[0].Body
		}
	}
	return ""
}

// answer is the owner's last comment.
func (f *facts) answer() string {
	_, owner := f.lastWords()
	if owner < 0 {
		return ""
	}
	return f.issue.Comments[owner].Body
}
