package plan

import (
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// queue names the queue and tier of a row that no rule holds (Eligibility 6).
func queue(x *index, i *board.Issue, pr *board.PullRequest) Judgement {
	switch i.Role {
	case board.RoleInProgress:
		if i.Delegate == board.DelegateReviewer {
			return reviewQueue(i, pr)
		}
		return eligible(i, board.KindDeveloper, 1)
	case board.RoleChangesRequested:
		return changesQueue(x, i, pr)
	case board.RoleReady:
		return readyQueue(x, i, pr)
	case board.RoleNone, board.RoleBacklog, board.RoleQuestion, board.RoleHumanReview, board.RoleDone:
	}
	return hold(HoldNoRole, "the state %q is not worked", i.State)
}

func reviewQueue(i *board.Issue, pr *board.PullRequest) Judgement {
	switch {
	case pr == nil || pr.State != board.PullOpen:
		return hold(HoldNoPull, "delegated to the reviewer without an open pull request")
	case pr.Draft:
		return hold(HoldDraft, "%s is a draft", pr.Name)
	}
	return eligible(i, board.KindReviewer, 0)
}

func changesQueue(x *index, i *board.Issue, pr *board.PullRequest) Judgement {
	if pr == nil || pr.State != board.PullOpen {
		return hold(HoldNoPull, "Changes Requested without an open pull request")
	}
	if j, held := ownerFirst(x, i); held {
		return j
	}
	return eligible(i, board.KindDeveloper, 2)
}

// readyQueue: an open pull request on a Ready row is a board error: ours means
// rework, anybody else's means that the work is theirs (dispatcher-system.md,
// Rework; design.md, section 4, linked pull request).
func readyQueue(x *index, i *board.Issue, pr *board.PullRequest) Judgement {
	open := pr != nil && pr.State == board.PullOpen
	if open && !pr.ByAgent {
		return hold(HoldForeignPR, "PR %s by %s links it", pr.Name, pr.Author)
	}
	if j, held := ownerFirst(x, i); held {
		return j
	}
	j := eligible(i, board.KindDeveloper, 3)
	if open {
		j.SetFirst = board.RoleChangesRequested
		j.Tier = 2
	}
	return j
}

// ownerFirst holds tiers 2 and 3 for the label and for open blockers.
func ownerFirst(x *index, i *board.Issue) (Judgement, bool) {
	if x.Settings.ConfirmLabel != "" && i.HasLabel(x.Settings.ConfirmLabel) {
		return hold(HoldConfirm, "confirm with you first; remove the label %q to let it go", x.Settings.ConfirmLabel), true
	}
	if open := i.OpenBlockers(); len(open) > 0 {
		if path := circle(x, i); path != nil {
			return hold(HoldCircle, "blocked in a circle, %s: take one of the blockers out", strings.Join(path, " → ")), true
		}
		return hold(HoldBlocked, "blocked by %s", joinRefs(open)), true
	}
	return Judgement{}, false
}

func eligible(i *board.Issue, k board.Kind, tier int) Judgement {
	agent := string(k)
	if name, ok := agentOf(i); ok && k == board.KindDeveloper {
		agent = name
	}
	return Judgement{Kind: k, Tier: tier, Agent: agent}
}

func joinRefs(refs []board.Ref) string {
	s := make([]string, len(refs))
	for i, r := range refs {
		s[i] = string(r)
	}
	return strings.Join(s, ", ")
}
