package board

import (
	"regexp"
	"strings"
)

// roleTag is what begins a comment of one of our roles, where all comments
// stand under one account (dispatcher-system.md, Comments).
var roleTag = regexp.MustCompile(`^\*\*\[(dispatcher|developer|reviewer|cleaner)\]\*\*`)

// RoleTag is the tag of a role's comments.
func RoleTag(as ActorKind) string { return "**[" + string(as) + "]**" }

// CutRoleTag takes the tag off a comment. It reports false for a text without
// one.
func CutRoleTag(text string) (as ActorKind, rest string, ok bool) {
	m := roleTag.FindStringSubmatch(text)
	if m == nil {
		return "", text, false
	}
	return ActorKind(m[1]), text[len(m[0]):], true
}

// ReadsAsClaim says whether a text is a claim, or would be one if its white
// space were written in another way: boards may keep Markdown in a way of their
// own. What is said on an issue must not be one, whoever says it.
func ReadsAsClaim(text string) bool {
	_, ok := ParseClaimText(strings.Join(strings.Fields(text), " "))
	return ok
}

// mayStandUntagged refuses the owner a text that would not be read as the
// owner's: it begins with a role's tag, as a claim does.
func mayStandUntagged(body string) error {
	if as, _, ok := CutRoleTag(strings.TrimSpace(body)); ok {
		return refuse("a text that begins with %s would be read as a %s's, or as a claim; begin it in another way", RoleTag(as), as)
	}
	return nil
}
