package diff

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/drafts"
	"github.com/backside4charter/dispatcher/tui/keymap"
	"github.com/backside4charter/dispatcher/tui/layout"
	"github.com/backside4charter/dispatcher/tui/pane"
	"github.com/backside4charter/dispatcher/tui/widget"
)

var noon = time.Date(2026, 8, 27, 12, 0, 0, 0, time.UTC)

func sample() state.Diff {
	line := func(op string, old, now int, text string) state.DiffLine {
		return state.DiffLine{Op: op, Old: old, New: now, Text: text}
	}
	return state.Diff{
		Title: "Login", Base: "main", Head: "9c1f2e00",
		Files: []state.DiffFile{
			{Path: "auth/token.go", Kind: "modified", Added: 1, Removed: 1, Lines: []state.DiffLine{
				line("@", 0, 0, "@@ -1,2 +1,2 @@"), line("-", 1, 0, "old token"), line("+", 0, 1, "new token"),
			}},
			{Path: "auth/login.go", Kind: "modified", Added: 2, Removed: 1, Lines: []state.DiffLine{
				line("@", 0, 0, "@@ -38,4 +38,5 @@ func Login"), line(" ", 40, 40, "func Login(ctx context.Context, u User) error {"),
				line("-", 41, 0, "\treturn check(u)"), line("+", 0, 41, "\tif u.Locked { return ErrLocked }"), line("+", 0, 42, "\treturn check(u) // \x1b[31mred"),
			}},
			{Path: "logo.png", Kind: "binary"},
		},
	}
}

type rig struct {
	t *testing.T
	*Model
	diff  state.Diff
	err   error
	asked int
	pull  *state.Pull
}

func newRig(t *testing.T) *rig {
	t.Helper()
	st := themes.For(true).Styles()
	r := &rig{t: t, Model: New(&st), diff: sample()}
	r.SetLoad(func(state.DiffQuery) (state.Diff, error) {
		r.asked++
		return r.diff, r.err
	})
	s := &state.Snapshot{
		Rows: []state.Row{{Issue: board.Issue{Ref: "ACM-3", Title: "Login"}}, {Issue: board.Issue{Ref: "ACM-4"}}},
		Pulls: []state.Pull{{Ref: "ACM-3", PR: board.PullRequest{
			Name: "#35", Title: "Login", Body: "Locks accounts.", Head: "task/acm-3", Base: "main", HeadSHA: "9c1f2e0011", Checks: board.ChecksGreen,
			CheckRuns: []board.Check{{Name: "unit", State: board.ChecksGreen}},
			Reviews:   []board.Review{{Author: "rev", State: board.ReviewComment, Commit: "9c1f2e0011", Body: "PASS at 9c1f2e", At: noon}},
		}}},
	}
	r.pull = &s.Pulls[0]
	r.SetBody(layout.Rect{W: 120, H: 20}, layout.ShapeColumns)
	r.SetSnapshot(s)
	return r
}

func (r *rig) open(s pane.Subject) {
	r.t.Helper()
	if _, why := r.Open(s); why != "" {
		r.t.Fatal(why)
	}
	r.settle()
}

func (r *rig) settle() {
	r.t.Helper()
	for range 10 {
		cmd := r.Ask(noon)
		if cmd == nil {
			return
		}
		for cmd != nil {
			cmd = r.Take(cmd()).Cmd
		}
	}
	r.t.Fatal("it asks and asks")
}

func (r *rig) screen() string {
	var out []string
	for i, l := range r.View(noon) {
		text := ansi.Strip(l)
		if w := ansi.StringWidth(text); w != r.body.W {
			r.t.Fatalf("line %d is %d wide: %q", i, w, text)
		}
		out = append(out, text)
	}
	if len(out) != r.body.H {
		r.t.Fatalf("%d lines", len(out))
	}
	return strings.Join(out, "\n")
}

func (r *rig) shows(texts ...string) {
	r.t.Helper()
	s := r.screen()
	for _, text := range texts {
		if !strings.Contains(s, text) {
			r.t.Fatalf("no %q in\n%s", text, s)
		}
	}
}

