package native_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
)

const (
	childDir = "NATIVE_TEST_CHILD_DIR"
	childID  = "NATIVE_TEST_CHILD_ID"
	rows     = 12
)

// child is another process on the same board: it claims what it can, comments
// on everything and makes an issue.
func child(dir, id string) error {
	ctx := context.Background()
	b, err := native.Open(native.Options{Dir: dir})
	if err != nil {
		return err
	}
	loop := board.NewPolicy(b, board.Actor{Kind: board.ActorDispatcher}, board.PolicyOptions{})
	for n := range rows {
		ref := board.Ref(fmt.Sprint("DSP-", n+1))
		_, err := loop.Claim(ctx, ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: id})
		if err == nil {
			fmt.Println("won", ref)
		} else if !errors.Is(err, board.ErrClaimConflict) {
			return err
		}
		if _, err := loop.Comment(ctx, ref, board.ActorDispatcher, "from "+id); err != nil {
			return err
		}
	}
	_, err = loop.As(owner).Create(ctx, board.NewIssue{Title: "by " + id})
	return err
}

func TestManyProcesses(t *testing.T) {
	if dir := os.Getenv(childDir); dir != "" {
		if err := child(dir, os.Getenv(childID)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	t.Parallel()
	const processes = 3
	dir := filepath.Join(t.TempDir(), "board")
	b := open(t, native.Options{Dir: dir})
	for n := range rows {
		seed(t, b, board.NewIssue{Title: fmt.Sprint("row ", n), State: board.RoleReady})
	}
	var children []*exec.Cmd
	var outs []*strings.Builder
	for n := range processes {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestManyProcesses$")
		cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=s%d", childID, n))
		out := &strings.Builder{}
		cmd.Stdout, cmd.Stderr = out, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	won := map[string]int{}
	for n, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(outs[n].String(), "\n") {
			if ref, ok := strings.CutPrefix(line, "won "); ok {
				won[ref]++
			}
		}
	}
	all := pollAll(t, b)
	if len(all) != rows+processes {
		t.Fatalf("%d issues, want %d: a number was given twice", len(all), rows+processes)
	}
	for _, i := range all[:rows] {
		if won[string(i.Ref)] != 1 || i.Epoch != 1 || i.Claim == nil {
			t.Errorf("%s was won %d times, epoch %d", i.Ref, won[string(i.Ref)], i.Epoch)
		}
		if len(i.Comments) != processes {
			t.Errorf("%s has %d comments, want %d: one was lost", i.Ref, len(i.Comments), processes)
		}
	}
	if want := rows + rows + rows*processes + processes; len(strings.Fields(eventTypes(t, b, "DSP-1"))) != 2+processes || countEvents(t, b) != want {
		t.Errorf("%d events, want %d", countEvents(t, b), want)
	}
}

func countEvents(t *testing.T, b *native.Board) int {
	t.Helper()
	events, _, err := b.Events(0)
	if err != nil {
		t.Fatal(err)
	}
	return len(events)
}

// TestPollSeesOthersWrites keeps one client polling while another writes: what
// it answers is never older than the write before it.
func TestPollSeesOthersWrites(t *testing.T) {
	t.Parallel()
	writer, o, _ := setup(t)
	reader := open(t, o)
	for n := range 50 {
		if _, err := writer.Comment(t.Context(), owner, "DSP-2", board.ActorOwner, fmt.Sprint("same length ", n%10)); err != nil {
			t.Fatal(err)
		}
		if got := len(pollAll(t, reader)[1].Comments); got != n+1 {
			t.Fatalf("after comment %d the reader sees %d", n+1, got)
		}
	}
	// In place, with the same size: only the time stamp tells.
	path := issueFile(o.Dir, "DSP-1")
	for _, title := range []string{"uno", "eno", "ono"} {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		was := pollAll(t, reader)[0].Title
		edit(t, path, `"title": "`+was+`"`, `"title": "`+title+`"`)
		if got := pollAll(t, reader)[0].Title; got != title {
			t.Fatalf("after %d bytes were edited in place the reader sees %q, want %q", len(data), got, title)
		}
	}
}

// TestPollFollowsTheFolder changes which files there are under a client that
// has polled before.
func TestPollFollowsTheFolder(t *testing.T) {
	t.Parallel()
	writer, o, _ := setup(t)
	reader := open(t, o)
	want := func(what, refs string) {
		t.Helper()
		for range 2 {
			if got := order(t, reader); got != refs {
				t.Fatalf("%s: the reader sees %q, want %q", what, got, refs)
			}
		}
	}
	want("at first", "1 2 3")
	seed(t, writer, board.NewIssue{Title: "four"})
	want("a new issue", "1 2 3 4")
	if err := os.Remove(issueFile(o.Dir, "DSP-2")); err != nil {
		t.Fatal(err)
	}
	want("one file less", "1 3 4")
	if err := os.WriteFile(filepath.Join(writer.IssuesDir(), "notes.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	want("a stranger's file", "1 3 4")
	if err := writer.Place(t.Context(), owner, "DSP-4", board.Place{Top: true}); err != nil {
		t.Fatal(err)
	}
	want("another order", "4 1 3")
	if err := os.Rename(writer.IssuesDir(), writer.IssuesDir()+".aside"); err != nil {
		t.Fatal(err)
	}
	want("no folder", "")
	if err := os.Rename(writer.IssuesDir()+".aside", writer.IssuesDir()); err != nil {
		t.Fatal(err)
	}
	want("the folder again", "4 1 3")
	if err := os.RemoveAll(writer.IssuesDir()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(writer.IssuesDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	want("another folder", "")
	if ref := seed(t, writer, board.NewIssue{Title: "five"}); ref != "DSP-5" {
		t.Fatalf("a number was given twice: %s", ref)
	}
	want("an issue in it", "5")
}

func TestPollEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Poll(ctx, board.Query{AllMilestones: true}); !errors.Is(err, context.Canceled) {
		t.Fatalf("poll: %v", err)
	}
}

// TestWaitForALockEndsWithItsContext has another process hold an issue.
func TestWaitForALockEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b, o, _ := setup(t)
	hold(t, filepath.Join(o.Dir, "locks", "DSP-1.lock"))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := b.Comment(ctx, owner, "DSP-1", board.ActorOwner, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("comment: %v", err)
	}
	if _, err := b.Comment(t.Context(), owner, "DSP-2", board.ActorOwner, "x"); err != nil {
		t.Fatalf("another issue waits too: %v", err)
	}
}
