package demo

import (
	"path"
	"slices"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers/script"
)

// agents is the script of the demo. Every try can be played again on work that
// is half done: files are written whole, commits are made only of what is
// staged, the pull request is opened only where there is none.
func (d *Demo) agents() *script.File {
	f := &script.File{
		Version: script.Version, TurnCostUSD: 0.004,
		Default: script.Kinds{
			board.KindDeveloper: {reworkTry(nil), noteTry()},
			board.KindReviewer:  {passTry()},
			board.KindCleaner:   {mergeTry()},
		},
		Issues: map[string]script.Kinds{
			refCount: {board.KindDeveloper: {reworkTry(nil), {Name: "build", Steps: build(countJob())}}},
			refDue: {board.KindDeveloper: {
				reworkTry(nil),
				{Name: "build as answered", When: []string{"answered"}, Steps: build(dueJob())},
				{Name: "ask", Steps: askDue()},
			}},
			refUndo: {
				board.KindDeveloper: {reworkTry(fixUndo()), {Name: "build", Steps: build(undoJob())}},
				board.KindReviewer:  {secondLookTry(), {Name: "send back", Steps: sendBackUndo()}},
			},
			refPrompt: {board.KindDeveloper: {reworkTry(nil), {Name: "build", Steps: build(promptJob())}}},
			refPurge:  {board.KindDeveloper: {reworkTry(nil), {Name: "build", Steps: build(purgeJob())}}},
			refSort: {board.KindDeveloper: {
				reworkTry(nil),
				{Name: "with help", When: []string{"gaveUp"}, Steps: build(sortJob())},
				{Name: "crash", Steps: crashSort()},
				{Name: "give up", Steps: giveUpSort()},
			}},
			refCopy: {board.KindDeveloper: {reworkTry(nil), {Name: "build", Steps: build(copyJob())}}},
			refHelp: {
				board.KindDeveloper: {reworkTry(nil), noteTry()},
				board.KindCleaner:   {resolveTry("help-merged")},
			},
		},
	}
	issues := map[string]script.Kinds{}
	for ref, kinds := range f.Issues {
		issues[d.ref(ref)] = kinds
	}
	f.Issues = issues
	return f
}

// job is a piece of development work.
type job struct {
	work     string // folder of embedded work
	hello    string
	think    string
	commit   string // subject of the commit
	pr       string // title of the pull request
	summary  string
	verify   string
	followUp string
	before   []script.Step // before the pull request is opened
}

func say(text string) script.Step   { return script.Step{Say: text} }
func think(text string) script.Step { return script.Step{Think: text} }
func pause(ms int) script.Step      { return script.Step{Pause: ms} }

func run(argv ...string) script.Step { return script.Step{Run: argv} }

func write(p piece) script.Step {
	return script.Step{Write: &script.Content{Path: p.path, Content: p.content}}
}

// build does the whole of a job, from the first look to the report.
func build(j job) []script.Step {
	steps := []script.Step{
		say("I am a scripted agent: no model is asked, everything I do is real. " + j.hello),
		pause(600),
		run("git", "log", "--oneline", "-4"),
		pause(500),
		think(j.think),
		pause(1200),
	}
	steps = append(steps, writeAll(j.work)...)
	steps = append(steps, land(j.work, j.commit)...)
	steps = append(steps, j.before...)
	steps = append(steps,
		openPull(j),
		pause(300),
		script.Step{Final: report(j)},
	)
	return steps
}

// writeAll writes the files of a folder of work, unhurried.
func writeAll(work string) []script.Step {
	var steps []script.Step
	for _, p := range pieces(work) {
		steps = append(steps, write(p), pause(900))
	}
	return steps
}

// land tests, commits, ticks and pushes.
func land(work, subject string) []script.Step {
	steps := []script.Step{
		say("Now the tests."),
		run(testCommand()...),
		pause(500),
	}
	steps = append(steps, commitAll(work, subject)...)
	return append(steps,
		script.Step{Tick: "all"},
		run("git", "push", "--quiet", "--set-upstream", "origin", "HEAD"),
	)
}

func commitAll(work, subject string) []script.Step {
	return []script.Step{
		run(append([]string{"git", "add", "--"}, foldersOf(work)...)...),
		{
			SkipIf: &script.Probe{Run: []string{"git", "diff", "--cached", "--quiet"}},
			Run:    []string{"dispatcher", "commit", "-m", subject},
		},
		pause(400),
	}
}

