package app

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board/linear"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// Limits are what is left of the hour at the servers that the repository uses.
type Limits struct {
	*linear.Left
	GitHub []ghapi.Left `json:"github,omitempty"`
}

// Limits asks each server what is left of the hour. While a limit is reached
// Linear is asked nothing.
func (f *Factory) Limits(ctx context.Context) (Limits, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return Limits{}, err
	}
	var l Limits
	if cfg.Platform == config.PlatformLinear {
		left, err := f.linearLimits(ctx)
		if err != nil {
			return l, err
		}
		l.Left = &left
	}
	if cfg.Platform == config.PlatformGitHub {
		if err := f.askLeft(ctx, &l, "your login", func(ctx context.Context) (ghapi.Token, error) {
			text, err := f.boardToken(ctx)
			return ghapi.Token{Text: text}, err
		}); err != nil {
			return l, err
		}
	}
	if worker := f.Getenv("DISPATCHER_WORKER") != ""; cfg.Pulls.Kind == config.PullsGitHub && cfg.GitHubApps != nil && !worker {
		if err := f.appLimits(ctx, &l); err != nil {
			return l, err
		}
	}
	if l.Left == nil && l.GitHub == nil {
		return l, errors.New("nothing of this configuration counts requests; Linear and GitHub do")
	}
	return l, nil
}

func (f *Factory) linearLimits(ctx context.Context) (linear.Left, error) {
	if _, err := f.Board(ctx); err != nil {
		return linear.Left{}, err
	}
	if f.linear == nil {
		return linear.Left{}, errors.New("the board is not Linear's here")
	}
	return f.linear.Limits(ctx)
}

func (f *Factory) appLimits(ctx context.Context, l *Limits) error {
	forge, err := f.Forge(ctx)
	if err != nil {
		return err
	}
	for _, role := range []string{AppDeveloper, AppReviewer} {
		a, err := f.App(ctx, role)
		if err != nil {
			return err
		}
		if err := f.askLeft(ctx, l, "the "+role+" App", func(ctx context.Context) (ghapi.Token, error) {
			t, err := forge.Mint(ctx, a)
			return ghapi.Token{Text: t.Text, Expires: t.Expires}, err
		}); err != nil {
			return err
		}
	}
	return nil
}

func (f *Factory) askLeft(ctx context.Context, l *Limits, login string, mint func(context.Context) (ghapi.Token, error)) error {
	cfg, err := f.Config(ctx)
	if err != nil {
		return err
	}
	api := cmp.Or(f.gitHubURL(cfg, apiURL), "https://api.github.com")
	home, err := url.Parse(api)
	if err != nil {
		return err
	}
	t := &ghapi.Transport{
		Host: home.Host, Session: &ghapi.Session{Mint: mint, Now: f.Now}, Gate: &ghapi.Gate{Now: f.Now}, Next: http.DefaultTransport,
	}
	left, err := t.Ask(ctx, api, login)
	if err == nil {
		l.GitHub = append(l.GitHub, left)
	}
	return err
}

// Text says it to a person, a line for each login.
func (l Limits) Text(now time.Time) string {
	var lines []string
	if l.Left != nil {
		lines = append(lines, l.Left.Text(now))
	}
	for _, g := range l.GitHub {
		lines = append(lines, g.Text())
	}
	return strings.Join(lines, "\n")
}
