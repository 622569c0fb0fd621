package cli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/internal/app"
)

// newCredentialCmd is git's credential helper for workers: every push and fetch
// gets a token of its own, so that none is too old (git-credential(1)).
func newCredentialCmd(f *app.Factory) *cobra.Command {
	var role string
	cmd := &cobra.Command{
		Use:    "__credential get|store|erase",
		Short:  "Answer git's question for a password with a fresh token",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, err := readCredential(f.IO.In)
			if err != nil {
				return fmt.Errorf("read git's question: %w", err)
			}
			if args[0] != "get" {
				return nil // nothing is ever kept
			}
			return answerCredential(cmd.Context(), f, role, asked)
		},
	}
	addApp(cmd, &role)
	return cmd
}

// credential is git's description of what a password is for.
type credential struct{ protocol, host, path string }

func readCredential(r io.Reader) (credential, error) {
	var c credential
	lines := bufio.NewScanner(io.LimitReader(r, 64<<10))
	for lines.Scan() && lines.Text() != "" {
		name, value, _ := strings.Cut(lines.Text(), "=")
		switch name {
		case "protocol":
			c.protocol = value
		case "host":
			c.host = value
		case "path":
			c.path = value
		}
	}
	return c, lines.Err()
}

// answerCredential gives a token to the forge of the repository and to nobody
// else; git asks its next helper then.
func answerCredential(ctx context.Context, f *app.Factory, role string, c credential) error {
	if err := ownApp(f, role); err != nil {
		return err
	}
	cfg, err := f.Config(ctx)
	if err != nil {
		return err
	}
	server, err := url.Parse(f.GitHubServer(cfg))
	if err != nil {
		return fmt.Errorf("GITHUB_SERVER_URL: %w", err)
	}
	if c.protocol != server.Scheme || !strings.EqualFold(c.host, server.Host) {
		return nil
	}
	if c.path != "" && !strings.EqualFold(strings.TrimSuffix(c.path, ".git"), cfg.Repository) {
		return nil
	}
	token, err := mint(ctx, f, role)
	if err != nil {
		return failWith(err)
	}
	_, err = fmt.Fprintf(f.IO.Out, "username=x-access-token\npassword=%s\n", token.Text)
	return err
}
