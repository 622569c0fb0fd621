package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

// newBoardCmd is `dispatcher board`: every read and write of the board that a
// person, a worker or a script makes (dispatcher-system.md, CLI).
func newBoardCmd(f *app.Factory) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "board",
		Short: "Read and write the board",
		Long: `Read and write the board. Text output has fixed columns, parted by tabs, with
a - where there is nothing; data commands take --json too. Issues are named in
any case. Errors exit 2.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			fmt.Fprint(f.IO.Err, cmd.UsageString())
			return silent(exitUsage)
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
	}
	cmd.PersistentFlags().StringVar(&f.ConfigPath, "config", "", "the configuration file")
	cmd.PersistentFlags().StringVar(&f.Platform, "platform", "", "the board to use: native, linear or github")
	completeFlag(f, cmd, "platform", platforms)
	for _, c := range []func(*app.Factory) *cobra.Command{
		newBoardConfigCmd, newBoardStatesCmd, newBoardMilestonesCmd, newBoardPollCmd, newBoardIssueCmd,
		newBoardClaimsCmd, newBoardPRIssuesCmd, newBoardLimitsCmd,
		newBoardStateCmd, newBoardClaimCmd, newBoardAssignCmd, newBoardReleaseCmd,
		newBoardCommentCmd, newBoardAnswerCmd, newBoardLabelCmd, newBoardLinkPRCmd, newBoardTickCmd,
		newBoardCreateCmd, newBoardEditCmd, newBoardBlockCmd, newBoardMoveCmd, newBoardExportCmd, newBoardImportCmd,
	} {
		sub := c(f)
		completeFlags(f, sub)
		cmd.AddCommand(sub)
	}
	return cmd
}

// refuseWorker holds a worker process to what its kind may ask of the command
// line, and to the main checkout's configuration (design.md, section 11).
// Hidden commands are ours to run, not the worker's.
func refuseWorker(f *app.Factory, cmd *cobra.Command) error {
	actor, err := f.Actor()
	if err != nil {
		return err
	}
	if !actor.Worker() || cmd.Hidden {
		return nil
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	if !board.MayRun(actor, name) {
		return fmt.Errorf("%s: %w: a %s may not run it", name, board.ErrForbidden, actor.Kind)
	}
	for _, flag := range []string{"config", "platform"} {
		if f := cmd.Flag(flag); f != nil && f.Changed {
			return fmt.Errorf("%s: %w: a worker uses the configuration it was given, without --%s", name, board.ErrForbidden, flag)
		}
	}
	return nil
}

// boardRef is the board, and the issue that an argument names on it.
func boardRef(ctx context.Context, f *app.Factory, arg string) (*board.Policy, board.Ref, error) {
	p, err := f.Board(ctx)
	if err != nil {
		return nil, "", err
	}
	ref, err := p.ParseRef(arg)
	return p, ref, err
}

// bodyFlags are the two ways to hand over a text.
type bodyFlags struct {
	text string
	file string
}

func (b *bodyFlags) add(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&b.text, "body", "", what)
	cmd.Flags().StringVar(&b.file, "body-file", "", what+", from a file; - is standard input")
	cmd.MarkFlagsMutuallyExclusive("body", "body-file")
}

// read answers the text, and false when none was given.
func (b *bodyFlags) read(f *app.Factory, cmd *cobra.Command) (string, bool, error) {
	if b.file == "" {
		return b.text, cmd.Flags().Changed("body"), nil
	}
	data, err := readInput(f, b.file)
	return string(data), true, err
}

// maxInput is more than any text or document of ours holds, in bytes.
const maxInput = 256 << 20

// byteOrderMark is what some editors begin a file with. It would hide the
// checkbox, or the closing line, that a text begins with.
const byteOrderMark = "\xef\xbb\xbf"

// readInput reads a file relative to the working directory, or standard input.
func readInput(f *app.Factory, path string) ([]byte, error) {
	data, err := readRaw(f, path)
	return bytes.TrimPrefix(data, []byte(byteOrderMark)), err
}

func readRaw(f *app.Factory, path string) ([]byte, error) {
	if path == "-" {
		data, err := io.ReadAll(io.LimitReader(f.IO.In, maxInput))
		if err != nil {
			return nil, fmt.Errorf("read standard input: %w", err)
		}
		return data, nil
	}
	data, err := os.ReadFile(inDir(f, path))
	if err != nil {
		return nil, fmt.Errorf("read the text: %w", err)
	}
	return data, nil
}

// printJSON writes a value for programs: indented, and with characters as they
// are.
func printJSON(f *app.Factory, v any) error {
	enc := json.NewEncoder(f.IO.Out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// say prints one line of a command's answer.
func say(f *app.Factory, format string, args ...any) error {
	_, err := fmt.Fprintln(f.IO.Out, shown(fmt.Sprintf(format, args...)))
	return err
}

// table writes rows of tab-separated cells under a header; nothing in a cell
// is a -.
func table(f *app.Factory, header []string, rows [][]string) error {
	for _, row := range rows {
		for n := range row {
			row[n] = orDash(row[n])
		}
	}
	var out strings.Builder
	for _, row := range slices.Concat([][]string{header}, rows) {
		for n := range row {
			if n > 0 {
				out.WriteByte('\t')
			}
			out.WriteString(cell(row[n]))
		}
		out.WriteByte('\n')
	}
	_, err := io.WriteString(f.IO.Out, out.String())
	return err
}

// cell keeps a text from breaking its row.
func cell(s string) string { return oneCell.Replace(shown(s)) }

var oneCell = strings.NewReplacer("\t", " ", "\n", " ")

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
