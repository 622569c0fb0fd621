package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/app"
)

func newBoardStateCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "state <ref> <role|name>",
		Short: "Move an issue to a state",
		Long: `Move an issue to a state, named by its role (backlog, ready,
changes-requested, in-progress, question, human-review) or as the board names
it. An issue without a parent is closed by merging its pull request.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("state takes an issue and a state, for example: state DSP-12 in-progress")
			}
			return nil
		},
		ValidArgsFunction: completingOnce(f, refs, roles),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBoardState(cmd.Context(), f, args[0], strings.Join(args[1:], " "))
		},
	}
}

func runBoardState(ctx context.Context, f *app.Factory, arg, name string) error {
	if _, known := board.ParseRole(name); !known && strings.EqualFold(strings.ReplaceAll(name, " ", "-"), "ai-review") {
		return fmt.Errorf("move %s to %s: %w: there is no review state; review is in-progress with the reviewer as delegate (board assign)", arg, name, board.ErrForbidden)
	}
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	before, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	if err := p.SetStateName(ctx, ref, name); err != nil {
		return err
	}
	after, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	if before.State == after.State {
		return say(f, "%s already at %s", ref, after.State)
	}
	return say(f, "%s: %s -> %s", ref, before.State, after.State)
}

func newBoardClaimCmd(f *app.Factory) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "claim <ref> <dev|review|cleanup>",
		Short: "Claim an issue for a session, or re-stamp its claim",
		Args:  exactArgs("an issue", "a kind (dev, review or cleanup)"),
		ValidArgsFunction: completingOnce(f, refs, func(context.Context, *app.Factory) []cobra.Completion {
			return []cobra.Completion{"dev", "review", "cleanup"}
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, ok := board.ParseClaimWord(args[1])
			if !ok {
				return fmt.Errorf("claim takes dev, review or cleanup, not %q", args[1])
			}
			return runBoardClaim(cmd.Context(), f, args[0], kind, sessionOf(f, session))
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "the session that works the issue (default CLAUDE_CODE_SESSION_ID)")
	return cmd
}

func runBoardClaim(ctx context.Context, f *app.Factory, arg string, kind board.Kind, session string) error {
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	before, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	req := board.ClaimRequest{Kind: kind, Session: session}
	if kind == board.KindCleaner {
		req.From = before.Role
	}
	if before.Claim != nil && before.Claim.Session == session && before.Claim.Kind == kind {
		req.Run, req.From = before.Claim.Run, before.Claim.From
	}
	claim, err := p.Claim(ctx, ref, req)
	if err != nil {
		return err
	}
	replaced := ""
	if before.Claim != nil {
		replaced = " (replaced " + claimWord(before.Claim) + ")"
	}
	return say(f, "%s claimed %s%s", ref, claimWord(&claim), replaced)
}

func newBoardAssignCmd(f *app.Factory) *cobra.Command {
	return &cobra.Command{
		Use:   "assign <ref> <developer|reviewer>",
		Short: "Hand an issue to an agent phase, without a session; clears any claim",
		Args:  exactArgs("an issue", "an agent (developer or reviewer)"),
		ValidArgsFunction: completingOnce(f, refs, func(context.Context, *app.Factory) []cobra.Completion {
			return []cobra.Completion{"developer", "reviewer"}
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBoardAssign(cmd.Context(), f, args[0], board.Delegate(args[1]))
		},
	}
}

func runBoardAssign(ctx context.Context, f *app.Factory, arg string, to board.Delegate) error {
	if to != board.DelegateDeveloper && to != board.DelegateReviewer {
		return fmt.Errorf("assign takes developer or reviewer, not %q", to)
	}
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	before, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	if err := p.Assign(ctx, ref, to); err != nil {
		return err
	}
	was, cleared := "", ""
	if before.Delegate != board.DelegateNone {
		was = fmt.Sprintf(" (was %s)", before.Delegate)
	}
	if before.Claim != nil {
		cleared = ", cleared " + claimWord(before.Claim)
	}
	return say(f, "%s assigned to %s%s%s", ref, to, was, cleared)
}

func newBoardReleaseCmd(f *app.Factory) *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "release <ref>",
		Short: "Release an issue: claim, delegate and assignee go",
		Long: `Release an issue: its claim, its delegate and its assignee go. With --session
another session's claim is left alone; an issue without a claim is cleared all
the same.`,
		Args:              exactArgs("an issue"),
		ValidArgsFunction: completingOnce(f, refs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBoardRelease(cmd.Context(), f, args[0], session)
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "release only this session's claim")
	return cmd
}

func runBoardRelease(ctx context.Context, f *app.Factory, arg, session string) error {
	p, ref, err := boardRef(ctx, f, arg)
	if err != nil {
		return err
	}
	before, err := p.Row(ctx, ref)
	if err != nil {
		return err
	}
	if err := p.Release(ctx, ref, session); err != nil {
		return err
	}
	switch {
	case session != "" && before.Claim != nil && before.Claim.Session != session:
		return say(f, "%s left alone: claimed by %s, not %s", ref, claimWord(before.Claim), session)
	case before.Claim != nil:
		return say(f, "%s released (was %s)", ref, claimWord(before.Claim))
	case before.Delegate != board.DelegateNone:
		return say(f, "%s had no claim; cleared the %s delegate it was left with", ref, before.Delegate)
	case before.Assignee != "":
		return say(f, "%s had no claim; cleared its assignee %s", ref, before.Assignee)
	}
	return say(f, "%s has no claim", ref)
}