// foldersOf are what a job touches. Folders, so that files of an earlier try
// come along.
func foldersOf(work string) []string {
	var out []string
	for _, p := range pieces(work) {
		if d := path.Dir(p.path); !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

func openPull(j job) script.Step {
	return script.Step{
		When:    []string{"!pr"},
		Run:     []string{"dispatcher", "pr", "--title", j.pr, "--body-file", "{{tmp}}/pr.md"},
		Files:   map[string]string{"pr.md": j.summary + "\n\n## How to verify\n\n" + j.verify + "\n\nFixes {{ref}}\n"},
		Capture: map[string]string{"pr": `(?:#|/pull/)([0-9]+)`},
	}
}

func report(j job) string {
	text := j.summary + "\n\nBranch {{branch}}, pull request #{{pr}}. Every box of the list is ticked; the tests pass.\n\n" +
		"## How to verify\n\n" + j.verify + "\n\n"
	if j.followUp != "" {
		text += "## Follow-ups\n\n- " + j.followUp + "\n\n"
	}
	return text + "STATUS: COMPLETE"
}

// reworkTry is played on whatever was sent back: fixes of its own for the
// reviewer's findings, and for a person's request a note of what was asked,
// since a script can't understand it.
func reworkTry(fixes []script.Step) script.Try {
	steps := []script.Step{
		say("Back to {{ref}}: changes were asked for on pull request #{{pr}}."),
		run("dispatcher", "pulls", "view", "{{pr}}"),
		pause(700),
		think("What was asked: {{request}}"),
		pause(900),
	}
	steps = append(steps, fixes...)
	asked := script.Step{
		When: []string{"byOwner"},
		Append: &script.Content{
			Path:    "docs/requests/{{ref}}.md",
			Content: "- asked for in the review of pull request {{pr}}: \"{{request}}\"\n",
		},
	}
	if fixes == nil {
		asked.When = nil // whoever asked: there must be something to show
	}
	steps = append(steps,
		asked,
		say("Now the tests."),
		run(testCommand()...),
		run("git", "add", "--all", "--", "docs", "lib", "test"),
		script.Step{
			SkipIf: &script.Probe{Run: []string{"git", "diff", "--cached", "--quiet"}},
			Run:    []string{"dispatcher", "commit", "-m", "Take up what the review of #{{pr}} asks for"},
		},
		pause(400),
		script.Step{Tick: "all"},
		run("git", "push", "--quiet", "--set-upstream", "origin", "HEAD"),
		script.Step{Final: "What the review asked for is in, as one more commit on {{branch}} (pull request #{{pr}}): {{request}}\n\n" +
			"## How to verify\n\n`sh test/run.sh`, and read the last commit.\n\nSTATUS: COMPLETE"},
	)
	return script.Try{Name: "rework", When: []string{"reworked"}, Steps: steps}
}

// noteTry is small honest work on an issue that the demo does not know.
func noteTry() script.Try {
	j := job{
		pr: "{{title}}", commit: "Note what {{ref}} asks for",
		summary: "The demo's script does not know this issue, so its agent wrote down what is asked for, in `docs/notes/{{ref}}.md`.",
		verify:  "Read `docs/notes/{{ref}}.md`.",
	}
	return script.Try{Name: "note", Steps: []script.Step{
		say("I am a scripted agent and {{ref}} is not in my script: I write down what it asks for, so that it has a real commit to review."),
		pause(900),
		{Write: &script.Content{Path: "docs/notes/{{ref}}.md", Content: "# {{ref}}\n\n{{title}}\n\nNoted by the demo's scripted agent; the work itself is left to somebody who can think.\n"}},
		pause(900),
		run(testCommand()...),
		run("git", "add", "--", "docs"),
		{
			SkipIf: &script.Probe{Run: []string{"git", "diff", "--cached", "--quiet"}},
			Run:    []string{"dispatcher", "commit", "-m", j.commit},
		},
		{Tick: "all"},
		run("git", "push", "--quiet", "--set-upstream", "origin", "HEAD"),
		openPull(j),
		{Final: report(j)},
	}}
}

// fetch fetches once more where the loop's own fetch of the same moment got in
// its way, as an agent that reads git's words would.
func fetch() script.Step {
	return run("sh", "-c", "git fetch --quiet origin || git fetch --quiet origin")
}

// resolveTry is the cleaner's where git cannot merge alone: what both sides
// meant, and the tests of both.
func resolveTry(work string) script.Try {
	steps := []script.Step{
		say("I am a scripted agent: no model is asked, everything I do is real. Main and pull request #{{pr}} changed the same lines; I merge main in and keep what both mean."),
		pause(600),
		fetch(),
		{Run: []string{"git", "merge", "--no-ff", "--no-commit", "origin/HEAD"}, MayFail: true},
		pause(700),
		{Run: []string{"git", "diff"}, MayFail: true},
		pause(900),
		think("Main put a first line into help, the branch named the file in the same place. Nothing contradicts: first what this is, then where the list is."),
		pause(900),
	}
	steps = append(steps, writeAll(work)...)
	steps = append(steps,
		say("Both sides brought a test. Now all of them."),
		run(testCommand()...),
	)
	steps = append(steps, commitAll(work, "Merge main into {{branch}}")...)
	return script.Try{Name: "resolve", Steps: append(steps,
		run("git", "push", "--quiet", "origin", "HEAD"),
		run("dispatcher", "pulls", "view", "{{pr}}"),
		script.Step{Final: "Merged main into {{branch}} (pull request #{{pr}}).\n\n" +
			"Conflicted: `lib/help.sh`, resolved by hand: both first lines stay, main's before the branch's.\n" +
			"Semantic conflicts: none found; the tests of both sides run `todo help`.\n" +
			"Loss arithmetic: 2 tests at the base, 1 more on each side, 4 now.\n\nSTATUS: COMPLETE"},
	)}
}

// mergeTry is the cleaner's: the default branch merged in, where git can.
func mergeTry() script.Try {
	return script.Try{Name: "merge", Steps: []script.Step{
		say("I am a scripted agent: I merge the default branch in, and stop where a person must choose."),
		fetch(),
		{Run: []string{"git", "merge", "--no-ff", "--no-commit", "origin/HEAD"}, MayFail: true},
		pause(900),
		run(testCommand()...),
		{
			SkipIf: &script.Probe{Run: []string{"git", "diff", "--cached", "--quiet"}},
			Run:    []string{"dispatcher", "commit", "-m", "Merge the default branch"},
		},
		run("git", "push", "--quiet", "origin", "HEAD"),
		{Final: "Merged the default branch; git needed no help.\n\nSTATUS: COMPLETE"},
	}}
}
