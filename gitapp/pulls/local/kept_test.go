package local

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// closedOnes are n records of merged pull requests, changed long ago.
func closedOnes(tb testing.TB, n int) *Store {
	tb.Helper()
	s := Open(Options{Dir: tb.TempDir(), Repo: tb.TempDir(), Base: "main"})
	for i := 1; i <= n; i++ {
		writeClosed(tb, s, i, "first", time.Now().Add(-time.Hour))
	}
	return s
}

func writeClosed(tb testing.TB, s *Store, number int, title string, at time.Time) {
	tb.Helper()
	r := record{
		Number: number, Title: title, State: board.PullMerged, Base: "main", Head: fmt.Sprint("task/x-", number),
		Reviews: []board.Review{{ID: "1", Body: "good"}},
	}
	if err := s.save(&r); err != nil {
		tb.Fatal(err)
	}
	if err := os.Chtimes(s.path(number), at, at); err != nil {
		tb.Fatal(err)
	}
}

func titleOf(t *testing.T, s *Store) string {
	t.Helper()
	prs, err := s.List(t.Context(), true)
	if err != nil || len(prs) != 1 {
		t.Fatalf("%d pull requests, %v", len(prs), err)
	}
	return prs[0].Title
}

// What is kept of a closed pull request counts only while its file is the
// same: written anew, edited in place, broken and gone are all seen.
func TestKeptRecordsAreTheirFiles(t *testing.T) {
	t.Parallel()
	s := closedOnes(t, 1)
	hour := time.Now().Add(-time.Hour)
	if got := titleOf(t, s); got != "first" || len(s.closed) != 1 {
		t.Fatalf("title %q, %d kept", got, len(s.closed))
	}
	// Another file of the same size and time.
	writeClosed(t, s, 1, "other", hour)
	if got := titleOf(t, s); got != "other" {
		t.Errorf("written anew, the title is %q", got)
	}
	// The same file, edited in place.
	path := s.path(1)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(string(data[:1])+" "+string(data[1:])), 0o600); err != nil {
		t.Fatal(err)
	}
	if _ = titleOf(t, s); len(s.closed) != 0 {
		t.Error("a file that was changed just now is believed to stay as it is")
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.List(t.Context(), true); err == nil {
		t.Error("a broken record is not told")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if prs, err := s.List(t.Context(), true); err != nil || len(prs) != 0 {
		t.Errorf("gone, and still there are %d, %v", len(prs), err)
	}
}

// What a caller does with a list changes no later one.
func TestKeptRecordsAreNotTheCallers(t *testing.T) {
	t.Parallel()
	s := closedOnes(t, 1)
	for range 2 {
		prs, err := s.List(t.Context(), true)
		if err != nil || len(prs) != 1 || len(prs[0].Reviews) != 1 || prs[0].Reviews[0].Body != "good" {
			t.Fatalf("%+v, %v", prs, err)
		}
		prs[0].Reviews[0].Body = "changed"
	}
}

// A look at the pull requests of a long life: none is open.
func BenchmarkListOfClosed(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := closedOnes(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if prs, err := s.List(b.Context(), false); err != nil || len(prs) != 0 {
					b.Fatal(len(prs), err)
				}
			}
		})
	}
}
