package keymap

// Entry is one action with its keys: the one place where both are named. Key
// maps, the last line, help, the palette and docs/keys.md are made from it.
type Entry struct {
	Action Action
	Mode   Mode
	Group  string
	Keys   []string
	After  []string // letters that do it after g
	Does   string   // the same in every view
	Also   string   // words that people look for it by and Does has not; lower case
	Short  string   // the word on the last line
	Needs  Needed
	// Acts says that it changes something, or prepares to: such keys rest for a
	// moment after the row under them has gone.
	Acts bool
}

// The groups, in the order of help.
const (
	// GroupMoving is what only moves the cursor and the focus.
	GroupMoving  = "Moving"
	groupViews   = "Views"
	groupReading = "Reading"
	groupRow     = "The row"
	groupWorker  = "Its worker and its pull request"
	groupLoop    = "The loop and the room"
	groupField   = "In a field"
	groupMenu    = "In a menu"
)

// Defaults answers the table of screens.md, Keys.
func Defaults() []Entry {
	var out []Entry
	for _, g := range [][]Entry{moving(), views(), reading(), row(), worker(), loop()} {
		for _, e := range g {
			e.Mode = Browsing
			e.Also = also[e.Action]
			out = append(out, e)
		}
	}
	return append(append(out, field()...), menu()...)
}

// also are the words by which users of other tools look for an action.
var also = map[Action]string{
	Board: "kanban home issues", Workers: "agents runs", Needs: "inbox questions attention", Pulls: "prs reviews",
	Log: "history firings events", Money: "cost spend budget usage", Next: "plan preview dry-run", Find: "search filter grep",
	Layout: "grid list columns side by side", Follow: "tail", Answer: "reply allow deny approve retry try again resume",
	Why: "explain reason", Move: "state status column retry try again unhold resume", Claim: "assign mine", Release: "unassign unclaim",
	Dispatch: "start run work", Mark: "select check toggle", Create: "add create", Edit: "title description assign dependencies",
	Browse: "web url github linear", Copy: "yank clipboard", Undo: "revert back", Transcript: "logs output stream",
	Diff: "changes files patch", Steer: "message tell prompt", Interrupt: "pause halt", Stop: "kill cancel abort", TakeOver: "session claude resume",
	Merge: "approve accept land", Request: "reject send back review comment", Update: "rebase behind sync", Pause: "stop",
	Fire: "refresh reload poll sync", StopLoop: "end quit shutdown", Help: "keys shortcuts", Redraw: "repaint screen",
	Suspend: "background shell", Leave: "quit exit close detach",
}

func moving() []Entry {
	e := func(a Action, does string, keys ...string) Entry {
		return Entry{Action: a, Group: GroupMoving, Does: does, Short: does, Keys: keys}
	}
	first := e(First, "first", "home")
	first.After = []string{"g"}
	return []Entry{
		e(Up, "up", "up", "k"), e(Down, "down", "down", "j"),
		e(Left, "column or pane to the left", "left", "h"), e(Right, "column or pane to the right", "right", "l"),
		e(PageUp, "page up", "pgup"), e(PageDown, "page down", "pgdown"),
		e(HalfUp, "half page up", "ctrl+u"), e(HalfDown, "half page down", "ctrl+d"),
		first, e(Last, "last", "end", "G"),
		{Action: Open, Group: GroupMoving, Keys: []string{"enter"}, Does: "deeper: open, unfold, choose", Short: "open"},
		{Action: Back, Group: GroupMoving, Keys: []string{"esc"}, Does: "one step back; never leaves, never destroys", Short: "back"},
		{Action: NextPane, Group: GroupMoving, Keys: []string{"tab"}, Does: "next pane", Short: "next pane"},
		{Action: PrevPane, Group: GroupMoving, Keys: []string{"shift+tab"}, Does: "previous pane", Short: "previous pane"},
	}
}

func views() []Entry {
	e := func(a Action, does, short, key, after string) Entry {
		out := Entry{Action: a, Group: groupViews, Does: does, Short: short, After: []string{after}}
		if key != "" {
			out.Keys = []string{key}
		}
		return out
	}
	return []Entry{
		e(Board, "the board", "board", "1", "b"),
		e(Workers, "workers", "workers", "2", "w"),
		e(Needs, "what needs you", "needs you", "3", "n"),
		e(Pulls, "pull requests", "pull requests", "4", "p"),
		e(Log, "the log", "log", "5", "l"),
		{Action: Goto, Group: groupViews, Keys: []string{"g"}, Does: "go to: the next letter says where", Short: "go to"},
		e(Issue, "an issue by its ref", "issue", "", "i"),
		e(Money, "money: today, by issue, day and kind", "money", "", "m"),
		e(Next, "the next firing: what it would do", "next firing", "", "f"),
		{Action: NextNeed, Group: groupViews, Keys: []string{"!"}, Does: "next thing that needs you, the most urgent kind first", Short: "next"},
	}
}

