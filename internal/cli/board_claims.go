package cli

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
	"github.com/backside4charter/dispatcher/internal/config"
)

func newBoardClaimsCmd(f *app.Factory) *cobra.Command {
	var session string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "List every claim, every queued row and every question, board-wide",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runBoardClaims(cmd.Context(), f, sessionOf(f, session), asJSON)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "whose claims are own (default CLAUDE_CODE_SESSION_ID)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// sessionOf is the session that a command acts for (dispatcher-system.md,
// Claims).
func sessionOf(f *app.Factory, flag string) string {
	if flag != "" {
		return flag
	}
	if s := f.Getenv("CLAUDE_CODE_SESSION_ID"); s != "" {
		return s
	}
	return "unknown-" + strings.ToLower(rand.Text()[:6])
}

// claimRow is one line of `board claims`.
type claimRow struct {
	Kind       string         `json:"kind"` // own-claim, claim, stale-claim, queued, question
	Milestone  string         `json:"milestone"`
	State      string         `json:"state"`
	Delegate   board.Delegate `json:"delegate"`
	Claim      *pollClaim     `json:"claim"`
	AgeMinutes int            `json:"ageMinutes"`
	Ref        board.Ref      `json:"ref"`
	Title      string         `json:"title"`

	text string
}

func runBoardClaims(ctx context.Context, f *app.Factory, session string, asJSON bool) error {
	cfg, err := f.Config(ctx)
	if err != nil {
		return err
	}
	p, err := f.Board(ctx)
	if err != nil {
		return err
	}
	issues, err := p.Poll(ctx, board.Query{AllMilestones: true})
	if err != nil {
		return err
	}
	found := []claimRow{}
	for n := range issues {
		found = append(found, claimRows(&issues[n], session, f.Now(), cfg.StaleWindow())...)
	}
	if asJSON {
		return printJSON(f, found)
	}
	var cells [][]string
	for _, r := range found {
		age := ""
		if r.Claim != nil {
			age = strconv.Itoa(r.AgeMinutes)
		}
		cells = append(cells, []string{r.Kind, r.Milestone, r.State, string(r.Delegate), r.text, age, string(r.Ref), r.Title})
	}
	if err := table(f, []string{"kind", "milestone", "state", "delegate", "claim", "age-min", "issue", "title"}, cells); err != nil {
		return err
	}
	fmt.Fprintf(f.IO.Err, "(%s)\n", whatIsStale(cfg))
	return nil
}

// whatIsStale says when a claim may be taken over. Only the native board has
// leases (design.md, section 6).
func whatIsStale(cfg *config.Config) string {
	if cfg.Platform == config.PlatformNative {
		return "a claim of another session is stale once its lease has run out"
	}
	return fmt.Sprintf("claims older than %d minutes from another session are stale", cfg.ClaimStaleMinutes)
}

// claimRows are the lines of one issue: its claim or that it is queued, and
// that it waits on a question.
func claimRows(i *board.Issue, session string, now time.Time, window time.Duration) []claimRow {
	var out []claimRow
	add := func(kind string) {
		out = append(out, claimRow{Kind: kind, Milestone: i.Milestone, State: i.State, Delegate: i.Delegate, Ref: i.Ref, Title: i.Title})
	}
	switch {
	case i.Unreadable != "":
		return nil
	case i.Claim != nil:
		kind := "claim"
		if i.Claim.Session == session {
			kind = "own-claim"
		} else if i.Claim.Stale(now, window) {
			kind = "stale-claim"
		}
		add(kind)
		out[0].Claim, out[0].AgeMinutes, out[0].text = claimJSON(i.Claim, now), i.Claim.Age(now), claimWord(i.Claim)
	case i.Delegate != board.DelegateNone:
		add("queued")
	}
	if i.Role == board.RoleQuestion {
		add("question")
	}
	return out
}

func newBoardPRIssuesCmd(f *app.Factory) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "pr-issues <pr>",
		Short: "List the issues that a pull request belongs to",
		Args:  exactArgs("a pull request, by number or URL"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBoardPRIssues(cmd.Context(), f, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// prIssue is one line of `board pr-issues`.
type prIssue struct {
	Ref   board.Ref `json:"ref"`
	State string    `json:"state"`
	Via   string    `json:"via"` // link, body, branch, title or mention
	Title string    `json:"title"`
}

func runBoardPRIssues(ctx context.Context, f *app.Factory, arg string, asJSON bool) error {
	pr, err := f.PullNamed(ctx, arg)
	if err != nil {
		return err
	}
	rows, err := f.IssuesOf(ctx, pr)
	if err != nil {
		return err
	}
	found := []prIssue{}
	for n := range rows {
		i := &rows[n].Issue
		found = append(found, prIssue{Ref: i.Ref, State: i.State, Via: string(rows[n].Via), Title: i.Title})
	}
	if asJSON {
		return printJSON(f, found)
	}
	var cells [][]string
	for _, i := range found {
		cells = append(cells, []string{string(i.Ref), i.State, i.Via, i.Title})
	}
	if err := table(f, []string{"issue", "state", "via", "title"}, cells); err != nil || len(found) > 0 {
		return err
	}
	return say(f, "(no board issue found for PR %s %s; link one with dispatcher board link-pr <ref> %s)", pr.Name, pr.Head, pr.Name)
}
