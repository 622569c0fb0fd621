package prompt

import (
	"embed"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"text/template"

	"github.com/backside4charter/dispatcher/board"
)

//go:embed templates/*.md
var embedded embed.FS

// shared is the embedded file that defines what several templates use; it has
// no override, so that the rules in it hold in a repository's own texts too.
const shared = "shared.md"

// Names are the files by which a repository may override a template: per kind
// `<kind>.md`, the task, and `<kind>-role.md`, the role text.
func Names() []string {
	var out []string
	for _, k := range board.Kinds() {
		out = append(out, taskName(k), roleName(k))
	}
	return out
}

func taskName(k board.Kind) string { return string(k) + ".md" }
func roleName(k board.Kind) string { return string(k) + "-role.md" }

// Set renders prompts from one set of templates.
type Set struct {
	templates *template.Template
}

// New makes a set from the embedded templates, with a repository's own texts
// by file name in place of some. All faults are reported at once: an unknown
// name, a template that does not parse, and one that cannot be rendered.
func New(overrides map[string]string) (*Set, error) {
	t := template.New("prompt").Option("missingkey=error")
	for _, name := range append([]string{shared}, Names()...) {
		text, err := embedded.ReadFile("templates/" + name)
		if err != nil {
			return nil, fmt.Errorf("prompt %s: %w", name, err)
		}
		if _, err := t.New(name).Parse(unix(string(text))); err != nil {
			return nil, fmt.Errorf("prompt %s: %w", name, err)
		}
	}
	s := &Set{templates: t}
	var errs []error
	for name, text := range overrides {
		if err := s.override(name, unix(text)); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return s, nil
}

// override replaces one template after it has been tried on its own.
func (s *Set) override(name, text string) error {
	known := false
	for _, n := range Names() {
		known = known || n == name
	}
	if !known {
		return fmt.Errorf("prompt override %q: no such template; the names are %s", name, strings.Join(Names(), ", "))
	}
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("prompt override %s: is empty; delete the file to use the built-in text", name)
	}
	if err := s.try(name, text); err != nil {
		return fmt.Errorf("prompt override %s: %w", name, err)
	}
	if _, err := s.templates.New(name).Parse(text); err != nil {
		return fmt.Errorf("prompt override %s: %w", name, err)
	}
	return nil
}

// try parses a text and renders it, with everything absent and with everything
// there, so that a mistake shows when the file is read and not at a dispatch.
func (s *Set) try(name, text string) error {
	alone, err := template.New(name).Parse(text)
	if err != nil {
		return err
	}
	if len(alone.Templates()) > 1 {
		return errors.New("defines templates of its own, which could replace the shared rules")
	}
	own, err := s.templates.Clone()
	if err != nil {
		return err
	}
	parsed, err := own.New(name).Parse(text)
	if err != nil {
		return err
	}
	for _, v := range []*view{{}, full()} {
		if err := parsed.Execute(&strings.Builder{}, v); err != nil {
			return err
		}
	}
	return s.tryMusts(name, parsed)
}

// tryMusts holds a task of a repository to what every task has to say. A role
// text may say what it likes: the task beside it says all of it.
func (s *Set) tryMusts(name string, parsed *template.Template) error {
	for _, k := range board.Kinds() {
		if name != taskName(k) {
			continue
		}
		left, err := s.missing(k, func(v *view) (string, error) {
			var b strings.Builder
			err := parsed.Execute(&b, v)
			return b.String(), err
		})
		if err != nil {
			return err
		}
		if len(left) > 0 {
			return unsaid(left)
		}
	}
	return nil
}

// full is a view in which every field has a value.
func full() *view {
	v := &view{}
	fields := reflect.ValueOf(v).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Kind() {
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(1)
		default:
			f.SetString("x")
		}
	}
	return v
}

// anyFence stands for the block name in role texts, which are the same for
// every task; the task names the real one.
const anyFence = "untrusted-…"

// RoleText is the text for the system prompt of a worker of this kind.
func (s *Set) RoleText(kind board.Kind) (string, error) {
	return s.render(roleName(kind), &view{Kind: kind, Fence: anyFence})
}

