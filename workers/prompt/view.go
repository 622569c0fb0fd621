package prompt

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/board"
)

// view is what templates see: text that is ready to stand in a prompt, foreign
// text already inside its block. A repository's own template uses the same
// names.
type view struct {
	Kind                                                          board.Kind
	Ref, RefArg, URL                                              string
	Branch, Worktree                                              string
	DefaultBranch, Remote                                         string
	OnGitHub, UI, MergeScoped, Existing, Resume, Lost, HandedBack bool
	PR, PRDraft                                                   bool
	PRName, PRArg, PRURL                                          string
	PRHead, PRBase, HeadSHA                                       string
	Fence, Project                                                string
	Attempt, Behind                                               int
	IssueText, CommentsText                                       string
	CommentsSkipped, LeftOut                                      int
	Boxes, Children                                               string
	Failure, Question, Answer                                     string
	OwnerRequests, Findings                                       string
	PRText, HowToVerify                                           string
	Prior, PriorCommit, Known                                     string
	Landed, Conflicts                                             string
}

var (
	nonceForm  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9]{8,64}$`) })
	refForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9#][A-Za-z0-9_./#-]{0,99}$`) })
	branchForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/+@-]{0,249}$`) })
	nameForm   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`) })
	commitForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{7,64}$`) })
	urlForm    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^https?://[^\s<>"'` + "`" + `\x00-\x1f\x7f]{1,500}$`)
	})
)

// names checks the words that stand outside the blocks: they become arguments
// of commands and must be nothing else.
func (t *Task) names() error {
	var errs []error
	check := func(what, value string, form *regexp.Regexp) {
		if !form.MatchString(value) {
			errs = append(errs, fmt.Errorf("%s %q cannot stand in a prompt", what, value))
		}
	}
	optional := func(what, value string, form *regexp.Regexp) {
		if value != "" {
			check(what, value, form)
		}
	}
	check("nonce", t.Nonce, nonceForm())
	check("issue", string(t.Issue.Ref), refForm())
	check("default branch", t.DefaultBranch, branchForm())
	optional("remote", t.Remote, nameForm())
	optional("issue URL", t.Issue.URL, urlForm())
	for _, c := range t.Issue.Children {
		check("sub-issue", string(c.Ref), refForm())
	}
	if t.PR != nil {
		check("pull request", t.PR.Name, refForm())
		optional("pull request URL", t.PR.URL, urlForm())
		optional("pull request branch", t.PR.Head, branchForm())
		optional("pull request base", t.PR.Base, branchForm())
		optional("pull request head", t.PR.HeadSHA, commitForm())
	}
	return errors.Join(errs...)
}

// common is the part of a view that all kinds share.
func (t *Task) common(kind board.Kind) (*view, fencer, error) {
	if err := t.names(); err != nil {
		return nil, fencer{}, fmt.Errorf("prompt for %s: %w", t.Issue.Ref, err)
	}
	f := fencer{nonce: t.Nonce}
	v := &view{
		Kind: kind, Ref: string(t.Issue.Ref), RefArg: quoteArg(string(t.Issue.Ref)), URL: t.Issue.URL,
		DefaultBranch: t.DefaultBranch, Remote: t.Remote, OnGitHub: t.OnGitHub, UI: t.UI, Resume: t.Resume, Lost: t.Lost, HandedBack: t.HandedBack,
		Fence: f.tag(), Project: oneLine(t.Project, maxShort), Attempt: max(1, t.Attempt),
	}
	if pr := t.PR; pr != nil {
		v.PR, v.PRDraft, v.PRName, v.PRURL = true, pr.Draft, pr.Name, pr.URL
		v.PRHead, v.PRBase, v.HeadSHA = pr.Head, pr.Base, pr.HeadSHA
		v.PRArg = quoteArg(pr.Name)
		if pr.Number > 0 {
			v.PRArg = strconv.Itoa(pr.Number)
		}
	}
	more := "`dispatcher board issue " + v.RefArg + "`"
	v.IssueText = f.block("issue", "Title: "+oneLine(t.Issue.Title, maxLine)+"\n\n"+orNone(cut(t.Issue.Body, maxDescription, more), "(no description)"))
	v.Boxes = boxes(f, t.Issue.Body)
	v.Children = children(f, t.Issue.Children)
	v.comments(f, t)
	if t.Failure != "" {
		v.Failure = f.block("failure", cut(t.Failure, maxShort, ""))
	}
	if t.Answer != "" {
		v.Question = f.block("question", orNone(cut(t.Question, maxOwnerText, more), "(see the comments)"))
		v.Answer = f.block("the owner's answer", cut(t.Answer, maxOwnerText, more))
	}
	return v, f, nil
}

