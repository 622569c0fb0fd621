package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// viewPull is a pull request as Markdown.
func viewPull(p *board.PullRequest, v board.Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s %s\n\n", p.Name, oneLine(p.Title))
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "- %s: %s\n", name, fmt.Sprintf(format, args...))
	}
	line("state", "%s", stateOf(p))
	line("branch", "%s into %s", p.Head, p.Base)
	line("head", "%s", p.HeadSHA)
	line("opened", "%s by %s", p.CreatedAt.UTC().Format(time.RFC3339), oneLine(p.Author))
	switch p.State {
	case board.PullOpen:
		line("mergeable", "%s, %d behind %s", p.Mergeable, p.Behind, p.Base)
		line("checks", "%s", checksWord(p))
	case board.PullMerged:
		line("merged", "%s as %s", p.MergedAt.UTC().Format(time.RFC3339), p.MergeSHA)
	case board.PullClosed:
	}
	if v.Text != "" {
		line("review", "%s", oneLine(v.Text))
	}
	if len(p.Issues) > 0 {
		line("fixes", "%s", joinRefs(p.Issues))
	}
	if len(p.Foreign) > 0 {
		line("commits not by "+oneLine(p.Author), "%s", oneLine(strings.Join(p.Foreign, ", ")))
	}
	if body := strings.TrimSpace(p.Body); body != "" {
		b.WriteString("\n" + body + "\n")
	}
	for i := range p.Reviews {
		viewReview(&b, &p.Reviews[i], p.HeadSHA)
	}
	return b.String()
}

func viewReview(b *strings.Builder, r *board.Review, head string) {
	who := "the owner"
	if r.Bot {
		who = "agent"
	}
	at := short(r.Commit)
	if r.Commit != head {
		at += ", an earlier head"
	}
	fmt.Fprintf(b, "\n## Review %s: %s by %s (%s) at %s, %s\n\n%s\n",
		r.ID, r.State, oneLine(r.Author), who, at, r.At.UTC().Format(time.RFC3339), strings.TrimSpace(r.Body))
	if len(r.Findings) > 0 {
		b.WriteString("\n")
	}
	for _, f := range r.Findings {
		where := f.Path
		if f.Line > 0 {
			where += fmt.Sprintf(":%d", f.Line)
		}
		fmt.Fprintf(b, "- **%s** %s: %s\n", f.Severity, where, strings.ReplaceAll(strings.TrimSpace(f.Body), "\n", "\n  "))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// checksWord is the result of all checks as a person reads it.
func checksWord(p *board.PullRequest) string {
	switch {
	case p.Checks == board.ChecksNone:
		return "no checks"
	case p.Checks == board.ChecksUnknown && p.ChecksWhy != "":
		return "unknown: " + oneLine(p.ChecksWhy)
	}
	return string(p.Checks)
}
