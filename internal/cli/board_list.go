package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/config"
)

func newBoardConfigCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show the resolved configuration: platform, states, labels",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := f.Config(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f, boardConfigJSON(cfg))
			}
			return printBoardConfig(f, cfg)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// boardConfig is the configuration as far as it names the board.
type boardConfig struct {
	Config            string            `json:"config"`
	Platform          config.Platform   `json:"platform"`
	Repository        string            `json:"repository"`
	Project           string            `json:"project"`
	States            map[string]string `json:"states"`
	Labels            config.Labels     `json:"labels"`
	ClaimStaleMinutes int               `json:"claimStaleMinutes"`
}

func boardConfigJSON(cfg *config.Config) boardConfig {
	c := boardConfig{
		Config: cfg.Path, Platform: cfg.Platform, Repository: cfg.Repository, Labels: cfg.Labels(),
		ClaimStaleMinutes: cfg.ClaimStaleMinutes, States: map[string]string{},
	}
	switch cfg.Platform {
	case config.PlatformNative:
		c.Project = fmt.Sprintf("%s (key %s)", cfg.NativeDir(), cfg.Native.Key)
		c.States = cfg.Native.States
	case config.PlatformLinear:
		c.Project = fmt.Sprintf("%s (team %s)", cfg.Linear.ProjectURL, cfg.Linear.TeamKey)
		c.States = cfg.Linear.States
	case config.PlatformGitHub:
		c.Project = fmt.Sprintf("https://github.com/orgs/%s/projects/%d", cfg.GitHub.Owner, cfg.GitHub.ProjectNumber)
		for role, s := range cfg.GitHub.States {
			c.States[role] = s.Name
		}
	}
	return c
}

func printBoardConfig(f *app.Factory, cfg *config.Config) error {
	c := boardConfigJSON(cfg)
	var out strings.Builder
	fmt.Fprintf(&out, "config: %s\nplatform: %s\nrepository: %s\nproject: %s\nstates:\n", c.Config, c.Platform, orDash(c.Repository), c.Project)
	for _, r := range board.Roles() {
		if name := c.States[string(r)]; name != "" {
			fmt.Fprintf(&out, "  %s: %s\n", r, name)
		}
	}
	fmt.Fprintf(&out, "labels: confirmWithUser=%q ui=%q\nclaims stale after: %d min", c.Labels.ConfirmWithUser, c.Labels.UI, c.ClaimStaleMinutes)
	return say(f, "%s", out.String())
}

func newBoardStatesCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "states",
		Short: "List the board's states in order",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.Board(cmd.Context())
			if err != nil {
				return err
			}
			states, err := p.States(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f, states)
			}
			var rows [][]string
			for _, s := range states {
				rows = append(rows, []string{s.Name, string(s.Role), yesNo(s.Closed), s.ID})
			}
			return table(f, []string{"name", "role", "closed", "id"}, rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func newBoardMilestonesCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "milestones",
		Short: "List the milestones with how many issues are open in each",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := f.Board(cmd.Context())
			if err != nil {
				return err
			}
			all, err := p.Milestones(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(f, all)
			}
			var rows [][]string
			for _, m := range all {
				rows = append(rows, []string{m.Name, strconv.Itoa(m.Open)})
			}
			return table(f, []string{"milestone", "open"}, rows)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
