package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// bench is a copy of the tree in which tests run.
type bench struct {
	tmp  string // everything of ours, the tests' own temporary files included
	tree string
}

// newBench copies what git tracks or would track, as it stands in the working
// tree.
func newBench(ctx context.Context, tmp string) (*bench, error) {
	b := &bench{tmp: tmp, tree: filepath.Join(tmp, "tree")}
	out, err := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the tree: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		if err := b.copyFile(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, fmt.Errorf("copy the tree: %w", err)
		}
	}
	return b, os.Mkdir(filepath.Join(tmp, "t"), 0o755)
}

func (b *bench) copyFile(name string) error {
	info, err := os.Stat(name)
	if err != nil || info.IsDir() {
		return err
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	to := filepath.Join(b.tree, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
}

// test runs the tests of packages, with one file in the place of another where
// overlay names such.
func (b *bench) test(ctx context.Context, packages []string, run, overlay string) (string, error) {
	args := append([]string{"test", "-vet=off", "-count=1", "-failfast", "-timeout=120s", "-ldflags=-s -w", "-run=" + run}, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = b.tree
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(b.tmp, "t"))
	if overlay != "" {
		// By the environment, so that tests that build the program see it too.
		cmd.Env = append(cmd.Env, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -overlay="+overlay))
	}
	cmd.WaitDelay = 5 * time.Second // what a broken test leaves running holds its output open
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// baseline runs every test that a mutation will run: a mutation is killed by a
// test that passes without it.
func (b *bench) baseline(ctx context.Context, list []mutation) error {
	runs := map[string][]string{}
	for i := range list {
		for _, p := range list[i].Tests {
			runs[p] = append(runs[p], list[i].Run)
		}
	}
	for p, names := range runs {
		slices.Sort(names)
		names = slices.Compact(names)
		run := strings.Join(names, "|")
		if names[0] == "" {
			run = ""
		}
		if out, err := b.test(ctx, []string{p}, run, ""); err != nil {
			return fmt.Errorf("the tests of %s do not pass as they are: %w\n%s", p, err, out)
		}
	}
	return nil
}

// The kinds of verdict.
const (
	killedBy   = "killed"
	survived   = "SURVIVED"
	notApplied = "DOES NOT APPLY"
)

type verdict struct{ kind, detail string }

// judgeAll tries some mutations at once and yields the verdicts in order.
func (b *bench) judgeAll(ctx context.Context, list []mutation, jobs int) func(func(int, verdict) bool) {
	return func(yield func(int, verdict) bool) {
		verdicts := make([]chan verdict, len(list))
		free := make(chan struct{}, max(jobs, 1))
		var wg sync.WaitGroup
		for n := range list {
			verdicts[n] = make(chan verdict, 1)
			wg.Go(func() {
				free <- struct{}{}
				defer func() { <-free }()
				verdicts[n] <- b.judge(ctx, &list[n], n)
			})
		}
		for n := range verdicts {
			if !yield(n, <-verdicts[n]) {
				break
			}
		}
		wg.Wait()
	}
}

var (
	failed      = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	timedOut    = regexp.MustCompile(`panic: test timed out`)
	unbuildable = regexp.MustCompile(`\[(?:build|setup) failed\]`)
)

func (b *bench) judge(ctx context.Context, m *mutation, n int) verdict {
	text, err := m.apply(b.tree)
	if err != nil {
		return verdict{notApplied, fmt.Sprintf("%s: %v", m.File, err)}
	}
	overlay, err := b.overlay(m, n, text)
	if err != nil {
		return verdict{notApplied, err.Error()}
	}
	out, err := b.test(ctx, m.Tests, m.Run, overlay)
	switch {
	case ctx.Err() != nil:
		return verdict{notApplied, "interrupted"}
	case err == nil:
		return verdict{survived, m.Rule}
	case unbuildable.MatchString(out):
		return verdict{notApplied, "it does not compile: " + lastLines(out)}
	}
	if by := failed.FindStringSubmatch(out); by != nil {
		return verdict{killedBy, "by " + by[1]}
	}
	if timedOut.MatchString(out) {
		return verdict{killedBy, "by a test that no longer ends"}
	}
	return verdict{killedBy, "by " + strings.Join(m.Tests, " ")}
}

// overlay writes the mutated file, and the file that puts it in the place of
// the original for the go command.
func (b *bench) overlay(m *mutation, n int, text string) (string, error) {
	dir := filepath.Join(b.tmp, strconv.Itoa(n))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	mutated, file := filepath.Join(dir, filepath.Base(m.File)), filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(mutated, []byte(text), 0o600); err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(b.tree, filepath.FromSlash(m.File)): mutated},
	})
	if err != nil {
		return "", err
	}
	return file, os.WriteFile(file, data, 0o600)
}

func lastLines(out string) string {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	return strings.Join(lines[:min(len(lines), 3)], "; ")
}
