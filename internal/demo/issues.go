package demo

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
)

// issue is one row of the demo's board.
type issue struct {
	ref     string // what the board must call it
	title   string
	body    string
	ready   bool // else it stays in Backlog
	pull    pull // opened before the demo begins: it waits in Human Review
	left    bool // In Progress, claimed by a session that vanished
	label   string
	blocker string
}

// The refs that have a part of their own.
const (
	refCount  = "DSP-1"  // passes at once
	refDue    = "DSP-2"  // asks a question
	refUndo   = "DSP-3"  // is sent back by the reviewer
	refPrompt = "DSP-4"  // waits for refCount's pull request
	refPurge  = "DSP-5"  // wants the owner's word first
	refSort   = "DSP-6"  // fails twice
	refCopy   = "DSP-7"  // is in Backlog
	refHelp   = "DSP-8"  // has a pull request that conflicts with main
	refBackup = "DSP-9"  // has one that is behind main
	refPlain  = "DSP-10" // was left behind by another session
)

// The session that left an issue behind, and how long ago it last stamped its
// claim: longer than any claim stays fresh.
const (
	goneSession = "0f0e0d0c-0b0a-4908-8706-050403020100"
	goneSince   = 2 * time.Hour
)

// pull is a pull request that the demo begins with.
type pull struct{ branch, title, body string }

const confirmLabel = "Confirm with user"

var issues = []issue{
	{ref: refCount, ready: true, title: "`todo count`: say how many things are open", body: `I keep counting lines by hand before the Monday meeting.

- [ ] ` + "`todo count`" + ` prints the number of open items and nothing else
- [ ] an empty or missing list is 0
- [ ] a page in docs/
`},
	{ref: refDue, ready: true, title: "Due dates: show what should have been done by now", body: `Some things have a date. I want to see the ones that are late, the oldest first.

- [ ] an item can carry a due date
- [ ] ` + "`todo due`" + ` lists what is due today or before
- [ ] the page in docs/ says how dates are written

I have not made up my mind how the date should look in the file.
`},
	{ref: refUndo, ready: true, title: "`todo undo`: I crossed off the wrong line again", body: `Taking the last change back would save me an editor session a week.

- [ ] ` + "`todo undo`" + ` takes the last add or done back
- [ ] nothing is ever lost by it
- [ ] tests for both
`},
	{ref: refPrompt, ready: true, blocker: refCount, title: "Open items in the shell prompt", body: `A ` + "`[3]`" + ` in front of the prompt while three things are open. Needs ` + "`todo count`" + ` to be in first.

- [ ] ` + "`todo prompt`" + ` prints ` + "`[n]`" + `, and nothing when the list is done
- [ ] docs/ shows the line for PS1
`},
	{ref: refPurge, ready: true, label: confirmLabel, title: "`todo purge`: remove finished things for good", body: `Deletes data, so ask me before anybody starts. I may want an archive file instead.

- [ ] finished items are gone, open ones stay in their order
- [ ] a missing list is no error
`},
	{ref: refSort, ready: true, title: "Käse, Öl & Äpfel 🧀: sort the list the way people look for things", body: `Äpfel belongs beside the A, not behind Z. Emoji may come last.

- [ ] ` + "`todo sort`" + ` shows open items in alphabetical order
- [ ] umlauts stand beside their vowels, ß counts as ss
- [ ] the file itself keeps its order
`},
	{ref: refCopy, title: "Take the list along on a stick: `todo copy`", body: `Not before the autumn holidays.

- [ ] writes the list to the file I name
- [ ] never over something that is there
`},
	{
		ref: refHelp, title: "`todo help` should say which file the list is", body: `I have two machines with different files and never know which one I am looking at.

- [x] ` + "`todo help`" + ` names the file
- [x] a test
`,
		pull: pull{
			branchHelp, "Let todo help say where the list is",
			"`todo help` begins with the name of the file that it works on.",
		},
	},
	{
		ref: refBackup, title: "Say in the docs how to keep a copy of the list", body: `- [x] a page in docs/, three lines will do
`,
		pull: pull{branchBackup, "Say how to keep a copy", "A page in `docs/` shows how to copy the list and how to put it back."},
	},
	{ref: refPlain, left: true, title: "Write down why the list is a plain text file", body: `People ask for a database. Say why there is none.

- [ ] a short page that says so
`},
}

// ref is what the demo's board calls an issue.
func (d *Demo) ref(ref string) string {
	if d.Platform == config.PlatformGitHub {
		return "#" + strings.TrimPrefix(ref, "DSP-")
	}
	return ref
}

// makeBoard fills the board as an owner would: with our own command line, or on
// Linear's own pages.
func (d *Demo) makeBoard(ctx context.Context) error {
	for n := range issues {
		i := &issues[n]
		out, err := d.makeIssue(ctx, i)
		if err != nil {
			return fmt.Errorf("fill the board: %w", err)
		}
		ref := d.ref(i.ref)
		if !strings.Contains(out, ref) {
			return fmt.Errorf("fill the board: expected %s, the board answered %q", ref, strings.TrimSpace(out))
		}
		if !i.left {
			continue
		}
		if _, err := d.before(ctx, d.Repo, "board", "claim", ref, "dev", "--session", goneSession); err != nil {
			return fmt.Errorf("leave %s behind: %w", ref, err)
		}
	}
	return nil
}

// role is where an issue stands when the demo begins.
func (i *issue) role() board.Role {
	switch {
	case i.ready:
		return board.RoleReady
	case i.pull.branch != "":
		return board.RoleHumanReview
	case i.left:
		return board.RoleInProgress
	}
	return board.RoleBacklog
}

// makeIssue writes one issue and answers what the board calls it.
func (d *Demo) makeIssue(ctx context.Context, i *issue) (string, error) {
	switch d.Platform {
	case config.PlatformLinear:
		return d.makeLinearIssue(i, i.role())
	case config.PlatformGitHub:
		return d.makeGitHubIssue(i)
	case config.PlatformNative:
	}
	args := []string{"board", "create", "--milestone", Milestone, "--state", i.role().Word(), "--body", i.body}
	if i.label != "" {
		args = append(args, "--label", i.label)
	}
	if i.blocker != "" {
		args = append(args, "--blocked-by", i.blocker)
	}
	return d.run(ctx, d.Repo, append(args, i.title)...)
}

// openPulls opens the pull requests that wait when the demo begins: main has
// gone on since they were written.
func (d *Demo) openPulls(ctx context.Context) error {
	for _, i := range issues {
		if i.pull.branch == "" {
			continue
		}
		ref := d.ref(i.ref)
		body := i.pull.body + "\n\nFixes " + ref + "\n"
		out, err := d.run(ctx, d.Repo, "pr", "--head", i.pull.branch, "--title", i.pull.title, "--body", body)
		if err != nil {
			return fmt.Errorf("open the pull request of %s: %w", ref, err)
		}
		if !pullName.MatchString(out) {
			return fmt.Errorf("open the pull request of %s: no number in %q", ref, strings.TrimSpace(out))
		}
		if d.Platform == config.PlatformGitHub {
			continue // linked by its text
		}
		if _, err := d.run(ctx, d.Repo, "board", "link-pr", ref, pullName.FindString(out)); err != nil {
			return fmt.Errorf("link the pull request of %s: %w", ref, err)
		}
	}
	return nil
}

// pullName is how our command line writes the pull request that it opened: by
// its name, or by its page.
var pullName = regexp.MustCompile(`#[0-9]+|/pull/[0-9]+`)
