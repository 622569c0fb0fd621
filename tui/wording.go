package tui

import (
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/present"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// wording is how the room speaks of one kind of command, from the key press to
// the answer. In texts {ref}, {pull}, {role} and {ticked} stand for what the
// command names, in many also {n} for how many rows and {are} for is or are.
type wording struct {
	verb string // in "could not … ACM-12"
	// busy stands on the row while it is under way; empty shows nothing. done
	// says whether a picture shows it to be true; nil ends with the answer.
	busy string
	done func(s *state.Snapshot, c *state.Command) bool
	// said is what is said once it is taken, where the loop has no words of its
	// own; empty says nothing, since the picture shows it.
	said string
	tone themes.Tone
	many string // the same of several rows
}

// row is a done that looks at the command's row. One that has left the picture
// shows nothing to wait for.
func row(is func(r *state.Row, c *state.Command) bool) func(*state.Snapshot, *state.Command) bool {
	return func(s *state.Snapshot, c *state.Command) bool {
		r := present.RowOf(s, c.Ref)
		return r == nil || is(r, c)
	}
}

// worker is a done that looks at the last worker on the command's row.
func worker(is func(w *state.Worker) bool) func(*state.Snapshot, *state.Command) bool {
	return func(s *state.Snapshot, c *state.Command) bool {
		w := present.LastWorker(s, c.Ref)
		return w == nil || is(w)
	}
}

// wordings has a row for each kind of command.
var wordings = map[state.CommandKind]wording{
	state.CommandFire:   {verb: "fire", said: "firing now", tone: themes.ToneAlive},
	state.CommandPause:  {verb: "pause", said: "paused: nothing new starts, what runs goes on; p resumes", tone: themes.ToneWarn},
	state.CommandResume: {verb: "resume", said: "resumed", tone: themes.ToneAlive},
	state.CommandDrain:  {verb: "drain"},
	state.CommandAbort:  {verb: "abort"},
	state.CommandLeave:  {verb: "leave"},
	state.CommandAck:    {verb: "forget a notice"},
	state.CommandTouch:  {verb: "touch"},

	state.CommandAnswer: {
		verb: "send the answer to", said: "{ref} answered; the row moves on by itself", tone: themes.ToneGood,
		busy: "answering", done: row(func(r *state.Row, _ *state.Command) bool { return r.Issue.Role != board.RoleQuestion }),
	},
	state.CommandHold: {
		verb: "hold", said: "{ref} is held for you", tone: themes.ToneWarn,
		busy: "holding", done: row(func(r *state.Row, _ *state.Command) bool { return r.Hold == "held" }),
	},
	state.CommandUnhold: {
		verb: "clear the hold of", said: "{ref} may go on", tone: themes.ToneAlive,
		busy: "clearing the hold", done: row(func(r *state.Row, _ *state.Command) bool { return r.Hold != "held" }),
	},
	state.CommandRetry: {
		verb: "try again", said: "{ref} is tried again", tone: themes.ToneAlive,
		busy: "trying again", done: row(func(r *state.Row, _ *state.Command) bool { return r.Hold != "attention" }),
	},
	state.CommandStop: {
		verb: "stop", said: "stopping the worker on {ref}; the row is held", tone: themes.ToneWarn,
		busy: "stopping", done: row(func(r *state.Row, _ *state.Command) bool { return r.Run == "" }),
	},

	state.CommandSteer: {verb: "steer", said: "sent; it is read when the tool that runs is done", tone: themes.ToneGood},
	state.CommandInterrupt: {
		verb: "interrupt", said: "interrupted: it stands still until s gives it a word or x stops it", tone: themes.ToneWarn,
		busy: "interrupting", done: worker(func(w *state.Worker) bool { return w.Waiting || !w.Run.Alive() }),
	},
	state.CommandTakeOver: {
		verb: "take over", said: "{ref} is yours now; the loop waits", tone: themes.ToneWarn,
		busy: "taking over", done: worker(func(w *state.Worker) bool { return w.TakenOver }),
	},
	state.CommandHandBack: {verb: "hand back", said: "{ref} goes back to the loop", tone: themes.ToneAlive},
	state.CommandAllow:    {verb: "allow", said: "allowed", tone: themes.ToneGood},
	state.CommandDeny:     {verb: "deny", said: "denied", tone: themes.ToneWarn},
	state.CommandReply:    {verb: "answer", said: "answered", tone: themes.ToneGood},

	state.CommandMove: {
		verb: "move", said: "{ref} → {role}", tone: themes.ToneGood, many: "{n} → {role}",
		busy: "moving", done: row(func(r *state.Row, c *state.Command) bool { return r.Issue.Role == c.Role }),
	},
	state.CommandOrder:   {verb: "carry", said: "{ref} carried", tone: themes.ToneGood, busy: "carrying"},
	state.CommandTick:    {verb: "tick", said: "{ticked}", tone: themes.ToneGood},
	state.CommandLabel:   {verb: "label", said: "{ref}: done", tone: themes.ToneGood},
	state.CommandComment: {verb: "comment on", said: "{ref}: done", tone: themes.ToneGood},
	state.CommandClaim: {
		verb: "take", said: "{ref} is yours", tone: themes.ToneGood, many: "{n} {are} yours; no agent works on them until you release them",
		busy: "taking it", done: row(func(r *state.Row, _ *state.Command) bool { return r.Issue.HumanOwned() }),
	},
	state.CommandRelease: {
		verb: "release", said: "{ref} is released", tone: themes.ToneGood, many: "{n} {are} released",
		busy: "releasing", done: row(func(r *state.Row, _ *state.Command) bool { return r.Issue.Claim == nil && !r.Issue.HumanOwned() }),
	},
	state.CommandDispatch: {
		verb: "dispatch", said: "{ref} is worked next", tone: themes.ToneAlive,
		busy: "dispatching", done: row(func(r *state.Row, _ *state.Command) bool { return r.Run != "" }),
	},
	state.CommandCreate: {verb: "create the issue", said: "a new issue is in Backlog", tone: themes.ToneGood},
	state.CommandEdit:   {verb: "edit", said: "{ref} is saved", tone: themes.ToneGood, busy: "saving"},
	state.CommandUndo:   {verb: "undo", said: "taken back", tone: themes.ToneGood},

	state.CommandMerge: {
		verb: "merge", said: "{pull} is merged", tone: themes.ToneGood,
		busy: "merging", done: func(s *state.Snapshot, c *state.Command) bool { return present.PullOf(s, c.Ref) == nil },
	},
	state.CommandRequest: {
		verb: "request changes on", said: "{pull} is sent back", tone: themes.ToneGood,
		busy: "sending back", done: row(func(r *state.Row, _ *state.Command) bool { return r.Issue.Role == board.RoleChangesRequested }),
	},
	state.CommandUpdatePR: {verb: "update", said: "{pull} is brought up to date", tone: themes.ToneGood, busy: "updating"},
}

// worded puts what a command names into a text of the table.
func worded(text string, c *state.Command) string {
	ref := widget.Clean(string(c.Ref))
	ticked := "ticked"
	if c.Off {
		ticked = "cleared"
	}
	return strings.NewReplacer("{ref}", ref, "{pull}", firstOf(widget.Clean(c.PR), ref), "{role}", c.Role.DefaultName(), "{ticked}", ticked).Replace(text)
}

// wordedMany is the same for n rows of which c is the first.
func wordedMany(c *state.Command, n int) string {
	text, are := firstOf(wordings[c.Kind].many, "{n} {are} done"), "are"
	if n == 1 {
		are = "is"
	}
	return worded(strings.NewReplacer("{n}", widget.Count(n, "row", "rows"), "{are}", are).Replace(text), c)
}
