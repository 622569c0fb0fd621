package demo

import "github.com/backside4charter/dispatcher/workers/script"

func countJob() job {
	return job{
		work: "count", hello: "A counting command: small, and others will build on it.",
		think:    "`list` prints one open item a line, so counting its lines is enough, and the two can never disagree.",
		commit:   "Count what is open",
		pr:       "Add todo count",
		summary:  "`todo count` prints how many items are open. It counts the lines of `todo list`, so that the two can't disagree.",
		verify:   "    TODO_FILE=/tmp/t sh todo add one\n    TODO_FILE=/tmp/t sh todo count",
		followUp: "The README could name `todo count`; that was not asked for here.",
	}
}

func dueJob() job {
	return job{
		work: "due", hello: "The question is answered, so I can go on: {{answer}}",
		think:    "With that date format text order is date order, so `sort` is all that is needed.",
		commit:   "List what is due",
		pr:       "Add todo due",
		summary:  "`todo due` lists what is due today or before, the oldest first. How dates are written is as the owner decided: {{answer}}",
		verify:   "    TODO_FILE=/tmp/t sh todo add \"post the parcel due:2026-10-01\"\n    TODO_FILE=/tmp/t sh todo due",
		followUp: "`todo add` could refuse a date that does not exist.",
	}
}

func undoJob() job {
	return job{
		work: "undo-first", hello: "Undo: keep the list as it was before each change.",
		think:   "`add` and `done` each copy the list before they change it; `undo` puts the copy back.",
		commit:  "Take the last change back",
		pr:      "Add todo undo",
		summary: "`todo add` and `todo done` keep the list as it was, `todo undo` puts it back.",
		verify:  "    sh test/run.sh",
		before:  askToTry(),
	}
}

// askToTry asks the owner for something that the work does not need: it goes
// on whatever the answer is.
func askToTry() []script.Step {
	return []script.Step{
		say("This touches every command, so I should like to try how a release of it would be pushed. A dry run only, but tags are the owner's: I ask."),
		{Run: []string{"git", "push", "--dry-run", "origin", "HEAD:refs/tags/v0.4.0"}, MayFail: true},
		say("Nothing was released either way; the work goes on."),
	}
}

func promptJob() job {
	return job{
		work: "prompt", hello: "`todo count` is merged, so the prompt can use it.",
		think:   "The prompt asks `todo count` and stays silent at 0.",
		commit:  "Show in the prompt what is open",
		pr:      "Add todo prompt",
		summary: "`todo prompt` prints `[3]` while three items are open, and nothing when the list is done.",
		verify:  "    TODO_FILE=/tmp/t sh todo prompt",
	}
}

func purgeJob() job {
	return job{
		work: "purge", hello: "The owner let this one go, so finished items may be removed for good.",
		think:   "Write a new file beside the list and put it in its place, so that a full disk loses nothing.",
		commit:  "Remove what is done for good",
		pr:      "Add todo purge",
		summary: "`todo purge` removes finished items. Open ones keep their order, their numbers move up.",
		verify:  "    sh test/run.sh",
	}
}

func sortJob() job {
	return job{
		work: "sort", hello: "Another try at the sort order, without relying on the machine's locale.",
		think:   "The locale decided where Äpfel went. A key of plain letters beside each line makes it the same everywhere.",
		commit:  "Sort umlauts beside their vowels",
		pr:      "Add todo sort",
		summary: "`todo sort` shows open items in alphabetical order, Äpfel with the A, emoji last, the same on every machine.",
		verify:  "    sh test/run.sh",
	}
}

func copyJob() job {
	return job{
		work: "copy", hello: "Copying the list is quick work, the care is in not writing over anything.",
		think:   "Refuse a name that is taken instead of asking: scripts may call it.",
		commit:  "Copy the list, never over something",
		pr:      "Add todo copy",
		summary: "`todo copy <file>` writes the list to another place and refuses a file that is there already.",
		verify:  "    sh test/run.sh",
	}
}

func push() script.Step { return run("git", "push", "--quiet", "--set-upstream", "origin", "HEAD") }

// askDue parks the issue with a question that only the owner can answer.
func askDue() []script.Step {
	const question = `How should a due date look in the file? The issue leaves it open, and people's files depend on it afterwards.

1. ` + "`due:2026-12-24`" + `: sorts as text, the same everywhere, longer to type
2. ` + "`due:24.12.`" + `: as we say it, but has no year and does not sort
3. ` + "`due:+3d`" + `: quick to type, means something else tomorrow

I recommend 1.
`
	steps := []script.Step{
		say("I am a scripted agent: no model is asked, everything I do is real. First I look at the format of the file."),
		pause(700),
		run("git", "grep", "-n", "-i", "item", "--", "docs/format.md"),
		pause(900),
		think("Nothing says how a date is written, and whatever I choose will be in everybody's files. That is the owner's decision."),
		pause(1200),
		say("What is settled goes on the branch, so that it is there when the answer comes."),
	}
	steps = append(steps, writeAll("due-first")...)
	steps = append(steps, commitAll("due-first", "Say what a due date is for")...)
	return append(steps,
		push(),
		script.Step{
			When:  []string{"!asked"},
			Run:   []string{"dispatcher", "board", "comment", "{{ref}}", "--as", "developer", "--body-file", "{{tmp}}/question.md"},
			Files: map[string]string{"question.md": question},
		},
		pause(300),
		run("dispatcher", "board", "state", "{{ref}}", "question"),
		run("dispatcher", "board", "release", "{{ref}}"),
		script.Step{Final: "I asked how due dates are written and parked the issue. What is settled is committed on {{branch}} and pushed; there is no pull request yet.\n\nSTATUS: INCOMPLETE"},
	)
}

// fixUndo answers the reviewer's finding.
func fixUndo() []script.Step { return writeAll("undo") }

// crashSort dies in the middle of its work, as agents do.
func crashSort() []script.Step {
	steps := []script.Step{
		say("I am a scripted agent: no model is asked, everything I do is real. Sorting: the shell's own sort should do."),
		pause(900),
		write(pieces("sort-first")[0]),
		pause(1500),
	}
	return append(steps, script.Step{Crash: "scripted agent: pretending that the agent process dies in the middle of {{ref}}"})
}

// giveUpSort tries honestly and fails.
func giveUpSort() []script.Step {
	steps := []script.Step{
		say("Going on where the last run of {{ref}} stopped."),
		pause(700),
	}
	steps = append(steps, writeAll("sort-first")...)
	steps = append(steps,
		say("Now the tests."),
		script.Step{Run: testCommand(), MayFail: true},
		pause(900),
		think("Where Äpfel lands depends on the machine's locale. I have no better idea."),
		pause(600),
	)
	steps = append(steps, commitAll("sort-first", "Sort as the shell does; umlauts are not right yet")...)
	return append(steps,
		push(),
		script.Step{Final: "The order depends on the machine's locale: the test for Äpfel fails, and I do not know how the owner wants it solved. As far as I came it is on {{branch}}; there is no pull request.\n\nSTATUS: INCOMPLETE"},
	)
}
