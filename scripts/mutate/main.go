// Command mutate shows that the guards of this program are tested: it breaks
// each in a copy of the tree, one line at a time, and asks that a test fails.
//
// The mutations are data, scripts/mutations.json. For each it says killed and
// by which test, SURVIVED, or why it could not be judged; the last line counts.
// It fails when one survives, or no longer applies to the code. The working
// tree is never written to.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// run judges all mutations and prints a line for each, in their order.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	file := flags.String("list", "scripts/mutations.json", "the list of mutations")
	only := flags.String("only", "", "a regular expression: these names or files only")
	jobs := flags.Int("j", max(1, runtime.NumCPU()), "how many are tried at once")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("read -only: %w", err)
	}
	all, err := load(*file)
	if err != nil {
		return err
	}
	list := all[:0:0]
	for _, m := range all {
		if chosen.MatchString(m.Name) || chosen.MatchString(m.File) {
			list = append(list, m)
		}
	}
	tmp, err := os.MkdirTemp("", "mutate-*")
	if err != nil {
		return fmt.Errorf("make a folder for the copy: %w", err)
	}
	defer os.RemoveAll(tmp)
	b, err := newBench(ctx, tmp)
	if err != nil {
		return err
	}
	began := time.Now()
	if err := b.baseline(ctx, list); err != nil {
		return err
	}
	fmt.Fprintf(out, "The tests pass without a mutation (%s).\n", since(began))
	killed := 0
	for n, v := range b.judgeAll(ctx, list, *jobs) {
		if v.kind == killedBy {
			killed++
		}
		fmt.Fprintf(out, "%-14s %s: %s (%s)\n", v.kind, filepath.ToSlash(filepath.Dir(list[n].File)), list[n].Name, cmp.Or(v.detail, list[n].Rule))
	}
	fmt.Fprintf(out, "%d mutations, %d killed in %s\n", len(list), killed, since(began))
	if err := ctx.Err(); err != nil {
		return err
	}
	if killed < len(list) {
		return fmt.Errorf("%d were not killed", len(list)-killed)
	}
	return nil
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }
