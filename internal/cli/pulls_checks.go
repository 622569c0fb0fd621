package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newPullsChecksCmd(f *app.Factory) *cobra.Command {
	var run, asJSON bool
	cmd := onPull(f, "checks", "Show the results of the checks at a pull request's head", func(cmd *cobra.Command, name string) error {
		actor, err := f.Actor()
		if err != nil {
			return err
		}
		if run && actor.Worker() {
			return fmt.Errorf("%w: a %s reads checks, the loop runs them", board.ErrForbidden, actor.Kind)
		}
		store, err := f.Pulls(cmd.Context())
		if err != nil {
			return err
		}
		get := store.Get
		if run {
			get = store.RerunChecks
		}
		pr, err := get(cmd.Context(), name)
		if err != nil {
			return err
		}
		return printChecks(f, &pr, asJSON)
	})
	cmd.Flags().BoolVar(&run, "run", false, "run those that are not green at this head, without a loop")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print an object")
	return cmd
}

// checksJSON is `pulls checks --json`.
type checksJSON struct {
	PR     string           `json:"pr"`
	Head   string           `json:"head"`
	State  board.CheckState `json:"state"`
	Checks []board.Check    `json:"checks"`
}

func printChecks(f *app.Factory, pr *board.PullRequest, asJSON bool) error {
	if asJSON {
		out := checksJSON{PR: pr.Name, Head: pr.HeadSHA, State: pr.Checks, Checks: pr.CheckRuns}
		if out.Checks == nil {
			out.Checks = []board.Check{}
		}
		return printJSON(f, out)
	}
	rows := make([][]string, 0, len(pr.CheckRuns))
	for _, c := range pr.CheckRuns {
		rows = append(rows, []string{c.Name, string(c.State), short(c.Head), c.Finished.Sub(c.Started).Round(time.Second).String()})
	}
	if err := table(f, []string{"check", "state", "head", "took"}, rows); err != nil {
		return err
	}
	note(f, "%s at %s: %s", pr.Name, short(pr.HeadSHA), checksWord(pr))
	var b strings.Builder
	for _, c := range pr.CheckRuns {
		if c.State == board.ChecksRed {
			fmt.Fprintf(&b, "\n%s:\n%s\n", c.Name, indent(c.Summary))
		}
	}
	_, err := io.WriteString(f.IO.Out, shown(b.String()))
	return err
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ")
}
