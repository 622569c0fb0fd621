package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// library is a reader of the sample: what is read on demand, or why it cannot
// be. Text stands in every place that comes from outside, where there is one.
type library struct {
	snap func() *state.Snapshot
	err  error
	text string
	none bool // nothing has happened yet
}

func (l *library) Detail(_ context.Context, ref board.Ref) (state.Detail, error) {
	s := l.snap()
	for i := range s.Rows {
		if s.Rows[i].Issue.Ref != ref {
			continue
		}
		d := state.Detail{Issue: s.Rows[i].Issue, Resume: l.says("claude --resume a3f1c2d4")}
		for _, r := range [][2]string{{"its state is open?", "yes, In Progress"}, {"its blockers are done?", "yes, it has none"}, {"no other session works it?", "yes"}} {
			d.Rules = append(d.Rules, state.Rule{Ask: l.says(r[0]), Says: l.says(r[1]), Source: "docs/state-machine.md, Why a row waits: claim"})
		}
		d.Rules = append(d.Rules, state.Rule{Ask: l.says("nobody works it?"), Says: l.says("no: " + s.Rows[i].Waits), Held: true, Source: "docs/state-machine.md, Why a row waits: claim"})
		d.History = []state.Entry{
			{At: ago(26 * time.Hour), Text: l.says("made by anna in Backlog")},
			{At: ago(12 * time.Minute), Firing: 211, Text: l.says("Ready tier 3 → claimed, worktree acm-12, developer started")},
			{At: ago(5 * time.Minute), Firing: 212, Text: l.says("could not be freshened: main does not build"), Bad: true},
		}
		return d, l.err
	}
	return state.Detail{}, errors.New("no such issue")
}

// Transcript is the tail that the picture has, with lines before it as long as
// the run is.
func (l *library) Transcript(_ context.Context, run string, from, n int, find string) (state.Transcript, error) {
	s := l.snap()
	for i := range s.Workers {
		w := &s.Workers[i]
		if w.Run.ID != run {
			continue
		}
		all := make([]state.Line, 0, w.Lines)
		for k := range w.Lines - len(w.Tail) {
			all = append(all, state.Line{At: w.Run.StartedAt, Kind: state.LineText, Text: l.says(fmt.Sprintf("Line %d of what it said before.", k+1))})
		}
		all = append(all, w.Tail...)
		t := state.Transcript{Run: run, Total: len(all), Next: -1}
		if find != "" {
			for k := from; k >= 0 && k < len(all); k += n {
				if widget.Holds(all[k].Text, find) {
					t.Next = k
					break
				}
			}
			return t, l.err
		}
		if from < 0 {
			from = max(len(all)-n, 0)
		}
		t.From = min(from, len(all))
		t.Lines = all[t.From:min(t.From+n, len(all))]
		return t, l.err
	}
	return state.Transcript{}, errors.New("no such run")
}

func (l *library) Diff(_ context.Context, q state.DiffQuery) (state.Diff, error) {
	if l.err != nil {
		return state.Diff{}, l.err
	}
	d := state.Diff{Title: l.says("Login"), Base: l.says("main"), Head: "9c1f2e"}
	for _, p := range l.snap().Pulls {
		if p.PR.Name == q.PR && p.PR.HeadSHA != "" {
			d.Head = p.PR.HeadSHA
		}
	}
	if l.none {
		return d, nil
	}
	d.Files = sampleFiles()
	d.Dirty = q.PR == ""
	if l.text != "" {
		for i := range d.Files {
			f := &d.Files[i]
			f.Path, f.From = l.text, l.text
			for j := range f.Lines {
				f.Lines[j].Text = l.text
			}
		}
	}
	return d, nil
}

