//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/fake/anthropic"
	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// asApp is how the prompts have a developer speak to GitHub.
const asApp = `GH_TOKEN="$(dispatcher token)" gh api `

// outlive waits, within the run, until GitHub takes no token of before any more
// (failures.md, row 27).
const outlive = `t=$(dispatcher token); n=0; while GH_TOKEN=$t gh api 'repos/{owner}/{repo}' >/dev/null 2>&1; do ` +
	`n=$((n+1)); test $n -lt 600 || exit 1; sleep 0.2; done; echo "the first token has ended"`

// story is who works on the issue, from Ready to Done.
func story(ref, pull string, first ...*anthropic.Turn) []*anthropic.Conversation {
	threads := "repos/{owner}/{repo}/pulls/" + pull + "/comments"
	review := func(name, match, text string, findings string) *anthropic.Conversation {
		verdict := "PASS"
		if findings != "" {
			verdict, findings = "CHANGES_REQUESTED", " --findings '"+findings+"'"
		}
		return &anthropic.Conversation{
			Name: name, Match: match, Vars: map[string]string{"sha": `Commit to judge: ([0-9a-f]{40})`},
			Turns: []*anthropic.Turn{
				bash("dispatcher pulls view " + pull + " && dispatcher pulls checks " + pull),
				bash("dispatcher pulls diff " + pull),
				bash("dispatcher review "+pull+" --commit {{sha}}"+findings+" --body-file - <<'END_OF_TEXT'\n"+text+"\nEND_OF_TEXT", `\+bonjour`),
				bash("dispatcher board comment " + strings.TrimPrefix(ref, "#") + " --as reviewer --body-file - <<'END_OF_TEXT'\n" + text + "\nEND_OF_TEXT"),
				conclude(text+"\n\nVERDICT: "+verdict, verdict),
			},
		}
	}
	fix := func(name, match, file string, more ...*anthropic.Turn) *anthropic.Conversation {
		turns := append([]*anthropic.Turn{bash("dispatcher pulls view " + pull), bash("dispatcher pulls diff "+pull, `\*\*blocking\*\* bonjour\.txt:1: It's not polite\.`)}, append(more,
			bash("printf '"+file+"' > bonjour.txt && git add bonjour.txt && dispatcher commit -m 'Be polite' && git push origin HEAD"),
			say("STATUS: COMPLETE\n\nPull request #"+pull+" says it.\n\n## How to verify\nRead it."))...)
		return &anthropic.Conversation{Name: name, Match: match, Turns: turns}
	}
	develop := &anthropic.Conversation{
		Name: "developer", Match: `(?m)^# Build issue ` + ref + `$`,
		Turns: slices.Concat([]*anthropic.Turn{
			write("bonjour.txt", "bonjour\n"),
			bash("grep -q hello greet.txt && git add bonjour.txt && dispatcher commit -m 'Greet in French' && git push -u origin HEAD"),
		}, first, []*anthropic.Turn{
			bash("dispatcher board tick " + strings.TrimPrefix(ref, "#") + " 1"),
			bash("dispatcher pr --title 'Greet in French' --base main --body-file - <<'END_OF_TEXT'\nAdds a greeting.\n\nFixes " + ref + "\nEND_OF_TEXT"),
			say("STATUS: COMPLETE\n\n## Branch and pull request\nPull request #" + pull + ".\n\n## How to verify\nRead bonjour.txt."),
		}),
	}
	clean := &anthropic.Conversation{
		Name: "cleaner", Match: "(?m)^# Merge `main` into pull request #" + pull + " of issue " + ref + "$",
		Turns: []*anthropic.Turn{
			bash("git fetch origin && git merge --no-ff --no-commit origin/main"),
			bash("printf 'bonjour, madame et monsieur\\n' > bonjour.txt && git add bonjour.txt && dispatcher commit -m 'Merge main' && git push origin HEAD", `CONFLICT`),
			bash("dispatcher pulls view " + pull),
			say("## Conflicts\nbonjour.txt, by hand: both are greeted.\n\nSTATUS: COMPLETE"),
		},
	}
	return []*anthropic.Conversation{
		clean,
		fix("asked", `(?s)# Continue issue `+ref+`\n.*verbatim\. It outranks.*Say \*madame\*,\nit's a shop\.`, `bonjour, madame\n`),
		fix("found", `(?s)# Continue issue `+ref+`\n.*blocking, bonjour\.txt:1: It's not polite\.`, `bonjour, madame?\n`,
			bash(asApp+`"`+threads+`" --jq '.[0] | "\(.user.login) at \(.path):\(.line)"'`),
			bash(`id=$(`+asApp+`"`+threads+`" --jq '.[0].id') && `+asApp+`"repos/{owner}/{repo}/pulls/`+pull+`/comments/$id/replies" -f body="Polite now."`,
				`acme-reviewer\[bot\] at bonjour\.txt:1`),
			bash(`GH_TOKEN="$(dispatcher token)" gh pr view `+pull, `"in_reply_to_id"`)),
		develop,
		review("merged", `## Only the merge`, "Both are greeted.", ""),
		review("again", `This is a re-review\.`, "It's polite.", ""),
		review("reviewer", `(?m)^# Review pull request #`+pull+` for issue `+ref+`$`, "One finding.",
			`[{"path":"bonjour.txt","line":1,"severity":"blocking","body":"It'\''s not polite."}]`),
	}
}

