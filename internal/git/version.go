package git

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
)

// Version is a version of git.
type Version struct{ Major, Minor, Patch int }

// minimum is the first version with `merge-tree --write-tree` (design.md,
// section 9).
var minimum = Version{Major: 2, Minor: 38}

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

func (v Version) less(o Version) bool {
	if v.Major != o.Major {
		return v.Major < o.Major
	}
	if v.Minor != o.Minor {
		return v.Minor < o.Minor
	}
	return v.Patch < o.Patch
}

// versionText is what `git version` prints, vendors' suffixes included.
var versionText = regexp.MustCompile(`git version (\d+)\.(\d+)(?:\.(\d+))?`)

// Check makes sure that there is a git that is new enough: ErrMissing or
// ErrTooOld otherwise. Only a good answer is remembered, so that a person who
// installs git need not restart the program.
func (g *Git) Check(ctx context.Context) error {
	_, err := g.Version(ctx)
	return err
}

// Version is the version of git in use.
func (g *Git) Version(ctx context.Context) (Version, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.version != (Version{}) {
		return g.version, nil
	}
	out, err := g.raw(ctx, call{args: []string{"version"}})
	if err != nil {
		return Version{}, fmt.Errorf("ask git for its version: %w", err)
	}
	m := versionText.FindSubmatch(out)
	if m == nil {
		return Version{}, fmt.Errorf("ask git for its version: it answers %.80q", out)
	}
	var v Version
	v.Major, _ = strconv.Atoi(string(m[1]))
	v.Minor, _ = strconv.Atoi(string(m[2]))
	v.Patch, _ = strconv.Atoi(string(m[3]))
	if v.less(minimum) {
		return Version{}, fmt.Errorf("git %s: %w", v, ErrTooOld)
	}
	g.version = v
	return v, nil
}