func (l *library) Money(context.Context) (state.Money, error) {
	switch {
	case l.err != nil:
		return state.Money{}, l.err
	case l.none:
		return state.Money{}, nil
	}
	line := func(name string, usd float64, tokens int64, runs int) state.MoneyLine {
		return state.MoneyLine{Name: l.says(name), USD: usd, Tokens: tokens, Runs: runs}
	}
	return state.Money{
		Today: 4.12, Cap: 25, Unpriced: 48_000,
		ByIssue: []state.MoneyLine{line("ACM-22", 1.90, 310_000, 3), line("ACM-10", 1.20, 120_000, 2), line("ACM-12", 0.43, 48_200, 1), line("ACM-31", 0.31, 22_000, 1), line("ACM-5", 0.28, 21_400, 2)},
		ByDay:   []state.MoneyLine{line("2026-08-27", 4.12, 521_600, 9), line("2026-08-26", 18.40, 2_400_000, 31), line("2026-08-25", 0.02, 900, 1)},
		ByKind:  []state.MoneyLine{line("developer", 3.41, 480_000, 5), line("reviewer", 0.71, 41_600, 4)},
	}, nil
}

func (l *library) Preview(context.Context) (state.Preview, error) {
	switch {
	case l.err != nil:
		return state.Preview{}, l.err
	case l.none:
		return state.Preview{At: noon}, nil
	}
	return state.Preview{At: noon, Lines: []state.PreviewLine{
		{Ref: "ACM-9", Does: l.says("bring #38 up to date, then start a developer (Changes Requested)")},
		{Ref: "ACM-5", Does: l.says("set it to Done: its pull request is merged")},
		{Ref: "ACM-21", Waits: l.says("2 of 2 developers would be busy then")},
		{Ref: "ACM-22", Waits: l.says("2 of 2 developers are busy")},
		{Ref: "ACM-30", Waits: l.says("blocked by ACM-21")},
		{Ref: "ACM-31", Waits: l.says("confirm with you first")},
	}}, nil
}

func (l *library) says(s string) string {
	if l.text != "" {
		return l.text
	}
	return s
}

// sampleFiles are a change with every kind of file and long lines.
func sampleFiles() []state.DiffFile {
	var lines []state.DiffLine
	was, is := 37, 37
	add := func(op, text string) {
		l := state.DiffLine{Op: op, Text: text}
		if op == " " || op == "-" {
			l.Old, was = was, was+1
		}
		if op == " " || op == "+" {
			l.New, is = is, is+1
		}
		lines = append(lines, l)
	}
	lines = append(lines, state.DiffLine{Op: "@", Text: "@@ -37,9 +37,12 @@ func NewStore(db *sql.DB) *Store {"})
	add(" ", "")
	add(" ", "// Login lets a user in.")
	add(" ", "func Login(ctx context.Context, u User) error {")
	add("-", "\tif u.Name == \"\" { return errors.New(\"a user without a name cannot log in, ask an administrator for one\") }")
	add("-", "\treturn store.Open(u)")
	add("+", "\tif u.Locked {")
	add("+", "\t\treturn ErrLocked // 日本語 in a comment, so that wide characters stand in a line that is far too long for a window of eighty cells")
	add("+", "\t}")
	add("+", "\treturn store.OpenFor(ctx, u, WithDeadline(5*time.Second), WithRetry(3), WithAudit(audit.Default()))")
	add(" ", "}")
	lines = append(lines, state.DiffLine{Op: "@", Text: "@@ -120,3 +123,4 @@ func Logout(ctx context.Context) {"})
	was, is = 120, 123
	add(" ", "\tdefer store.Close()")
	add("+", "\tmetrics.Logins.Dec()")
	add(" ", strings.Repeat("}", 3))
	return []state.DiffFile{
		{Path: "auth/login.go", Kind: "modified", Added: 5, Removed: 2, Lines: lines},
		{Path: "auth/token.go", Kind: "added", Added: 2, Lines: []state.DiffLine{{Op: "@", Text: "@@ -0,0 +1,2 @@"}, {Op: "+", New: 1, Text: "package auth"}, {Op: "+", New: 2, Text: ""}}},
		{Path: "auth/internal/session/store/very/deeply/nested/legacy_cookie_store.go", Kind: "deleted", Removed: 212, Cut: true},
		{Path: "docs/login.md", From: "docs/signin.md", Kind: "renamed"},
		{Path: "docs/flow.png", Kind: "binary"},
	}
}