// TestGitHubTask takes an issue of a GitHub project from Ready to Done with the
// real agent, git and gh: a developer, whose run outlives its tokens and
// pushes before and after; a review on a line; the owner's change request; a
// conflict and its cleaner; the merge.
func TestGitHubTask(t *testing.T) {
	t.Parallel()
	f := newForge(t, 10*time.Second, story("#1", "2",
		bash(outlive),
		bash("printf 'bonjour!\\n' > bonjour.txt && git add bonjour.txt && dispatcher commit -m 'Louder' && git push", `the first token has ended`))...)
	f.onProject()
	f.toDone()
	f.hub.Project(f.project, func(p *github.Project) {
		if it := p.Item("acme/widgets", 1); it.Claimed != nil && *it.Claimed != "" {
			f.t.Errorf("Claimed By says %q at the end", *it.Claimed)
		}
	})
}

// TestLinearTask is the same with the board on Linear.
func TestLinearTask(t *testing.T) {
	t.Parallel()
	f := newForge(t, 0, story("ACM-1", "1")...)
	f.onLinear()
	f.toDone()
}

// toDone plays the story, and holds what came of it.
func (f *forge) toDone() {
	f.t.Helper()
	f.loop()
	f.expectRole(board.RoleHumanReview)
	f.own("pulls", "request-changes", f.pull, "--body", "Say *madame*,\nit's a shop.")
	f.expectRole(board.RoleChangesRequested)
	f.loop()
	f.expectRole(board.RoleHumanReview)

	// Main gets the same file from elsewhere.
	f.git("pull", "-q", "--ff-only")
	f.write("bonjour.txt", "bonjour, monsieur\n")
	f.git("add", "bonjour.txt")
	f.git("commit", "-qm", "Greet men")
	f.git("push", "-q")
	f.loop()
	f.expectRole(board.RoleHumanReview)
	pr := f.pulls()[0]
	if pr.Mergeable != board.MergeClean || pr.Behind != 0 {
		f.t.Errorf("after the clean-up it is %s, %d behind", pr.Mergeable, pr.Behind)
	}
	f.expectReviews(&pr)

	f.merge()
	f.loop()
	f.expectRole(board.RoleDone)
	if got := f.gitIn(f.remote, "show", "main:bonjour.txt"); got != "bonjour, madame et monsieur" {
		f.t.Errorf("the remote's main has %q", got)
	}
	const by = "acme-developer[bot] <100000001+acme-developer[bot]@users.noreply.github.com>"
	for _, line := range strings.Split(f.gitIn(f.remote, "log", "--format=%an <%ae>", "main^1..main^2"), "\n") {
		if line != by {
			f.t.Errorf("a commit of the branch is by %s", line)
		}
	}
	if got := f.runs(); got[board.KindDeveloper] != 3 || got[board.KindReviewer] != 4 || got[board.KindCleaner] != 1 {
		f.t.Errorf("runs %v", got)
	}
	f.expectStored()
	f.expectNoSecret(appToken, f.key[100:160], ownerToken, linearKey)
}

// expectReviews holds the reviews of the story: the reviewer's are comments,
// the first with its finding, and the owner's asks for changes.
func (f *forge) expectReviews(pr *board.PullRequest) {
	f.t.Helper()
	var got []string
	for _, r := range pr.Reviews {
		got = append(got, fmt.Sprint(r.Author, " ", r.State, " ", r.Findings))
	}
	want := []string{
		"acme-reviewer[bot] " + fmt.Sprint(board.ReviewComment, " [{bonjour.txt 1 blocking It's not polite.}]"),
		"acme-reviewer[bot] " + fmt.Sprint(board.ReviewComment, " []"),
		"olive " + fmt.Sprint(board.ReviewChangesRequested, " []"),
		"acme-reviewer[bot] " + fmt.Sprint(board.ReviewComment, " []"),
		"acme-reviewer[bot] " + fmt.Sprint(board.ReviewComment, " []"),
	}
	if !slices.Equal(got, want) {
		f.t.Errorf("reviews %q, want %q", got, want)
	}
}
