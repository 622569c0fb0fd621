package histories

import (
	"context"
	"fmt"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// merge merges a pull request on the forge; the board's automation may know.
func (h *history) merge(p *board.PullRequest) {
	p = h.pulls[p.Number-firstPull]
	p.State, p.MergedAt, p.MergeSHA = board.PullMerged, h.world.Now(), "merge"+p.Name
	h.trace("the owner merges %s for %v", p.Name, p.Issues)
	h.world.Merged(p)
}

// act is one thing that the owner does on the board's own pages.
func (h *history) act() {
	rows := h.world.Rows()
	row := rows[h.dice.IntN(len(rows))]
	pr := plan.PullOf(&board.Issue{Ref: row.Ref}, h.listed())
	move := func(what string, to board.Role) {
		h.trace("the owner: %s on %s", what, row.Ref)
		h.world.Move(row.Ref, to)
	}
	switch n := h.dice.IntN(10); {
	case row.Role == board.RoleQuestion && n < 7:
		h.world.Say(row.Ref, "Take a.")
		to := board.RoleReady
		if pr != nil {
			to = board.RoleChangesRequested
		}
		move("answers", to)
	case pr != nil && pr.State == board.PullOpen && row.Role == board.RoleHumanReview && n < 6:
		h.merge(pr)
	case n == 8 && row.Role != board.RoleDone:
		move("moves it by hand", []board.Role{board.RoleReady, board.RoleBacklog, board.RoleChangesRequested}[h.dice.IntN(3)])
	case n == 9:
		h.trace("the owner: writes into %s", row.Ref)
		h.world.Write(row.Ref, "\nAnother word.\n")
	}
}

// finish does what is left to the owner, and answers true when nothing is.
func (h *history) finish() bool {
	by := h.as(owner)
	ctx := context.Background()
	rows, err := by.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		h.broken("the owner's poll: %v", err)
		return true
	}
	for i := range rows {
		row := &rows[i]
		pr := plan.PullOf(row, h.listed())
		open := pr != nil && pr.State == board.PullOpen
		h.trace("the owner looks at %s in %s", row.Ref, row.State)
		switch {
		case row.Role == board.RoleQuestion:
			err = by.Answer(ctx, row.Ref, "Take a.", board.RoleNone)
		case open && row.Role == board.RoleHumanReview:
			h.merge(pr)
		case len(row.OpenBlockers()) > 0:
		default:
			to := board.RoleReady
			if open {
				to = board.RoleChangesRequested
			}
			if _, err = by.Comment(ctx, row.Ref, board.ActorOwner, "Go on."); err == nil {
				err = by.SetState(ctx, row.Ref, to)
			}
		}
		if err != nil {
			h.broken("the owner on %s: %v", row.Ref, err)
		}
	}
	return len(rows) == 0
}

// ended holds the end to what has to be true of it.
func (h *history) ended() {
	for _, row := range h.world.Rows() {
		if row.Role != board.RoleDone || len(row.Claims) > 0 || row.Held != "" {
			h.broken("%s ends in %s, claims %q, %s", row.Ref, row.Role.Word(), row.Claims, row.Held)
		}
		merged := false
		for _, to := range row.Moves {
			if merged {
				h.broken("%s is moved to %s after its merge", row.Ref, to.Word())
			}
			merged = merged || to == board.RoleDone
		}
		said := map[string]bool{}
		for _, c := range row.Comments {
			m, ok := board.ParseMark(c)
			if !ok || m.Try == 0 {
				continue
			}
			key := fmt.Sprint(m.Run, m.Try, strings.SplitN(c, "\n", 2)[0])
			if said[key] {
				h.broken("%s: said twice: %s", row.Ref, c)
			}
			said[key] = true
		}
	}
}
