package claude

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
)

// Program is the name by which Claude Code is found when no path is
// configured.
const Program = "claude"

// Options are what a run of Claude Code is started with.
type Options struct {
	Path     string     // program; default Program, found on the worker's PATH
	Kind     board.Kind // decides what it may do
	Model    string     // alias or full name; empty leaves the program's own
	Effort   string     // low to max; empty leaves the program's own
	Session  string     // UUID; unused so far unless Resume
	Resume   bool       // continue the session
	RoleFile string     // absolute path of the role text
	// SettingsFile is the absolute path of the run's settings, whose text is
	// Prepare makes: the owner's login may be among them.
	SettingsFile string
	// Allow and Deny are rules of the run's profile. A reviewer takes the denials
	// alone: it can change nothing, whatever is allowed.
	Allow, Deny []string
	// AskFor are rules of what is asked though it is allowed; a reviewer, who
	// never asks, is denied it.
	AskFor []string
	// Args are further arguments, before those that say what it may do.
	Args []string
	// MaxBudgetUSD ends the run when it has cost more; 0 is no limit.
	MaxBudgetUSD float64
	// Ask makes the program ask what its rules neither allow nor deny, and put
	// questions (EventAsk); else it is denied. A reviewer never asks.
	Ask bool
}

// Command is the argv for a run: headless, steerable through standard input,
// without a prompt, which is the first line that the supervisor writes
// (design.md, section 7; claude/README.md, section 3). Nothing secret is on it.
// It fails on a value that is not what its flag takes.
func Command(o Options) ([]string, error) {
	if err := check(o); err != nil {
		return nil, fmt.Errorf("command line of a %s: %w", o.Kind, err)
	}
	path := o.Path
	if path == "" {
		path = Program
	}
	argv := []string{
		path, "-p",
		"--input-format", "stream-json", "--output-format", "stream-json",
		"--replay-user-messages", "--verbose",
	}
	if o.Ask && o.Kind != board.KindReviewer {
		argv = append(argv, "--permission-prompt-tool", "stdio")
	} else {
		argv = append(argv, "--permission-prompts", "none") // what would ask is denied, and seen as denied
	}
	if o.Resume {
		argv = append(argv, "--resume", o.Session)
	} else {
		argv = append(argv, "--session-id", o.Session)
	}
	if o.Model != "" {
		argv = append(argv, "--model", o.Model)
	}
	if o.Effort != "" {
		argv = append(argv, "--effort", o.Effort)
	}
	if o.MaxBudgetUSD > 0 {
		argv = append(argv, "--max-budget-usd", strconv.FormatFloat(o.MaxBudgetUSD, 'f', -1, 64))
	}
	if o.Kind == board.KindReviewer {
		argv = append(argv, "--json-schema", verdictSchema)
	}
	argv = append(argv, o.Args...)
	argv = append(argv, "--append-system-prompt-file", o.RoleFile)
	return append(argv, permissions(o)...), nil
}

// verdictSchema asks a reviewer for its verdict as a value besides the text,
// which remains what counts (design.md, section 7, Reports). Its whole final
// message is a part of the answer: the turn ends with it.
const verdictSchema = `{"type":"object","properties":{` +
	`"report":{"type":"string","description":"your whole final message, which ends with the VERDICT line"},` +
	`"verdict":{"type":"string","enum":["PASS","CHANGES_REQUESTED","QUESTION"]}},` +
	`"required":["report","verdict"],"additionalProperties":false}`

// Interactive is the argv with which a person goes on in a run's session: the
// same model, role and permissions, and what they leave open is asked at the
// terminal.
func Interactive(o Options) ([]string, error) {
	if err := check(o); err != nil {
		return nil, fmt.Errorf("command line of a %s's session: %w", o.Kind, err)
	}
	path := o.Path
	if path == "" {
		path = Program
	}
	argv := []string{path, "--resume", o.Session}
	if o.Model != "" {
		argv = append(argv, "--model", o.Model)
	}
	if o.Effort != "" {
		argv = append(argv, "--effort", o.Effort)
	}
	argv = append(argv, o.Args...)
	argv = append(argv, "--append-system-prompt-file", o.RoleFile)
	return append(argv, permissions(o)...), nil
}

