package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// BranchPrefix is what every task branch begins with (dispatcher-system.md, One
// task, one PR).
const BranchPrefix = "task/"

// maxSlug bounds the part of a name that comes from a title, in bytes.
const maxSlug = 40

// emptySlug stands where a title has nothing that a name could be made of.
const emptySlug = "issue"

// BranchName is the branch of an issue: `task/<identifier-lowercased>-<slug>`.
// Every ref and title, whatever is in it, gives a valid name; different refs
// give different ones.
func BranchName(ref, title string) string {
	return BranchPrefix + identifier(ref) + "-" + slug(title)
}

// DirName is the name of the folder of an issue's worktree.
func DirName(ref, title string) string {
	return identifier(ref) + "-" + slug(title)
}

// BranchIs says whether a branch is the issue's, by its identifier: the slug
// may differ, since a title may have been edited. task/dsp-3-x is DSP-3's and
// task/dsp-30-x is not.
func BranchIs(branch, ref string) bool {
	rest, ok := strings.CutPrefix(branch, BranchPrefix)
	if !ok {
		return false
	}
	id := identifier(ref)
	return rest == id || strings.HasPrefix(rest, id+"-")
}

// identifier is a ref as a name: lower case letters, digits and dashes. A ref
// that is not fully kept by that gets a sum, so that two refs never share a
// name.
func identifier(ref string) string {
	plain := strings.TrimPrefix(strings.ToLower(ref), "#")
	id := ascii(plain)
	if id == plain && id != "" && len(id) <= maxSlug {
		return id
	}
	sum := sha256.Sum256([]byte(ref))
	short := hex.EncodeToString(sum[:4])
	if id == "" {
		return short
	}
	return cut(id) + "-" + short
}

// slug is a title as the end of a name: letters are reduced to those without
// marks, everything else becomes a dash.
func slug(title string) string {
	s := cut(ascii(strings.ToLower(norm.NFKD.String(bounded(title)))))
	if s == "" {
		return emptySlug
	}
	return s
}

// bounded keeps a title short before it is looked at: only its beginning can
// reach the name.
func bounded(title string) string {
	const enough = 4 * maxSlug
	n := 0
	for i := range title {
		if n++; n > enough {
			return title[:i]
		}
	}
	return title
}

// ascii keeps a-z and 0-9, drops combining marks and makes everything else a
// single dash, none at the ends.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r):
		case b.Len() > 0 && b.String()[b.Len()-1] != '-':
			b.WriteByte('-')
		}
	}
	return strings.TrimRight(b.String(), "-")
}

// cut shortens what ascii made, at a dash where one is near the end.
func cut(s string) string {
	if len(s) <= maxSlug {
		return s
	}
	s = s[:maxSlug]
	if i := strings.LastIndexByte(s, '-'); i > maxSlug/2 {
		s = s[:i]
	}
	return strings.TrimRight(s, "-")
}