func orNone(text, none string) string {
	if strings.TrimSpace(text) == "" {
		return none
	}
	return text
}

// boxes lists the checkboxes with the numbers that `board tick` takes.
func boxes(f fencer, body string) string {
	var b strings.Builder
	for i, box := range board.Checkboxes(body) {
		mark := " "
		if box.Done {
			mark = "x"
		}
		fmt.Fprintf(&b, "%d. [%s] %s\n", i+1, mark, oneLine(box.Text, maxLine))
	}
	if b.Len() == 0 {
		return ""
	}
	return f.block("checkboxes", cut(b.String(), maxDescription, ""))
}

func children(f fencer, list []board.Child) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s (%s): %s\n", c.Ref, oneLine(c.State, maxLine), oneLine(c.Title, maxLine))
	}
	if b.Len() == 0 {
		return ""
	}
	return f.block("sub-issues", cut(b.String(), maxDescription, ""))
}

// comments takes the newest comments that may be read, oldest first.
func (v *view) comments(f fencer, t *Task) {
	var shown []board.Comment
	for _, c := range t.Issue.Comments {
		if c.Role == board.ActorOwner && !t.trusts(c.Author) {
			v.LeftOut++
			continue
		}
		shown = append(shown, c)
	}
	if n := len(shown) - maxComments; n > 0 {
		v.CommentsSkipped = n
		shown = shown[n:]
	}
	var parts []string
	for _, c := range shown {
		who := string(c.Role)
		if c.Role == board.ActorOwner && c.Author != "" {
			who = oneLine(c.Author, maxLine)
		}
		body := cut(board.WithoutMark(c.Body), maxComment, "`dispatcher board issue "+v.RefArg+" --comments 30`")
		parts = append(parts, f.block("comment by "+who+", "+stamp(c.At), body))
	}
	v.CommentsText = strings.Join(parts, "\n\n")
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }

func (t *Task) trusts(author string) bool { return t.Trusted == nil || t.Trusted(author) }

// reviews renders reviews, oldest first and each in a block of its own, so
// that no text in one can pass for another. The newest are kept when there are
// too many. People's are asked for trust; limit bounds each text.
func (v *view) reviews(f fencer, t *Task, name string, list []board.Review, limit int) string {
	rest := "`dispatcher pulls view " + v.PRArg + "`"
	var parts []string
	for _, r := range list {
		if !r.Bot && !t.trusts(r.Author) {
			v.LeftOut++
			continue
		}
		title := fmt.Sprintf("%s by %s, %s, %s", name, oneLine(r.Author, maxLine), stamp(r.At), oneLine(string(r.State), maxLine))
		if commitForm().MatchString(r.Commit) {
			title += ", on " + r.Commit
		}
		parts = append(parts, f.block(title, reviewText(&r, limit, rest)))
	}
	kept, size := len(parts), 0
	for kept > 0 && len(parts)-kept < maxReviews {
		size += utf8.RuneCountInString(parts[kept-1])
		if size > maxAllReviews && kept < len(parts) {
			break
		}
		kept--
	}
	if kept > 0 {
		parts = append([]string{fmt.Sprintf("[%d older reviews are left out here; %s shows them]", kept, rest)}, parts[kept:]...)
	}
	return strings.Join(parts, "\n\n")
}

func reviewText(r *board.Review, limit int, rest string) string {
	text := orNone(cut(r.Body, limit, rest), "(no text)")
	for i, x := range r.Findings {
		if i == maxFindings {
			return text + fmt.Sprintf("\n[%d more findings are left out here; %s shows them]", len(r.Findings)-i, rest)
		}
		text += "\n" + finding(x, min(limit, maxComment), rest)
	}
	return text
}

func finding(x board.Finding, limit int, rest string) string {
	place := orNone(oneLine(x.Path, maxLine), "general")
	if x.Line > 0 {
		place += ":" + strconv.Itoa(x.Line)
	}
	return fmt.Sprintf("- %s, %s: %s", orNone(oneLine(x.Severity, maxLine), "finding"), place, cut(x.Body, limit, rest))
}
