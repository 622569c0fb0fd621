package state

import (
	"fmt"
	"strings"
)

// uses says which fields of a command count, by kind: a required one ends in
// an exclamation mark. Of fields joined by a bar exactly one is required, of fields
// joined by a plus at least one.
var uses = map[CommandKind]string{
	CommandFire: "", CommandPause: "", CommandResume: "", CommandDrain: "", CommandAbort: "", CommandLeave: "",
	CommandAnswer: "ref! text!",
	CommandAck:    "id!",
	CommandHold:   "ref! text", CommandUnhold: "ref! text", CommandRetry: "ref! text", CommandStop: "ref! text",

	CommandSteer: "ref+run text!", CommandInterrupt: "ref+run", CommandTakeOver: "ref+run", CommandHandBack: "ref+run",
	CommandAllow: "request+ref+run always", CommandDeny: "request+ref+run text", CommandReply: "request+ref+run answers!",

	CommandMove:     "ref! role! from",
	CommandOrder:    "ref! before|after|top",
	CommandTick:     "ref! n! off text",
	CommandLabel:    "ref! text! off",
	CommandComment:  "ref! text!",
	CommandClaim:    "ref!",
	CommandRelease:  "ref!",
	CommandDispatch: "ref!",
	CommandCreate:   "issue!",
	CommandEdit:     "ref! issue! was",
	CommandUndo:     "id",
	CommandTouch:    "ref!",
	CommandMerge:    "pr! ref head force",
	CommandRequest:  "pr! ref text! head findings",
	CommandUpdatePR: "pr! ref head",
}

// CommandKinds lists every command that a loop understands.
func CommandKinds() []CommandKind {
	out := make([]CommandKind, 0, len(uses))
	for k := range uses {
		out = append(out, k)
	}
	return out
}

// given names the fields of a command that hold something.
func (c *Command) given() []string {
	var out []string
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"ref", c.Ref != ""},
		{"text", strings.TrimSpace(c.Text) != ""},
		{"id", c.ID != 0},
		{"run", c.Run != ""},
		{"request", c.Request != ""},
		{"always", c.Always},
		{"answers", len(c.Answers) > 0},
		{"role", c.Role != ""},
		{"from", c.From != ""},
		{"before", c.Before != ""},
		{"after", c.After != ""},
		{"top", c.Top},
		{"n", c.N != 0},
		{"off", c.Off},
		{"force", c.Force},
		{"pr", c.PR != ""},
		{"head", c.Head != ""},
		{"findings", len(c.Findings) > 0},
		{"issue", c.Issue != nil},
		{"was", c.Issue != nil && c.Issue.Was != nil},
	} {
		if f.set {
			out = append(out, f.name)
		}
	}
	return out
}

// Check refuses a command of no known kind, one without a field that it needs,
// and one with a field that is not its own: what was meant by that is not for
// the loop to guess.
func (c *Command) Check() error {
	spec, known := uses[c.Kind]
	if !known {
		return fmt.Errorf("the loop knows no command %q", c.Kind)
	}
	given := map[string]bool{}
	for _, name := range c.given() {
		given[name] = true
	}
	for field := range strings.FieldsSeq(spec) {
		if err := c.take(field, given); err != nil {
			return err
		}
	}
	for _, name := range c.given() {
		if given[name] {
			return fmt.Errorf("%s takes no %s", c.Kind, name)
		}
	}
	return nil
}

// take holds one entry of the table against the fields that are given, and
// takes those that it allows out of them.
func (c *Command) take(field string, given map[string]bool) error {
	name, required := strings.CutSuffix(field, "!")
	names := strings.FieldsFunc(name, func(r rune) bool { return r == '|' || r == '+' })
	found := 0
	for _, n := range names {
		if given[n] {
			found++
			delete(given, n)
		}
	}
	switch {
	case strings.Contains(name, "+") && found == 0:
		return fmt.Errorf("%s needs one of %s", c.Kind, strings.Join(names, ", "))
	case strings.Contains(name, "|") && found != 1:
		return fmt.Errorf("%s takes exactly one of %s", c.Kind, strings.Join(names, ", "))
	case required && found == 0:
		return fmt.Errorf("%s needs %s", c.Kind, article(name))
	}
	return nil
}

// article is a field as a sentence names it.
func article(name string) string {
	switch name {
	case "answers":
		return "answers, one for each question"
	case "text":
		return "a text"
	case "ref", "issue":
		return "an issue"
	case "n":
		return "the number of a box, from 1"
	case "id":
		return "an id"
	case "pr":
		return "a pull request"
	}
	return "a " + name
}
