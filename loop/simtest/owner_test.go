package simtest

import (
	"context"
	"fmt"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/looptest"
	"github.com/backside4charter/dispatcher/loop/state"
)

// act is one thing that the owner does, on the board, on a pull request or to
// a loop. What is refused does not happen.
func (s *sim) act() {
	i := s.some()
	if i == nil {
		return
	}
	ctx := context.Background()
	owner := s.as(board.Actor{Kind: board.ActorOwner, Name: "ann"})
	pr := s.livePull(i)
	switch n := s.dice.IntN(100); {
	case n < 22:
		s.answers(owner, i)
	case n < 34:
		to := board.Roles()[s.dice.IntN(len(board.Roles()))]
		if owner.SetState(ctx, i.Ref, to) == nil {
			s.acted(i.Ref, "moves it to "+to.Word())
		}
	case n < 40:
		if _, err := owner.Comment(ctx, i.Ref, board.ActorOwner, "Go on."); err == nil {
			s.acted(i.Ref, "comments")
		}
	case n < 54:
		if pr != nil && pr.State == board.PullOpen {
			s.merges(pr)
			s.acted(i.Ref, "merges "+pr.Name)
		}
	case n < 60:
		s.requestChanges(i, pr)
	case n < 63:
		if pr != nil && pr.State == board.PullOpen {
			pr.State = board.PullClosed
			s.acted(i.Ref, "closes "+pr.Name)
		}
	case n < 67:
		if pr != nil && pr.State == board.PullOpen {
			pr.HeadSHA = s.newHead()
			s.acted(i.Ref, "pushes to "+pr.Name)
		}
	case n < 70:
		if s.dice.IntN(3) == 0 {
			s.acted(i.Ref, "deletes the issue")
			s.board.Remove(i.Ref)
		}
	case n < 73:
		if owner.Label(ctx, i.Ref, looptest.ConfirmLabel, !i.HasLabel(looptest.ConfirmLabel)) == nil {
			s.acted(i.Ref, "labels it, or no longer")
		}
	case n < 77:
		s.takesOrGives(i)
	case n < 82:
		s.others(i)
	case n < 83:
		c := s.checkouts[s.dice.IntN(len(s.checkouts))]
		if c.p != nil && !c.p.dead {
			s.trace("loop %d is told to leave", c.n)
			c.p.d.Leave()
		}
	default:
		s.commands(i)
	}
	for _, c := range s.checkouts {
		if c.p != nil && !c.p.dead && s.dice.IntN(2) == 0 {
			c.p.d.Wake()
		}
	}
}

// livePull is the pull request of an issue itself, not a copy.
func (s *sim) livePull(i *board.Issue) *board.PullRequest {
	found := s.pullOf(i)
	if found == nil {
		return nil
	}
	at := slices.IndexFunc(s.pulls, func(p *board.PullRequest) bool { return p.Name == found.Name })
	return s.pulls[at]
}

func (s *sim) answers(owner *board.Policy, i *board.Issue) {
	to := board.RoleNone
	if s.dice.IntN(4) == 0 {
		to = board.RoleInProgress
	}
	if owner.Answer(context.Background(), i.Ref, "The first.", to) == nil {
		s.acted(i.Ref, "answers")
	}
}

// requestChanges is a review with a request, and what review sync does then.
func (s *sim) requestChanges(i *board.Issue, pr *board.PullRequest) {
	if pr == nil || pr.State != board.PullOpen {
		return
	}
	s.reviews++
	pr.Reviews = append(pr.Reviews, board.Review{
		ID: fmt.Sprintf("r%d", s.reviews), Author: "ann", State: board.ReviewChangesRequested, Commit: pr.HeadSHA, Body: "Rename it.", At: s.wall(),
	})
	s.acted(i.Ref, "requests changes on "+pr.Name)
	if s.dice.IntN(3) > 0 {
		sync := s.as(board.Actor{Kind: board.ActorAutomation})
		if i.Role == board.RoleHumanReview || i.Role == board.RoleInProgress && s.dice.IntN(3) == 0 {
			s.refused(sync.SetState(context.Background(), i.Ref, board.RoleChangesRequested))
		}
	}
}