func TestAPullRequestIsRead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if _, why := r.Open(pane.Subject{Ref: "ACM-3"}); why != "" {
		t.Fatal(why)
	}
	r.shows("reading the change")
	r.settle()
	r.shows("ACM-3 Login · PR #35 · commented at 9c1f2e0 · ✓ 1/1 · +3 −2", "Files 3", "text and reviews", "auth/token.go", "1 + new token", "1 - old token")
	r.Act(keymap.NextPiece)
	r.shows("func Login", "41 +     if u.Locked { return ErrLocked }")
	r.Act(keymap.NextPiece)
	r.shows("a binary file")
	if reply := r.Act(keymap.NextPiece); reply.Say == "" {
		t.Error("there is a file after the last")
	}
	for range 3 {
		r.Act(keymap.PrevPiece)
	}
	r.shows("task/acm-3 → main", "Locks accounts.", "Checks ✓ 1/1", "1 review", "PASS at 9c1f2e")
}

func TestFilesAreSeenAtOneHead(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(pane.Subject{Ref: "ACM-3"})
	r.Act(keymap.Mark)
	r.shows("Files 3 · seen 1", "✓ auth/token.go", "func Login")
	r.diff.Head = "aaaa"
	r.pull.PR.HeadSHA = "aaaa"
	r.Act(keymap.Diff)
	r.settle()
	if s := r.screen(); strings.Contains(s, "seen 1") {
		t.Errorf("a file that changed counts as seen:\n%s", s)
	}
	if r.path() != "auth/login.go" {
		t.Errorf("reading again leads to %s", r.path())
	}
}

func TestAHeadThatMovesIsSaid(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(pane.Subject{Ref: "ACM-3"})
	if reply := r.Act(keymap.Merge); reply.Handled {
		t.Fatalf("the head that was read is not merged: %+v", reply)
	}
	r.pull.PR.HeadSHA = "bbbb22"
	r.shows("the branch has moved since you read it")
	if reply := r.Act(keymap.Merge); !reply.Handled || reply.Say == "" {
		t.Fatalf("a head that nobody has looked at is merged: %+v", reply)
	}
	r.diff.Head = "bbbb22"
	r.Act(keymap.Diff)
	r.settle()
	if reply := r.Act(keymap.Merge); reply.Handled {
		t.Fatalf("after a look it is still refused: %+v", reply)
	}
	if s := r.Subject(); s.Head != "bbbb22" || s.PR != "#35" || s.Ref != "ACM-3" {
		t.Errorf("subject %+v", s)
	}
}

func TestNotesStandAtTheirLine(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(pane.Subject{Ref: "ACM-3"})
	r.Act(keymap.NextPiece)
	if s := r.Subject(); s.At != "auth/login.go" {
		t.Errorf("from the list: %q", s.At)
	}
	r.Act(keymap.Open)
	r.Act(keymap.Down)
	r.Act(keymap.Down)
	r.Act(keymap.Down)
	if s := r.Subject(); s.At != "auth/login.go:41" {
		t.Errorf("under the cursor: %q", s.At)
	}
	b := drafts.New(nil)
	r.SetDrafts(b)
	b.Set(drafts.Request, "#35", "auth/login.go:41: say why")
	r.shows("your draft: 1 note")
	f := &pane.Open{Field: pane.Field{ID: drafts.ID(drafts.Request, "#35"), Name: "Request changes on #35"}, Input: widget.NewField(true)}
	f.Input.SetValue("auth/login.go:41: say why")
	if !r.Host(f) {
		t.Fatal("the notes have no place")
	}
	r.shows("Request changes on #35", "auth/login.go:41: say why", "↵ send all")
	if _, y, ok := r.Cursor(); !ok || !strings.Contains(strings.Split(r.screen(), "\n")[y], "say why") {
		t.Errorf("the cursor stands on line %d of\n%s", y, r.screen())
	}
	if r.Host(&pane.Open{Field: pane.Field{ID: "answer ACM-3"}}) {
		t.Error("another field is drawn here")
	}
}

