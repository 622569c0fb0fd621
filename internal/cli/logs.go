package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

type logsOptions struct {
	follow, raw, asJSON bool
	tail                int // -1: all
}

func newLogsCmd(f *app.Factory) *cobra.Command {
	o := logsOptions{}
	cmd := &cobra.Command{
		Use:   "logs <run|ref>",
		Short: "Print what a worker said and did: of one run, or of an issue's newest",
		Args:  exactArgs("a run or an issue"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runLogs(cmd.Context(), f, args[0], o)
		},
		ValidArgsFunction: completingOnce(f, runNames),
	}
	flags := cmd.Flags()
	flags.BoolVarP(&o.follow, "follow", "f", false, "go on until the run ends")
	flags.BoolVar(&o.raw, "raw", false, "the agent's own output, as it was written")
	flags.BoolVar(&o.asJSON, "json", false, "a JSON object a line")
	flags.IntVarP(&o.tail, "tail", "n", -1, "the last lines only")
	cmd.MarkFlagsMutuallyExclusive("raw", "json")
	return cmd
}

func runLogs(ctx context.Context, f *app.Factory, name string, o logsOptions) error {
	if o.tail < -1 {
		return errors.New("--tail takes the number of lines, 0 or more")
	}
	l, info, err := f.FindRun(ctx, name)
	if err != nil {
		return failWith(err)
	}
	folder, err := l.Folder(info.Run)
	if err != nil {
		return failWith(err)
	}
	if o.raw {
		return failWith(rawLogs(ctx, f, l, folder, o))
	}
	tr, err := l.OpenTranscript(info.Run)
	if err != nil {
		return failWith(err)
	}
	p := newLogPrinter(f, o.asJSON)
	if !o.asJSON {
		if err := p.head(info); err != nil {
			return failWith(err)
		}
	}
	if err := followLogs(ctx, l, folder, tr, p, o); err != nil {
		return failWith(err)
	}
	if o.asJSON {
		return nil
	}
	_, now, err := f.FindRun(ctx, info.Run)
	if err != nil || now.Ended.IsZero() {
		return failWith(err)
	}
	return p.foot(fmt.Sprintf("ended %s after %s, $%.4f: %s", stamp(now.Ended), took(f, now), now.CostUSD, now.Outcome))
}
