package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newBoardPollCmd(f *app.Factory) *cobra.Command {
	var q board.Query
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "poll <milestone>...",
		Short: "List the open issues of the milestones, in board order",
		Long: `List the open issues of the milestones in board order, one line each:
milestone, state, delegate, claim, issue, labels, assignee, blockers, prs,
parent, subs, title. The milestone "(none)" stands for issues without one.
With --json each issue also has its role, and in "waits" why it is not worked.`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: completing(f, milestones),
		RunE: func(cmd *cobra.Command, args []string) error {
			q.Milestones = args
			if len(args) == 0 && !q.AllMilestones {
				return errors.New("poll needs at least one milestone (`dispatcher board milestones` lists them), or --all-milestones")
			}
			return runBoardPoll(cmd.Context(), f, q, asJSON)
		},
	}
	cmd.Flags().BoolVar(&q.Closed, "all", false, "closed issues too")
	cmd.Flags().BoolVar(&q.AllMilestones, "all-milestones", false, "issues of every milestone")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func runBoardPoll(ctx context.Context, f *app.Factory, q board.Query, asJSON bool) error {
	p, err := f.Board(ctx)
	if err != nil {
		return err
	}
	rows, err := p.Poll(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		return printPollJSON(ctx, f, rows)
	}
	now := f.Now()
	cells := make([][]string, len(rows))
	for n := range rows {
		cells[n] = pollCells(&rows[n], now)
	}
	return table(f, []string{
		"milestone", "state", "delegate", "claim", "issue", "labels", "assignee", "blockers", "prs", "parent", "subs", "title",
	}, cells)
}

func pollCells(i *board.Issue, now time.Time) []string {
	claim, subs, title := "", "", i.Title
	if i.Claim != nil {
		claim = i.Claim.Short(now)
	}
	if s := subsOf(i); s != nil {
		subs = fmt.Sprintf("%d/%d", s.Closed, s.Total)
	}
	if i.Unreadable != "" {
		title = "unreadable: " + i.Unreadable
	}
	return []string{
		i.Milestone, i.State, string(i.Delegate), claim, string(i.Ref), strings.Join(i.Labels, ","), i.Assignee,
		joinRefs(i.OpenBlockers()), strings.Join(i.PRs, ","), string(i.Parent), subs, title,
	}
}

func joinRefs(refs []board.Ref) string { return strings.Join(words(refs), ",") }

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for n, s := range list {
		out[n] = string(s)
	}
	return out
}

// pollRow is one issue of `board poll --json`.
type pollRow struct {
	Milestone string         `json:"milestone"`
	State     string         `json:"state"`
	Delegate  board.Delegate `json:"delegate"`
	Claim     *pollClaim     `json:"claim"`
	Ref       board.Ref      `json:"ref"`
	Labels    []string       `json:"labels"`
	Assignee  string         `json:"assignee"`
	Blockers  []string       `json:"blockers"` // those that are open
	PRs       []string       `json:"prs"`
	Parent    board.Ref      `json:"parent"`
	Subs      *pollSubs      `json:"subs"`
	Title     string         `json:"title"`
	Role      board.Role     `json:"role"`
	Waits     string         `json:"waits"`
}

type pollClaim struct {
	Kind       board.Kind `json:"kind"`
	Session    string     `json:"session"`
	Stamp      time.Time  `json:"stamp"`
	AgeMinutes int        `json:"ageMinutes"`
}

type pollSubs struct {
	Closed int `json:"closed"`
	Total  int `json:"total"`
}

func subsOf(i *board.Issue) *pollSubs {
	if len(i.Children) == 0 {
		return nil
	}
	s := &pollSubs{Total: len(i.Children)}
	for _, c := range i.Children {
		if c.Closed {
			s.Closed++
		}
	}
	return s
}

func claimJSON(c *board.Claim, now time.Time) *pollClaim {
	if c == nil {
		return nil
	}
	return &pollClaim{Kind: c.Kind, Session: c.Session, Stamp: c.Stamp, AgeMinutes: c.Age(now)}
}

func printPollJSON(ctx context.Context, f *app.Factory, rows []board.Issue) error {
	waits, err := f.BoardWaits(ctx, rows)
	if err != nil {
		return err
	}
	now := f.Now()
	out := make([]pollRow, len(rows))
	for n := range rows {
		i := &rows[n]
		out[n] = pollRow{
			Milestone: i.Milestone, State: i.State, Delegate: i.Delegate, Claim: claimJSON(i.Claim, now), Ref: i.Ref,
			Labels: words(i.Labels), Assignee: i.Assignee, Blockers: words(i.OpenBlockers()), PRs: words(i.PRs),
			Parent: i.Parent, Subs: subsOf(i), Title: i.Title, Role: i.Role, Waits: waits(i),
		}
	}
	return printJSON(f, out)
}