// Developer is the task of a developer.
func (s *Set) Developer(in DeveloperInput) (string, error) {
	v, f, err := in.common(board.KindDeveloper)
	if err != nil {
		return "", err
	}
	if err := v.place(in.Branch, in.Worktree); err != nil {
		return "", err
	}
	v.Existing = in.Existing || in.PR != nil
	v.OwnerRequests = v.reviews(f, &in.Task, "request", in.OwnerRequests, maxOwnerText)
	v.Findings = v.reviews(f, &in.Task, "review", in.Findings, maxReviewBody)
	return s.render(taskName(board.KindDeveloper), v)
}

// Reviewer is the task of a reviewer.
func (s *Set) Reviewer(in ReviewerInput) (string, error) {
	v, f, err := in.common(board.KindReviewer)
	if err != nil {
		return "", err
	}
	if in.PR == nil || in.PR.HeadSHA == "" {
		return "", fmt.Errorf("prompt for %s: a review needs a pull request with a head", in.Issue.Ref)
	}
	v.MergeScoped = in.MergeScoped
	v.PRText = f.block("pull request", "Title: "+oneLine(in.PR.Title, maxLine)+"\n\n"+
		orNone(cut(in.PR.Body, maxPRBody, "`dispatcher pulls view "+v.PRArg+"`"), "(no description)"))
	if in.HowToVerify != "" {
		v.HowToVerify = f.block("how to verify", cut(in.HowToVerify, maxReviewBody, ""))
	}
	v.Prior = v.reviews(f, &in.Task, "earlier review", in.Prior, maxReviewBody)
	for _, r := range in.Prior {
		if commitForm().MatchString(r.Commit) {
			v.PriorCommit = r.Commit
		}
	}
	if v.PriorCommit == v.HeadSHA {
		v.PriorCommit = ""
	}
	v.Known = bullets(f, "known", in.Known, maxFindings)
	return s.render(taskName(board.KindReviewer), v)
}

// Cleaner is the task of a cleaner.
func (s *Set) Cleaner(in CleanerInput) (string, error) {
	v, f, err := in.common(board.KindCleaner)
	if err != nil {
		return "", err
	}
	if in.PR == nil {
		return "", fmt.Errorf("prompt for %s: a clean-up needs a pull request", in.Issue.Ref)
	}
	if err := v.place(in.Branch, in.Worktree); err != nil {
		return "", err
	}
	v.Behind = in.Behind
	var landed []string
	for _, c := range in.Landed {
		if !commitForm().MatchString(c.SHA) {
			return "", fmt.Errorf("prompt for %s: commit %q cannot stand in a prompt", in.Issue.Ref, c.SHA)
		}
		landed = append(landed, c.SHA[:7]+" "+c.Subject)
	}
	v.Landed = bullets(f, "landed", landed, maxLanded)
	v.Conflicts = bullets(f, "conflicts", in.Conflicts, maxFiles)
	return s.render(taskName(board.KindCleaner), v)
}

// pathForm is a path that can stand in a line of a prompt.
var pathForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[^\\x00-\\x1f\\x7f`]+$") })

func (v *view) place(branch, worktree string) error {
	if !branchForm().MatchString(branch) {
		return fmt.Errorf("prompt for %s: branch %q cannot stand in a prompt", v.Ref, branch)
	}
	if !pathForm().MatchString(worktree) {
		return fmt.Errorf("prompt for %s: worktree %q cannot stand in a prompt", v.Ref, worktree)
	}
	v.Branch, v.Worktree = branch, worktree
	return nil
}

func (s *Set) render(name string, v *view) (string, error) {
	var b strings.Builder
	if err := s.templates.ExecuteTemplate(&b, name, v); err != nil {
		return "", fmt.Errorf("prompt %s: %w", name, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

// bullets is a list inside a block, at most limit entries.
func bullets(f fencer, name string, list []string, limit int) string {
	var b strings.Builder
	for i, x := range list {
		if i == limit {
			fmt.Fprintf(&b, "[%d more are left out here]\n", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "- %s\n", oneLine(x, maxLine))
	}
	if b.Len() == 0 {
		return ""
	}
	return f.block(name, b.String())
}

// unix drops carriage returns: a checkout may have turned line ends.
func unix(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }
