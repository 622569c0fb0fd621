// Package pulls is what the forges share: what they are asked for, the names
// of pull requests, the issues that a body says it fixes, and the findings of a
// review.
//
// It is pure: no forge, no repository, no clock. It never decides what becomes
// of an issue.
package pulls

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Conditions that callers test for with errors.Is.
var (
	// ErrNotFound: there is no such pull request.
	ErrNotFound = errors.New("no such pull request")
	// ErrExists: the head already has an open pull request.
	ErrExists = errors.New("already open")
	// ErrConflict: head and base cannot be merged by git alone.
	ErrConflict = errors.New("conflict")
	// ErrRed: a check failed.
	ErrRed = errors.New("checks are red")
	// ErrNotOpen: the pull request is merged or closed.
	ErrNotOpen = errors.New("not open")
	// ErrDraft: the pull request is a draft.
	ErrDraft = errors.New("a draft")
	// ErrUpToDate: the head has everything that the base has.
	ErrUpToDate = errors.New("already up to date")
	// ErrHeadMoved: the head is not where the caller saw it.
	ErrHeadMoved = errors.New("the head has moved")
	// ErrBranchGone: the head or the base is no branch any more.
	ErrBranchGone = errors.New("the branch is gone")
	// ErrCheckedOut: a worktree of this repository has the branch.
	ErrCheckedOut = errors.New("checked out")
)

// Name is how a pull request is written: `#3`.
func Name(number int) string { return "#" + strconv.Itoa(number) }

// ParseName reads `#3` or `3`.
func ParseName(s string) (int, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(s), "#"))
	if err != nil || n <= 0 || n > 1<<31-1 {
		return 0, fmt.Errorf("%.80q is no name of a pull request: write #3 or 3", s)
	}
	return n, nil
}

// fixesLine is a line that names issues: `Fixes DSP-3`, `Fixes: DSP-3, DSP-4`.
// refWord is one of them.
var (
	fixesLine = regexp.MustCompile(`(?i)^\s*(?:[-*+]\s+)?fixes:?\s+(.*)$`)
	refWord   = regexp.MustCompile(`^(?:[A-Za-z][A-Za-z0-9]*-[0-9]{1,9}|#[0-9]{1,9})$`)
)

// Fixes lists the issues that the `Fixes <REF>` lines of a body name,
// canonical and each once. Lines inside code fences say nothing.
func Fixes(body string) []board.Ref {
	var refs []board.Ref
	seen := map[board.Ref]bool{}
	fence := ""
	for line := range strings.Lines(body) {
		line = strings.TrimRight(line, "\r\n")
		if f := fenceMark(line); f != "" && (fence == "" || strings.HasPrefix(f, fence)) {
			if fence == "" {
				fence = f
			} else {
				fence = ""
			}
			continue
		}
		m := fixesLine.FindStringSubmatch(line)
		if fence != "" || m == nil {
			continue
		}
		for _, ref := range leadingRefs(m[1]) {
			if !seen[ref] {
				seen[ref] = true
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// leadingRefs reads refs, separated by commas, spaces or "and", up to the
// first other word.
func leadingRefs(s string) []board.Ref {
	var refs []board.Ref
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' }) {
		word = strings.TrimRight(word, ".;:)")
		if strings.EqualFold(word, "and") {
			continue
		}
		if !refWord.MatchString(word) {
			break
		}
		refs = append(refs, board.Ref(strings.ToUpper(word)))
	}
	return refs
}

// fenceMark is the run of backticks or tildes that opens or ends a code fence;
// empty for any other line.
func fenceMark(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
