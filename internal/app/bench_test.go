package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
)

const benchIssues = 10_000

// BenchmarkFiring is a firing of a running loop on a native board of 10,000
// issues in which nothing has changed and nothing is to be started: real board,
// real git, no worker.
func BenchmarkFiring(b *testing.B) {
	f := benchRepository(b)
	s, err := f.open(b.Context(), StartOptions{Milestones: []string{"m0"}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	s.options.Poll, s.options.Wakes = time.Hour, nil
	e := loop.New(s.options, s.deps)
	over := make(chan error, 1)
	go func() {
		_, err := e.Run(b.Context())
		over <- err
	}()
	snapshots := e.Subscribe(b.Context())
	fired := func(n int) {
		for snap := range snapshots {
			if at := len(snap.Firings); at > 0 && snap.Firings[at-1].N >= n {
				if snap.PollError != "" {
					b.Fatal(snap.PollError)
				}
				return
			}
		}
	}
	fired(1) // what is new is read once
	n := 1
	b.ReportAllocs()
	for b.Loop() {
		n++
		if _, err := e.Send(b.Context(), state.Command{Kind: state.CommandFire}); err != nil {
			b.Fatal(err)
		}
		fired(n)
	}
	b.StopTimer()
	if _, err := e.Send(b.Context(), state.Command{Kind: state.CommandLeave}); err != nil {
		b.Fatal(err)
	}
	if err := <-over; err != nil {
		b.Fatal(err)
	}
}

// benchRepository is a repository with a board that has been worked for a
// while; every row of it waits for its owner.
func benchRepository(b *testing.B) *Factory {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	script := filepath.Join(dir, "agents.json")
	agent := map[string]any{"kind": "script", "script": script}
	config, err := json.Marshal(map[string]any{
		"platform": "native", "agents": map[string]any{"developer": agent, "reviewer": agent, "cleaner": agent},
	})
	if err != nil {
		b.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	if err := os.Mkdir(repo, 0o755); err != nil {
		b.Fatal(err)
	}
	for path, text := range map[string][]byte{
		script: []byte(`{"version":1,"default":{}}`), filepath.Join(repo, "dispatcher.config.json"): config,
	} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	env := slices.DeleteFunc(git.CleanEnv(os.Environ()), func(kv string) bool { return strings.HasPrefix(kv, "DISPATCHER_") })
	for _, args := range [][]string{
		{"init", "-q", "-b", "main", "."},
		{"add", "."},
		{"-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "-qm", "Begin"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = repo, env
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	fresh := func() *Factory {
		f := &Factory{
			IO: &IO{}, Dir: repo, Now: time.Now, Getenv: func(string) string { return "" }, Environ: func() []string { return env },
		}
		f.supervisedWorker = func() (board.Actor, bool) { return board.Actor{}, false }
		return f
	}
	doc := multiplied(b, fresh())
	if err := os.RemoveAll(filepath.Join(repo, ".dispatcher")); err != nil {
		b.Fatal(err)
	}
	f := fresh()
	fillBoard(b, f, doc)
	return f
}

// multiplied is one issue as a board exports it, and as many like it.
func multiplied(b *testing.B, f *Factory) []byte {
	b.Helper()
	p, err := f.Board(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.Create(b.Context(), board.NewIssue{
		Title: "An issue with a title of usual length", Milestone: "m0", State: board.RoleReady, Labels: []string{"Confirm with user"},
		Body: strings.Repeat("Some words of a description, on a line.\n", 8),
	}); err != nil {
		b.Fatal(err)
	}
	doc, err := p.Export(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var d map[string]any
	if err := json.Unmarshal(doc, &d); err != nil {
		b.Fatal(err)
	}
	list, _ := d["issues"].([]any)
	one, err := json.Marshal(list[0])
	if err != nil {
		b.Fatal(err)
	}
	var more []json.RawMessage
	for n := 1; n <= benchIssues; n++ {
		next := bytes.Replace(one, []byte(`"DSP-1"`), []byte(fmt.Sprintf(`"DSP-%d"`, n)), 1)
		more = append(more, bytes.Replace(next, []byte(`"m0"`), []byte(fmt.Sprintf(`"m%d"`, n%10)), 1))
	}
	d["issues"] = more
	all, err := json.Marshal(d)
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func fillBoard(b *testing.B, f *Factory, doc []byte) {
	b.Helper()
	p, err := f.Board(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := p.Import(b.Context(), doc); err != nil {
		b.Fatal(err)
	}
	// The stamps of files written this moment are not believed yet.
	old := time.Now().Add(-time.Hour)
	issues := filepath.Join(f.Dir, ".dispatcher", "board", "issues")
	entries, err := os.ReadDir(issues)
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range entries {
		if err := os.Chtimes(filepath.Join(issues, e.Name()), old, old); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.Chtimes(issues, old, old); err != nil {
		b.Fatal(err)
	}
}