func TestSideBySideAndFolded(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(pane.Subject{Ref: "ACM-3"})
	r.Act(keymap.NextPiece)
	r.Act(keymap.Layout)
	for _, l := range strings.Split(r.screen(), "\n") {
		if strings.Contains(l, "return check(u)") && !strings.Contains(l, "if u.Locked") && !strings.Contains(l, "42 +") {
			t.Errorf("the removed line stands alone: %q", l)
		}
	}
	r.Act(keymap.Open)
	r.Act(keymap.Open)
	if s := r.screen(); strings.Contains(s, "u.Locked") || !strings.Contains(s, "@@ -38") {
		t.Errorf("folded:\n%s", s)
	}
}

func TestFindGoesThroughAllFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(pane.Subject{Ref: "ACM-3"})
	r.Find("locked")
	if r.path() != "auth/login.go" || r.lineUnder() != 41 {
		t.Fatalf("found in %s:%d", r.path(), r.lineUnder())
	}
	if shown, total := r.Found(); shown != 1 || total != 3 {
		t.Errorf("%d of %d", shown, total)
	}
	r.Find("token")
	if r.path() != "auth/token.go" {
		t.Fatalf("from the end to the start: %s", r.path())
	}
	if reply := r.Act(keymap.NextMatch); reply.Say != "" || r.text.at != 2 {
		t.Errorf("the next match: row %d, %+v", r.text.at, reply)
	}
	r.Find("zebra")
	if reply := r.Act(keymap.NextMatch); reply.Say == "" {
		t.Error("what is nowhere was found")
	}
}

func TestWorktreesAndFailures(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if _, why := r.Open(pane.Subject{Ref: "ACM-4"}); why == "" {
		t.Error("the change of nothing")
	}
	r.snap.Workers = []state.Worker{{Run: state.Run{Ref: "ACM-4", Worktree: "/w/acm-4"}}}
	r.diff.Files, r.diff.Dirty = nil, true
	r.open(pane.Subject{Ref: "ACM-4"})
	r.shows("worktree · with changes that are not committed", "no change against main")
	other := newRig(t)
	other.err = errors.New("git fell over")
	other.open(pane.Subject{Ref: "ACM-3"})
	other.shows("the change cannot be read: git fell over", "d tries again")
	other.err = nil
	other.Act(keymap.Diff)
	other.settle()
	other.shows("new token")
	other.diff.Cut = true
	other.diff.Files[0].Cut, other.diff.Files[0].Lines = true, nil
	other.Act(keymap.Diff)
	other.settle()
	other.shows("too large: some files are cut", "too large to be shown here")
}

func TestEverySizeHolds(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.open(pane.Subject{Ref: "ACM-3"})
	r.Act(keymap.NextPiece)
	for _, sides := range []bool{false, true} {
		r.sides = sides
		for w := 1; w < 130; w += 3 {
			for h := 1; h < 24; h += 2 {
				for _, inside := range []bool{false, true} {
					r.inside = inside
					r.SetBody(layout.Rect{W: w, H: h}, layout.ShapeOf(w))
					r.screen()
				}
			}
		}
	}
}

// TestANewFileTakesTheWholeWidth: beside its lines there would be nothing.
func TestANewFileTakesTheWholeWidth(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.diff.Files[1] = state.DiffFile{Path: "new.go", Kind: "added", Added: 1, Lines: []state.DiffLine{
		{Op: "@", Text: "@@ -0,0 +1 @@"}, {Op: "+", New: 1, Text: strings.Repeat("x", 60)},
	}}
	r.open(pane.Subject{Ref: "ACM-3"})
	r.sides = true
	r.at = 1
	half := strings.Split(r.screen(), "\n")[3]
	if before, after, _ := strings.Cut(half, "old token"); !strings.HasSuffix(before, "1 - ") || !strings.Contains(after, "1 + new token") {
		t.Errorf("a changed file does not stand side by side: %q", half)
	}
	r.at, r.text = 2, textPlace{}
	r.shows("1 + " + strings.Repeat("x", 60))
}

// TestWithoutAReviewTheHeadingNamesNone: a lone dash says nothing.
func TestWithoutAReviewTheHeadingNamesNone(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.pull.PR.Reviews = nil
	r.open(pane.Subject{Ref: "ACM-3"})
	if head := strings.Split(r.screen(), "\n")[0]; strings.Contains(head, "–") || !strings.Contains(head, "#35 · ") {
		t.Errorf("it begins with %q", head)
	}
}