// takesOrGives makes a row the owner's own, or gives it back.
func (s *sim) takesOrGives(i *board.Issue) {
	if i.Assignee != "" {
		s.board.Edit(i.Ref, func(i *board.Issue) { i.Assignee = "" })
		s.acted(i.Ref, "gives it back")
		return
	}
	s.board.Edit(i.Ref, func(i *board.Issue) {
		i.Assignee, i.Delegate = "ann", board.DelegateNone
		s.board.Unclaim(i)
	})
	s.acted(i.Ref, "takes it")
}

// others are what somebody else does to a row: another tool claims it, another
// agent is to work it, a label names an agent that is not there, a person opens
// a pull request for it.
func (s *sim) others(i *board.Issue) {
	switch s.dice.IntN(6) {
	case 0, 1:
		s.strangers++
		id := fmt.Sprintf("stranger-%d", s.strangers)
		kind := board.Kinds()[s.dice.IntN(2)]
		s.trace("another tool claims %s", i.Ref)
		s.outside = true
		_, err := s.as(board.Actor{Kind: board.ActorDispatcher}).Claim(context.Background(), i.Ref, board.ClaimRequest{Kind: kind, Session: id, Run: id})
		s.outside = false
		s.refused(err)
	case 2:
		s.board.Edit(i.Ref, func(i *board.Issue) {
			if i.Delegate.Ours() {
				i.Delegate = "another-agent"
				s.board.Unclaim(i)
			} else {
				i.Delegate = board.DelegateNone
			}
		})
		s.acted(i.Ref, "delegates it elsewhere, or no longer")
	case 3:
		s.board.Edit(i.Ref, func(i *board.Issue) {
			had := len(i.Labels)
			i.Labels = slices.DeleteFunc(slices.Clone(i.Labels), func(l string) bool { return l == "agent:ghost" })
			if len(i.Labels) == had {
				i.Labels = append(i.Labels, "agent:ghost")
			}
		})
		s.acted(i.Ref, "labels it for an agent that is not there, or no longer")
	case 4:
		s.board.Edit(i.Ref, func(i *board.Issue) {
			if i.Unreadable != "" {
				i.Unreadable = ""
			} else {
				i.Unreadable = "its file is broken"
			}
		})
		s.acted(i.Ref, "breaks its file, or mends it")
	default:
		n := len(s.pulls) + 1
		s.pulls = append(s.pulls, &board.PullRequest{
			Number: n, Name: fmt.Sprintf("#%d", n), State: board.PullOpen, Author: "bob", Base: "main",
			Head: fmt.Sprintf("bob-%d", n), HeadSHA: s.newHead(), Checks: board.ChecksNone, Issues: []board.Ref{i.Ref}, CreatedAt: s.wall(),
		})
		s.acted(i.Ref, "sees a pull request of another person's")
	}
}

// commands are what the owner asks of a loop.
func (s *sim) commands(i *board.Issue) {
	c := s.checkouts[s.dice.IntN(len(s.checkouts))]
	if c.p == nil || c.p.dead {
		return
	}
	kinds := []state.CommandKind{
		state.CommandFire, state.CommandPause, state.CommandResume, state.CommandResume, state.CommandHold, state.CommandUnhold, state.CommandUnhold,
		state.CommandRetry, state.CommandRetry, state.CommandStop, state.CommandAnswer, state.CommandDrain, state.CommandAbort,
		state.CommandMove, state.CommandMove, state.CommandUndo, state.CommandUndo, state.CommandTouch, state.CommandDispatch,
		state.CommandComment, state.CommandRelease,
	}
	k := kinds[s.dice.IntN(len(kinds))]
	s.trace("the owner tells loop %d: %s %s", c.n, k, i.Ref)
	c.p.d.Send(s.command(k, i))
	switch k {
	case state.CommandAbort, state.CommandDrain:
		s.uncounted = true // what ends while a loop stops uses no try up
	case state.CommandUndo:
		for _, row := range s.board.Rows {
			s.acted(row.Ref, "may have taken something back")
		}
	case state.CommandHold, state.CommandUnhold, state.CommandRetry, state.CommandStop, state.CommandAnswer,
		state.CommandMove, state.CommandTouch, state.CommandDispatch, state.CommandComment, state.CommandRelease:
		s.acted(i.Ref, "commands "+string(k))
	default: // about no row
	}
}

func (s *sim) refused(err error) {
	if err != nil {
		s.trace("  refused: %v", err)
	}
}