func reading() []Entry {
	e := func(a Action, does, short string, keys ...string) Entry {
		return Entry{Action: a, Group: groupReading, Does: does, Short: short, Keys: keys}
	}
	return []Entry{
		e(Find, "find: a list keeps what matches, a text jumps", "find", "/", "ctrl+f"),
		e(NextMatch, "next match", "next match", "n"),
		e(PrevMatch, "previous match", "previous match", "N"),
		e(PrevPiece, "previous piece: tool call, file, comment, firing", "previous", ","),
		e(NextPiece, "next piece: tool call, file, comment, firing", "next", "."),
		e(NextError, "next error", "next error", "e"),
		e(Layout, "the view's other layout", "layout", "v"),
		e(Follow, "follow a growing text", "follow", "f"),
	}
}

func row() []Entry {
	e := func(a Action, does, short string, keys ...string) Entry {
		return Entry{Action: a, Group: groupRow, Does: does, Short: short, Keys: keys, Needs: NeedsIssue, Acts: true}
	}
	mark := e(Mark, "mark a row, tick a box, a file as seen, and step on", "mark", "space")
	mark.Needs = NeedsNothing
	answer := e(Answer, "answer what it asks", "answer", "a")
	answer.Needs = NeedsAsk
	create := e(Create, "new issue in Backlog", "new issue", "b")
	create.Needs = NeedsNothing
	why := e(Why, "why: every rule asked and its answer", "why", "w")
	why.Acts = false
	browse := e(Browse, "open in the browser", "browser", "o")
	browse.Acts = false
	copied := e(Copy, "copy: ref, branch, resume line, link or path; yy is the ref", "copy", "y")
	copied.Acts = false
	undo := e(Undo, "undo the last move, order, tick, hold, claim, pause, answer or request", "undo", "z", "u")
	undo.Needs = NeedsNothing
	return []Entry{
		answer, why,
		e(Move, "move, hold, clear the hold: a menu", "move", "m"),
		e(CarryDown, "carry the row down in its column", "carry down", "J"),
		e(CarryUp, "carry the row up in its column", "carry up", "K"),
		e(Claim, "claim: take it yourself", "take it", "c"),
		e(Release, "release", "release", "r"),
		e(Dispatch, "dispatch now", "dispatch", "D"),
		mark, create,
		e(Edit, "edit: text, labels, blockers, milestone", "edit", "E"),
		browse, copied, undo,
	}
}

func worker() []Entry {
	e := func(a Action, n Needed, acts bool, does, short, key string) Entry {
		return Entry{Action: a, Group: groupWorker, Does: does, Short: short, Keys: []string{key}, Needs: n, Acts: acts}
	}
	return []Entry{
		e(Transcript, NeedsRun, false, "transcript of its worker", "transcript", "t"),
		e(Diff, NeedsIssue, false, "diff of its pull request or worktree", "diff", "d"),
		e(Steer, NeedsLive, true, "steer the worker: say something to it", "steer", "s"),
		e(Interrupt, NeedsLive, true, "interrupt the worker: it stands still", "interrupt", "i"),
		e(Stop, NeedsLive, true, "stop the worker and hold the row", "stop", "x"),
		e(TakeOver, NeedsRun, true, "take over the session", "take over", "T"),
		e(Merge, NeedsPull, true, "merge the pull request", "merge", "M"),
		e(Request, NeedsPull, true, "request changes", "request changes", "R"),
		e(Update, NeedsPull, true, "update from main", "update", "U"),
	}
}

func loop() []Entry {
	e := func(a Action, does, short string, keys ...string) Entry {
		return Entry{Action: a, Group: groupLoop, Does: does, Short: short, Keys: keys}
	}
	return []Entry{
		e(Pause, "pause or resume the loop: nothing new starts, what runs goes on", "pause", "p"),
		e(Fire, "fire now", "fire now", "ctrl+r"),
		e(StopLoop, "stop the loop: drain or abort", "stop the loop", "X"),
		e(Palette, "palette: every action and every ref", "do", ":", "ctrl+p"),
		e(Help, "help", "help", "?", "f1"),
		e(Redraw, "redraw", "redraw", "ctrl+l"),
		e(Suspend, "suspend the screen", "suspend", "ctrl+z"),
		e(Leave, "leave", "leave", "q", "ctrl+c"),
	}
}

func field() []Entry {
	e := func(a Action, does string, keys ...string) Entry {
		return Entry{Action: a, Mode: Typing, Group: groupField, Does: does, Short: does, Keys: keys}
	}
	return []Entry{
		e(Send, "send", "enter"),
		e(NewLine, "new line", "ctrl+j", "alt+enter", "shift+enter"),
		e(Editor, "$EDITOR", "ctrl+g"),
		e(Keep, "keep and leave", "esc", "ctrl+c"),
		e(NextField, "next", "tab", "down"),
		e(Palette, "palette", "ctrl+p"),
		e(Help, "help", "f1"),
	}
}

func menu() []Entry {
	e := func(a Action, does string, keys ...string) Entry {
		return Entry{Action: a, Mode: Choosing, Group: groupMenu, Does: does, Short: does, Keys: keys}
	}
	return []Entry{
		e(Choose, "choose; a digit chooses at once", "enter"),
		e(MenuUp, "up", "up", "k"),
		e(MenuDown, "down", "down", "j"),
		e(Cancel, "back", "esc"),
		e(Yes, "yes, in a confirmation", "y"),
		e(No, "no, in a confirmation", "n"),
	}
}
