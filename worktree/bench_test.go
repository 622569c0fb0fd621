package worktree_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/internal/git/gittest"
	"github.com/backside4charter/dispatcher/worktree"
)

// BenchmarkCreate makes worktrees of a repository of 5,000 files in pairs, ours
// and one by git alone, on fresh paths; nothing is deleted before the end. The
// figure to watch is ours/git, at most 1.10 (design.md, section 16).
func BenchmarkCreate(b *testing.B) {
	r := gittest.Empty(b, "main")
	for i := range 5000 {
		r.Write(fmt.Sprintf("dir%d/file%d.txt", i%100, i), fmt.Sprintf("content of file %d\n", i))
	}
	r.Commit("Many files")
	m := manager(r)
	var ours, gits time.Duration
	n := 0
	for b.Loop() {
		n++
		start := time.Now()
		r.Git("worktree", "add", "--quiet", "-b", fmt.Sprintf("git-%d", n), filepath.Join(m.Root(), fmt.Sprintf("git-%d", n)), "main")
		gits += time.Since(start)
		start = time.Now()
		if _, err := m.Create(ctx, worktree.CreateRequest{Ref: fmt.Sprintf("DSP-%d", n), Title: "x", RunID: "r", PID: deadPID, Base: "main"}); err != nil {
			b.Fatal(err)
		}
		ours += time.Since(start)
	}
	b.ReportMetric(float64(ours)/float64(gits), "ours/git")
}
