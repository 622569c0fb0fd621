package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newBoardIssueCmd(f *app.Factory) *cobra.Command {
	var comments int
	var asJSON bool
	cmd := &cobra.Command{
		Use:               "issue <ref>",
		Short:             "Show one issue whole: description, sub-issues, blockers, comments",
		Args:              exactArgs("an issue"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if comments < 0 {
				return fmt.Errorf("--comments is %d; it is how many of the last comments are shown", comments)
			}
			return runBoardIssue(cmd.Context(), f, args[0], comments, asJSON)
		},
	}
	cmd.Flags().IntVar(&comments, "comments", 10, "how many of the last comments to show")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with every comment")
	return cmd
}

func runBoardIssue(ctx context.Context, f *app.Factory, arg string, comments int, asJSON bool) error {
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	i, err := p.Issue(ctx, ref)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(f, struct {
			board.Issue
			Checkboxes []board.Checkbox `json:"checkboxes"`
		}{i, append([]board.Checkbox{}, board.Checkboxes(i.Body)...)})
	}
	if i.Unreadable != "" {
		return fmt.Errorf("read %s: %w: %s", i.Ref, board.ErrUnreadable, i.Unreadable)
	}
	_, err = io.WriteString(f.IO.Out, shown(issueMarkdown(ctx, p, &i, f.Now(), comments)))
	return err
}

// issueMarkdown is an issue as a person or a prompt reads it. The claim is
// none of its comments.
func issueMarkdown(ctx context.Context, p *board.Policy, i *board.Issue, now time.Time, comments int) string {
	var out strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("# %s %s\n", i.Ref, i.Title)
	line("- URL: %s", orDash(i.URL))
	closed := ""
	if i.Closed {
		closed = " (closed)"
	}
	line("- State: %s%s", i.State, closed)
	line("- Milestone: %s", orDash(i.Milestone))
	line("- Labels: %s", orDash(strings.Join(i.Labels, ", ")))
	owner := "agent-workable"
	if i.HumanOwned() {
		owner = "human-owned, agents skip"
	}
	line("- Assignee: %s (%s)", orDash(i.Assignee), owner)
	line("- Delegate: %s", orDash(string(i.Delegate)))
	line("- Claim: %s", claimLine(i.Claim, now))
	line("- Pull requests: %s", orDash(strings.Join(i.PRs, ", ")))
	line("- Parent: %s", orDash(string(i.Parent)))
	line("- Blocked by: %s", blockedBy(ctx, p, i))
	if len(i.Children) > 0 {
		line("\n## Sub-issues\n\n| Issue | Title | State | Blocked by |\n| --- | --- | --- | --- |")
		for _, c := range i.Children {
			line("| %s | %s | %s | %s |", c.Ref, strings.ReplaceAll(c.Title, "|", "\\|"), c.State, childBlockers(ctx, p, c.Ref))
		}
	}
	body := i.Body
	if strings.TrimSpace(body) == "" {
		body = "(empty)"
	}
	line("\n## Description\n\n%s", strings.TrimRight(body, "\n"))
	shown := i.Comments[max(0, len(i.Comments)-comments):]
	line("\n## Comments (%d total, showing last %d)", len(i.Comments), len(shown))
	for _, c := range shown {
		line("\n### %s at %s\n\n%s", speaker(&c), c.At.UTC().Format("2006-01-02T15:04:05.000Z"), strings.TrimRight(c.Body, "\n"))
	}
	return out.String()
}

func claimLine(c *board.Claim, now time.Time) string {
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%s (%d min old)", claimWord(c), c.Age(now))
}

// claimWord is a claim without its age: `dev:<session>@<stamp>`.
func claimWord(c *board.Claim) string {
	s := c.Short(c.Stamp)
	return s[:strings.LastIndexByte(s, '(')]
}

// speaker is who wrote a comment: one of our roles, or a person.
func speaker(c *board.Comment) string {
	if c.Role == board.ActorOwner && c.Author != "" {
		return c.Author
	}
	return string(c.Role)
}

func blockedBy(ctx context.Context, p *board.Policy, i *board.Issue) string {
	var parts []string
	for _, b := range i.Blockers {
		state := "open"
		if blocker, err := p.Issue(ctx, b.Ref); err == nil && blocker.State != "" {
			state = blocker.State
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", b.Ref, state))
	}
	return orDash(strings.Join(parts, ", "))
}

func childBlockers(ctx context.Context, p *board.Policy, ref board.Ref) string {
	child, err := p.Issue(ctx, ref)
	if err != nil {
		return "-"
	}
	return orDash(strings.Join(words(child.OpenBlockers()), ", "))
}
