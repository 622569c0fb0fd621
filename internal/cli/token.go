package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/internal/app"
)

// addApp adds the flag that chooses an App.
func addApp(cmd *cobra.Command, role *string) {
	cmd.Flags().StringVar(role, "app", app.AppDeveloper, "which App: developer or reviewer")
	_ = cmd.RegisterFlagCompletionFunc("app", cobra.FixedCompletions([]string{app.AppDeveloper, app.AppReviewer}, cobra.ShellCompDirectiveNoFileComp))
}

// ownApp refuses a worker the other worker's App.
func ownApp(f *app.Factory, role string) error {
	actor, err := f.Actor()
	if err != nil {
		return err
	}
	if !actor.Worker() || (actor.Kind == board.ActorReviewer) == (role == app.AppReviewer) {
		return nil
	}
	return fmt.Errorf("token: %w: a %s may not act as the %s App", board.ErrForbidden, actor.Kind, role)
}

func newTokenCmd(f *app.Factory) *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use:   "token [--app developer|reviewer]",
		Short: "Print a fresh token of an agent identity on GitHub",
		Long: `Print a fresh installation token of a GitHub App, and nothing else. It lasts an
hour, reaches the configured repository only and is kept nowhere; give it to one
command:

  GH_TOKEN=$(dispatcher token --app reviewer) gh api repos/{owner}/{repo}/pulls`,
		Args:    noArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := ownApp(f, role); err != nil {
				return err
			}
			token, err := mint(cmd.Context(), f, role)
			if err != nil {
				return failWith(err)
			}
			_, err = io.WriteString(f.IO.Out, token.Text+"\n")
			return err
		},
	}
	addApp(cmd, &role)
	return cmd
}

func mint(ctx context.Context, f *app.Factory, role string) (gitapp.Token, error) {
	a, err := f.App(ctx, role)
	if err != nil {
		return gitapp.Token{}, err
	}
	forge, err := f.Forge(ctx)
	if err != nil {
		return gitapp.Token{}, err
	}
	return forge.Mint(ctx, a)
}

func newIdentityCmd(f *app.Factory) *cobra.Command {
	var role string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "identity [--app developer|reviewer]",
		Short: "Show who an agent is on GitHub, and what it may",
		Long: `Ask GitHub about an App: its installation, what that may, its account and the
address of its commits; and compare that with the configuration. Exits 1 when
something is missing or differs.`,
		Args:    noArgs,
		PreRunE: func(cmd *cobra.Command, _ []string) error { return refuseWorker(f, cmd) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			a, err := f.App(ctx, role)
			if err != nil {
				return err
			}
			forge, err := f.Forge(ctx)
			if err != nil {
				return err
			}
			in, err := forge.Inspect(ctx, a)
			if err != nil {
				return failWith(err)
			}
			return showIdentity(f, &in, asJSON)
		},
	}
	addApp(cmd, &role)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return cmd
}

func showIdentity(f *app.Factory, in *gitapp.Inspection, asJSON bool) error {
	var err error
	if asJSON {
		err = printJSON(f, in)
	} else {
		_, err = io.WriteString(f.IO.Out, identityText(in))
	}
	if err == nil && len(in.Missing)+len(in.Faults) > 0 {
		return silent(exitFail)
	}
	return err
}

func identityText(in *gitapp.Inspection) string {
	granted := make([]string, 0, len(in.Permissions))
	for name, level := range in.Permissions {
		granted = append(granted, name+": "+level)
	}
	slices.Sort(granted)
	var b strings.Builder
	for _, l := range []struct{ name, value string }{
		{"app", fmt.Sprintf("%s (%s, App %d)", in.Slug, in.Role, in.AppID)},
		{"installed on", in.Account + ", " + in.Selection + " repositories"},
		{"permissions", strings.Join(granted, ", ")},
		{"bot login", in.BotLogin},
		{"commits as", in.Email},
		{"token until", in.Expires.UTC().Format(time.RFC3339)},
	} {
		fmt.Fprintf(&b, "%-13s %s\n", l.name, shown(l.value))
	}
	for _, m := range in.Missing {
		fmt.Fprintf(&b, "missing       %s: grant it in the settings of the App, then accept it in the installation\n", shown(m))
	}
	for _, m := range in.Advised {
		fmt.Fprintf(&b, "advised       %s: without it the checks of pull requests may be unknown, and what is not known to be green waits\n", shown(m))
	}
	for _, fault := range in.Faults {
		fmt.Fprintf(&b, "differs       %s\n", shown(fault))
	}
	return b.String()
}
