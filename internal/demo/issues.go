package demo

import (
	"context"
	"fmt"
	"strings"
)

// issue is one row of the demo's board.
type issue struct {
	ref     string // what the board must call it
	title   string
	body    string
	ready   bool // else it stays in Backlog
	label   string
	blocker string
}

// The refs that have a part of their own.
const (
	refCount  = "DSP-1" // passes at once
	refDue    = "DSP-2" // asks a question
	refUndo   = "DSP-3" // is sent back by the reviewer
	refPrompt = "DSP-4" // waits for refCount's pull request
	refPurge  = "DSP-5" // wants the owner's word first
	refSort   = "DSP-6" // fails twice
	refCopy   = "DSP-7" // is in Backlog
)

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
}

// makeBoard fills the board with our own command line, as an owner would.
func (d *Demo) makeBoard(ctx context.Context) error {
	for _, i := range issues {
		role := "backlog"
		if i.ready {
			role = "ready"
		}
		args := []string{"board", "create", "--milestone", Milestone, "--state", role, "--body", i.body}
		if i.label != "" {
			args = append(args, "--label", i.label)
		}
		if i.blocker != "" {
			args = append(args, "--blocked-by", i.blocker)
		}
		out, err := d.run(ctx, d.Repo, append(args, i.title)...)
		if err != nil {
			return fmt.Errorf("fill the board: %w", err)
		}
		if !strings.Contains(out, i.ref) {
			return fmt.Errorf("fill the board: expected %s, the board answered %q", i.ref, strings.TrimSpace(out))
		}
	}
	return nil
}
