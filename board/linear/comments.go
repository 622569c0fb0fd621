package linear

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// tagged is a comment's body under a role's tag. The owner's has none. What
// would read as a claim behind the tag stands in a paragraph of its own, where
// it is none.
func tagged(as board.ActorKind, body string) string {
	if as == board.ActorOwner {
		return body
	}
	tag, gap := board.RoleTag(as), " "
	block := body != "" && strings.ContainsRune("#-*+>`|~_ \t0123456789<", rune(body[0])) // it must begin a line
	if block || board.ReadsAsClaim(tag+" "+body) {
		gap = "\n\n"
	}
	return tag + gap + body
}

// untagged is the reverse.
func untagged(body string) (board.ActorKind, string, bool) {
	as, rest, ok := board.CutRoleTag(body)
	switch {
	case !ok:
		return "", body, false
	case strings.HasPrefix(rest, "\n\n"):
		rest = rest[2:]
	case rest != "" && strings.ContainsRune(" \n", rune(rest[0])):
		rest = rest[1:]
	}
	return as, rest, true
}

// commentsOf are the comments as the rules see them, oldest first and without
// claims. A tag is believed of the key's own account alone: from anybody else
// it is a text that neither is ours nor counts as the owner's word. The same
// holds for what integrations and outsiders write.
func commentsOf(list []commentWire) []board.Comment {
	list = slices.Clone(list)
	slices.SortFunc(list, byTime)
	var out []board.Comment
	for n := range list {
		c := &list[n]
		if _, ok := claimIn(c); ok {
			continue
		}
		o := board.Comment{ID: c.ID, Role: board.ActorOwner, Body: c.Body, At: c.CreatedAt}
		role, rest, ok := untagged(c.Body)
		switch {
		case c.User == nil || c.User.App:
			o.Role = board.ActorAutomation
		case ok && c.User.IsMe:
			o.Role, o.Body = role, rest
		case ok:
			o.Role = board.ActorAutomation
		}
		if c.User != nil {
			o.Author = c.User.DisplayName
		}
		if mark, ok := board.ParseMark(o.Body); ok && o.Role != board.ActorOwner && o.Role != board.ActorAutomation {
			o.Run = mark.Run
		}
		out = append(out, o)
	}
	return out
}

func byTime(a, b commentWire) int {
	return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

// held is a claim with the comment that it stands in.
type held struct {
	claim   board.Claim
	comment commentWire
}

// foreign says whether the claim stands under another account, which alone can
// take it back.
func (h *held) foreign() bool { return !h.comment.User.IsMe }

func (h *held) fresh(now time.Time, window time.Duration) bool { return !h.claim.Stale(now, window) }

// claimIn reads a comment as a claim. Members of the workspace claim, not
// apps, integrations or outsiders.
func claimIn(c *commentWire) (board.Claim, bool) {
	if c.User == nil || c.User.App {
		return board.Claim{}, false
	}
	claim, ok := board.ParseClaimText(c.Body)
	claim.Written = c.UpdatedAt
	if !c.User.IsMe {
		claim.Account = board.OneLine(c.User.DisplayName)
	}
	return claim, ok
}

// claimsOf are all claims on a row, in the order of the rule: the earliest by
// Linear's clock first, ties by comment id.
func claimsOf(list []commentWire) []held {
	list = slices.Clone(list)
	slices.SortFunc(list, byTime)
	var out []held
	for _, c := range list {
		if claim, ok := claimIn(&c); ok {
			out = append(out, held{claim, c})
		}
	}
	return out
}

// standing is the claim that counts: the earliest of the fresh ones, or the
// one that went stale last (design.md, section 6).
func (b *Board) standing(list []commentWire) (held, bool) {
	var newest held
	found := false
	for _, h := range claimsOf(list) {
		if h.fresh(b.now(), b.o.StaleWindow) {
			return h, true
		}
		if !found || h.claim.Heard().After(newest.claim.Heard()) {
			newest, found = h, true
		}
	}
	return newest, found
}

// maxOurs is how long a comment of our own roles may be, in characters: far
// below what Linear takes, so that a report never gets stuck.
const maxOurs = 50_000

// cut shortens a text of ours and keeps its machine line.
func cut(body string) string {
	r := []rune(body)
	if len(r) <= maxOurs {
		return body
	}
	text := board.WithoutMark(body)
	short := string([]rune(text)[:min(maxOurs, len([]rune(text)))])
	if at := strings.LastIndexByte(short, '\n'); at > maxOurs/2 {
		short = short[:at]
	}
	short += "\n\n(cut here: the whole text was too long for a comment; it is in the run's transcript)"
	if mark, ok := board.ParseMark(body); ok {
		return board.WithMark(short, mark)
	}
	return short
}
