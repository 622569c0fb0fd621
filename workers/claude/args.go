package claude

import (
	"fmt"
	"slices"
	"strings"
)

// owned are the flags that decide how a run is watched, what it may do and what
// it may cost; each has a place of its own in the configuration, or none.
var owned = []string{
	"-p", "--print", "--input-format", "--output-format", "--verbose", "--replay-user-messages", "--include-partial-messages",
	"--session-id", "--resume", "-r", "--continue", "-c", "--fork-session", "--no-session-persistence", "--from-pr",
	"--permission-mode", "--permission-prompts", "--permission-prompt-tool", "--dangerously-skip-permissions", "--allow-dangerously-skip-permissions",
	"--allowedTools", "--allowed-tools", "--disallowedTools", "--disallowed-tools", "--tools", "--settings",
	"--setting-sources", "--managed-settings", "--managed-settings-in-initialize", "--restricted",
	"--model", "--effort", "--max-budget-usd", "--append-system-prompt", "--append-system-prompt-file", "--system-prompt", "--system-prompt-file",
	"--json-schema", "--bg", "--background", "--worktree", "-w", "--tmux", "--ide", "--help", "-h", "--version", "-v",
}

// CheckArgs refuses further arguments that would take the place of ours: a
// prompt, a mode that asks nobody, another session.
func CheckArgs(args []string) error {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		switch {
		case a == "--":
			return fmt.Errorf("argument %q would begin a prompt", a)
		case slices.Contains(owned, name):
			return fmt.Errorf("argument %q is set by dispatcher", name)
		case strings.ContainsAny(a, "\x00\n\r"):
			return fmt.Errorf("argument %q cannot stand on a command line", a)
		}
	}
	return nil
}