// permissions are the flags that say what a run may do: what its kind may, and
// what the profile adds. Flags that take several values stand between others:
// they swallow what follows.
func permissions(o Options) []string {
	if o.Kind != board.KindReviewer {
		argv := append([]string{"--allowedTools", "Bash"}, o.Allow...)
		return append(argv,
			"--disallowedTools", "EnterWorktree", "ExitWorktree", "EnterPlanMode", "ExitPlanMode", "CronCreate", "ScheduleWakeup",
			"--permission-mode", "acceptEdits",
			"--settings", o.SettingsFile,
		)
	}
	argv := append([]string{"--allowedTools"}, reviewerMay()...)
	return append(argv,
		"--tools", "Bash,Read,Grep,Glob",
		"--permission-mode", "dontAsk",
		"--setting-sources", "", // what the owner's files allow is no reviewer's (owner)
		"--settings", o.SettingsFile,
	)
}

// reviewerMay lists what a reviewer may run beyond what the program itself
// takes for a read: in the mode dontAsk it lets reading tools work inside the
// directory, and runs the reads of git and of the usual tools, with their
// options checked. A rule for such a command would switch that check off: with
// `git grep *` allowed, `git grep --open-files='touch x'` runs, since git takes
// abbreviated options that no pattern foresees. So fetching is allowed in its
// exact forms only.
func reviewerMay() []string {
	rules := []string{"Bash(git fetch)", "Bash(git fetch origin)", "Bash(git fetch -q origin)"}
	for _, c := range []string{
		"gh issue list", "gh issue view", "gh pr checks", "gh pr diff", "gh pr list", "gh pr status", "gh pr view",
		"gh run list", "gh run view",
		"dispatcher review", "dispatcher pulls", "dispatcher board",
	} {
		rules = append(rules, "Bash("+c+")", "Bash("+c+" *)")
	}
	return rules
}

// reviewerMayNot lists what stays out of reach inside the directory: keys, and
// a browser. A denial wins over every allowance.
func reviewerMayNot() []string {
	return []string{"Read(./.secrets/**)", "Read(//proc/**)", "Bash(gh * --web*)", "Bash(gh * -w*)"}
}

// check refuses what would be taken for another flag, or another file.
func check(o Options) error {
	switch o.Kind {
	case board.KindDeveloper, board.KindReviewer, board.KindCleaner:
	default:
		return fmt.Errorf("unknown kind of worker %q", o.Kind)
	}
	if _, err := uuid.Parse(o.Session); err != nil || len(o.Session) != len(uuid.Nil.String()) {
		return fmt.Errorf("session %q is not a UUID", o.Session)
	}
	for _, f := range []struct{ name, path string }{{"role", o.RoleFile}, {"settings", o.SettingsFile}} {
		if !filepath.IsAbs(f.path) {
			return fmt.Errorf("%s file %q is not an absolute path", f.name, f.path)
		}
	}
	for _, v := range []struct{ name, value string }{{"path", o.Path}, {"model", o.Model}, {"effort", o.Effort}} {
		if strings.HasPrefix(v.value, "-") || strings.ContainsAny(v.value, "\x00\n\r") {
			return fmt.Errorf("%s %q cannot stand on a command line", v.name, v.value)
		}
	}
	for _, rule := range slices.Concat(o.Allow, o.Deny, o.AskFor) {
		if strings.HasPrefix(rule, "-") || strings.ContainsAny(rule, "\x00\n\r") {
			return fmt.Errorf("rule %q cannot stand on a command line", rule)
		}
	}
	return CheckArgs(o.Args)
}
