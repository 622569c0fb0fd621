package demo

import "github.com/backside4charter/dispatcher/workers/script"

// look is how every review begins.
func look(hello string) []script.Step {
	return []script.Step{
		say("I am a scripted agent: no model is asked, everything I do is real. " + hello),
		pause(500),
		run("dispatcher", "pulls", "view", "{{pr}}"),
		pause(700),
		run("dispatcher", "pulls", "diff", "{{pr}}"),
		pause(1200),
		run("dispatcher", "pulls", "checks", "{{pr}}"),
		pause(500),
	}
}

// judge posts the review and the comment, each once, and ends with the
// verdict.
func judge(body, findings, comment, verdict string) []script.Step {
	review := script.Step{
		When:  []string{"!reviewed"},
		Run:   []string{"dispatcher", "review", "{{pr}}", "--commit", "{{head}}", "--body-file", "{{tmp}}/review.md"},
		Files: map[string]string{"review.md": body},
	}
	if findings != "" {
		review.Run = append(review.Run, "--findings", "{{tmp}}/findings.json")
		review.Files["findings.json"] = findings
	}
	comment += " (pull request #{{pr}} at {{head}})"
	return []script.Step{
		review,
		{
			SkipIf: &script.Probe{
				Run:   []string{"dispatcher", "board", "issue", "{{ref}}", "--json"},
				Match: "at {{head}}\\)",
			},
			Run:   []string{"dispatcher", "board", "comment", "{{ref}}", "--as", "reviewer", "--body-file", "{{tmp}}/comment.md"},
			Files: map[string]string{"comment.md": comment + "\n"},
		},
		pause(300),
		{Final: body + "\n\nVERDICT: " + verdict},
	}
}

func passTry() script.Try {
	return script.Try{Name: "pass", Steps: append(
		look("I read what {{ref}} asks for, then the whole diff."),
		append([]script.Step{think("Every box of the list is delivered and tested, nothing is in the diff that was not asked for."), pause(900)},
			judge("Every box of {{ref}} is delivered and has a test; the checks are green. Nothing blocking.", "",
				"Reviewed: nothing blocking", "PASS")...)...)}
}

// secondLookTry is played when changes were asked for on an earlier head.
func secondLookTry() script.Try {
	return script.Try{Name: "second look", When: []string{"rereview"}, Steps: append(
		look("Second look at {{ref}}: what was asked for, and what the new commits do about it."),
		append([]script.Step{think("Nothing to take back is now an error that leaves the list alone, and there is a test for it."), pause(900)},
			judge("What was asked for is in, with tests; the checks are green. Nothing blocking.", "",
				"Reviewed again: nothing blocking", "PASS")...)...)}
}

func sendBackUndo() []script.Step {
	const finding = `[
  {
    "path": "lib/undo.sh",
    "line": 2,
    "severity": "blocking",
    "body": "A second undo in a row has no copy to put back: the shell empties the list before cat fails. The issue says that nothing is ever lost."
  },
  {
    "path": "test/undo.test.sh",
    "line": 4,
    "severity": "nit",
    "body": "done is not tested."
  }
]
`
	return append(
		look("I read what {{ref}} asks for, then the whole diff."),
		append([]script.Step{think("What does a second undo do? There is no copy left, and the redirection empties the list first."), pause(900)},
			judge("One blocking finding: `todo undo` twice in a row empties the list, and the issue asks that nothing is ever lost.", finding,
				"Reviewed: one blocking finding, undo can lose the list", "CHANGES_REQUESTED")...)...)
}
