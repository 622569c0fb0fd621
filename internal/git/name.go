package git

import (
	"fmt"
	"strings"
)

// maxNameBytes keeps a branch name well below the 255 bytes that file systems
// allow one part of a path.
const maxNameBytes = 200

// ValidBranch checks a branch name from outside before it becomes a ref, a
// path or an argument. It is stricter than `git check-ref-format --branch`:
// whatever it accepts git accepts.
func ValidBranch(name string) error {
	bad := func(why string) error { return fmt.Errorf("branch name %.80q: %w: %s", name, ErrInvalidName, why) }
	switch {
	case name == "":
		return bad("it is empty")
	case len(name) > maxNameBytes:
		return bad(fmt.Sprintf("it is longer than %d bytes", maxNameBytes))
	case name == "HEAD" || strings.HasPrefix(name, "-"):
		return bad("it would mean something else to git")
	case strings.HasPrefix(name, "refs/"):
		return bad("leave out refs/heads/")
	}
	for _, r := range name {
		if r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) || r == '\uFFFD' {
			return bad(fmt.Sprintf("it may not contain %q", r))
		}
	}
	for _, s := range []string{"..", "@{"} {
		if strings.Contains(name, s) {
			return bad(fmt.Sprintf("it may not contain %q", s))
		}
	}
	if name == "@" || strings.HasSuffix(name, ".") {
		return bad("it may not be @ or end with a dot")
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return bad("no part of it may be empty, begin with a dot or end with .lock")
		}
	}
	return nil
}

// ValidCommit checks a commit id from outside: 7 to 64 hexadecimal digits.
func ValidCommit(id string) error {
	if len(id) < 7 || len(id) > 64 || strings.Trim(id, "0123456789abcdefABCDEF") != "" {
		return fmt.Errorf("commit %.80q: %w: 7 to 64 hexadecimal digits are expected", id, ErrInvalidName)
	}
	return nil
}
