package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

func newRunsCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "runs",
		Short: "List the runs of workers, newest first",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runRuns(cmd.Context(), f, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "answer as JSON")
	return cmd
}

func runRuns(ctx context.Context, f *app.Factory, asJSON bool) error {
	runs, err := f.ListRuns(ctx)
	if err != nil {
		return failWith(err)
	}
	if asJSON {
		return printJSON(f, runs)
	}
	rows := make([][]string, 0, len(runs))
	for _, r := range runs {
		rows = append(rows, []string{
			r.Run, string(r.Ref), string(r.Kind), strconv.Itoa(r.Try), stamp(r.Started), took(f, r), fmt.Sprintf("$%.4f", r.CostUSD), r.Outcome,
		})
	}
	return table(f, []string{"RUN", "REF", "KIND", "TRY", "STARTED", "TOOK", "COST", "OUTCOME"}, rows)
}

// took is how long a run took, or has taken.
func took(f *app.Factory, r app.RunInfo) string {
	end := r.Ended
	if end.IsZero() {
		end = f.Now()
	}
	if r.Started.IsZero() {
		return ""
	}
	return max(0, end.Sub(r.Started)).Round(time.Second).String()
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// runNames are the issues that have runs, and the runs.
func runNames(ctx context.Context, f *app.Factory) []cobra.Completion {
	runs, err := f.ListRuns(ctx)
	if err != nil {
		return nil
	}
	var out []cobra.Completion
	seen := map[string]bool{}
	for _, r := range runs {
		if ref := string(r.Ref); !seen[ref] {
			seen[ref] = true
			out = append(out, choice(ref, "the newest: "+r.Outcome))
		}
	}
	for _, r := range runs {
		out = append(out, choice(r.Run, string(r.Ref)+" "+string(r.Kind)+", "+r.Outcome))
	}
	return out
}
