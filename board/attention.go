package board

import "strings"

// The words with which our own comments start a hold, or end one.
const (
	attentionWords = "needs human attention"
	heldWords      = "held by owner"
	clearedWords   = "hold cleared"
)

// AttentionText is the comment that gives a row to a person.
func AttentionText(reason string) string { return attentionWords + ": " + reason }

// HeldText is the comment that keeps a row where it is until the owner lets it
// go on; ClearedText is the one that does so.
func HeldText(reason string) string { return withReason(heldWords, reason) }

// ClearedText writes down that the owner ended a hold that HeldText or
// AttentionText began.
func ClearedText(reason string) string { return withReason(clearedWords, reason) }

func withReason(words, reason string) string {
	if reason == "" {
		return words
	}
	return words + ": " + reason
}

// Attention says whether the row needs human attention, and why: a comment of
// the dispatcher's that starts so holds it in every queue. It ends on an
// owner's comment or an owner's move after it; for a reviewer's also when the
// head moves, for a cleaner's when head or base move, both read from the
// comment's machine line. Our own comments never end it (design.md, section 4,
// GAVE UP), but for the one that writes down that the owner ended it.
//
// head and base are the pull request's head and the default branch now; empty
// is unknown and ends nothing.
func Attention(i *Issue, head, base string) (reason string, held bool) {
	c, ok := standing(i, attentionWords, clearedWords)
	if !ok {
		return "", false
	}
	mark, _ := ParseMark(c.Body)
	moved := func(then, now string) bool { return then != "" && now != "" && then != now }
	switch mark.Kind {
	case KindReviewer:
		if moved(mark.Head, head) {
			return "", false
		}
	case KindCleaner:
		if moved(mark.Head, head) || moved(mark.Base, base) {
			return "", false
		}
	case KindDeveloper:
	}
	return reasonOf(c.Body, attentionWords), true
}

// Held says whether the owner stopped work on the row, and with which words.
// It ends when the hold is cleared, by a later comment of the owner's or by an
// owner's move (design.md, section 4, HELD).
func Held(i *Issue) (reason string, held bool) {
	c, ok := standing(i, heldWords, clearedWords)
	if !ok {
		return "", false
	}
	return reasonOf(c.Body, heldWords), true
}

// standing is the newest comment of the dispatcher's that starts with words
// and that nothing after it has ended.
func standing(i *Issue, words, ends string) (Comment, bool) {
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		switch {
		case c.Role == ActorOwner:
			return Comment{}, false
		case c.Role != ActorDispatcher:
		case ends != "" && startsWith(c.Body, ends):
			return Comment{}, false
		case startsWith(c.Body, words):
			byOwner := i.StateBy == ActorOwner && i.StateSince.After(c.At)
			return c, !byOwner
		}
	}
	return Comment{}, false
}

func startsWith(body, words string) bool {
	body = strings.TrimLeft(body, " \t\r\n*_")
	return len(body) >= len(words) && strings.EqualFold(body[:len(words)], words)
}

// reasonOf is the first line after the opening words.
func reasonOf(body, words string) string {
	body = strings.TrimLeft(WithoutMark(body), " \t\r\n*_")
	line, _, _ := strings.Cut(body[min(len(words), len(body)):], "\n")
	return strings.TrimSpace(strings.TrimLeft(line, ":*_ \t"))
}

// AnswerTo finds the newest question that the owner answered: a worker's
// comment and the first comment of the owner's after it. It reports false when
// no worker's comment has one.
func AnswerTo(i *Issue) (question, answer Comment, ok bool) {
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		if c.Role == ActorOwner {
			answer, ok = c, true
			continue
		}
		if ok && workerRole(c.Role) {
			return c, answer, true
		}
	}
	return Comment{}, Comment{}, false
}

// OpenQuestion is the question that a parked row waits on: the newest comment
// by a worker, else by the dispatcher.
func OpenQuestion(i *Issue) (Comment, bool) {
	var found Comment
	ok := false
	for n := len(i.Comments) - 1; n >= 0; n-- {
		c := i.Comments[n]
		if workerRole(c.Role) {
			return c, true
		}
		if c.Role == ActorDispatcher && !ok {
			found, ok = c, true
		}
	}
	return found, ok
}

// MovedWithoutReply says whether the owner moved the row out of Question
// without a comment since the question. Such a row is not dispatched
// (dispatcher-system.md, Questions).
func MovedWithoutReply(i *Issue) bool {
	if i.PrevRole != RoleQuestion || i.Role == RoleQuestion || i.Closed {
		return false
	}
	for n := len(i.Comments) - 1; n >= 0; n-- {
		if i.Comments[n].Role == ActorOwner {
			return false
		}
		if workerRole(i.Comments[n].Role) {
			return true
		}
	}
	return true
}

func workerRole(k ActorKind) bool { return Actor{Kind: k}.Worker() }
