package present

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/themes"
	"github.com/backside4charter/dispatcher/tui/widget"
)

// QuietAfter is how long a worker may give no sign of life before it is shown
// as quiet. It is a matter of display only: the loop decides what is stale.
const QuietAfter = 10 * time.Minute

// Status is why a row stands where it stands, in words and with a sign.
type Status struct {
	Tone  themes.Tone
	Sign  string
	Text  string // the second line, without the sign
	Short string // at the right of a list row, without the sign
}

// Describe says in words why a row stands where it stands. worker and pull are
// the row's own, nil if it has none.
func Describe(row *state.Row, worker *state.Worker, pull *state.Pull, now time.Time, signs *themes.Signs) Status {
	issue := &row.Issue
	switch {
	case issue.Unreadable != "":
		return Status{themes.ToneDanger, signs.Failed, "unreadable: " + widget.Clean(issue.Unreadable), "unreadable"}
	case worker != nil && row.Run != "":
		return DescribeWorker(worker, now, signs)
	}
	switch issue.Role {
	case board.RoleQuestion:
		age := widget.Since(issue.StateSince, now)
		return Status{themes.ToneAttention, signs.Question, join("asked "+widget.Ago(issue.StateSince, now), number(pull)), age}
	case board.RoleHumanReview:
		return describeReview(issue, pull, now, signs)
	case board.RoleDone:
		return Status{themes.ToneGood, signs.Done, join("done "+widget.Ago(issue.StateSince, now), number(pull)), widget.Since(issue.StateSince, now)}
	case board.RoleInProgress:
		if s, ok := describeClaim(issue, now, signs); ok && row.Hold != "attention" && row.Hold != "held" {
			return s
		}
	case board.RoleNone, board.RoleBacklog, board.RoleReady, board.RoleChangesRequested:
	}
	s := describeHold(row, signs)
	if issue.Role == board.RoleChangesRequested {
		s.Text = join(s.Text, rounds(pull))
		if pull != nil && s.Short == "" {
			s.Short = number(pull)
		}
	}
	return s
}

// DescribeWorker says what a run of ours does now.
func DescribeWorker(w *state.Worker, now time.Time, signs *themes.Signs) Status {
	run := &w.Run
	kind := KindWord(run.Kind)
	switch run.Phase {
	case state.PhaseClaiming, state.PhaseClaimed, state.PhaseStarting:
		return Status{themes.ToneAlive, signs.Starting, kind + " starting", "starting"}
	case state.PhaseVerifying:
		since := widget.Lasted(now.Sub(first(run.VerifyingSince, now)))
		return Status{themes.ToneAlive, signs.Starting, join("verifying "+since, "checks run"), "verifying"}
	case state.PhaseRetrying:
		in := "try " + fmt.Sprint(run.Attempt+1) + " in " + widget.Clock(run.NotBefore.Sub(now))
		return Status{themes.ToneWarn, signs.Starting, join(in, widget.Clean(cmp.Or(run.PutOff, run.Failure))), "retry"}
	case state.PhaseTakenOver:
		return Status{themes.ToneWarn, signs.Held, "you have it (taken over)", "yours"}
	case state.PhaseEnded:
		return Status{themes.ToneAlive, signs.Done, join(kind+" finished", "reading the result"), "finished"}
	case state.PhaseRunning:
	}
	if w.Waiting {
		return Status{themes.ToneWarn, signs.Held, join(kind+" interrupted", "waits for your word"), "waits for you"}
	}
	age := widget.Lasted(now.Sub(first(run.StartedAt, run.ClaimedAt, now)))
	if !w.LastSign.IsZero() && now.Sub(w.LastSign) > QuietAfter {
		return Status{themes.ToneWarn, signs.Stale, join(kind+" "+age, "quiet for "+widget.Since(w.LastSign, now)), "quiet " + widget.Since(w.LastSign, now)}
	}
	return Status{themes.ToneAlive, signs.Alive, join(kind+" "+age, widget.Clean(w.Activity)), kind + " " + age}
}

// KindWord is a kind of worker in at most three letters.
func KindWord(k board.Kind) string {
	switch k {
	case board.KindDeveloper:
		return "dev"
	case board.KindReviewer:
		return "rev"
	case board.KindCleaner:
		return "cln"
	}
	return widget.Clean(string(k))
}

// Checks says how a pull request's checks stand: `✓ 4/4`, `✗ lint`, `◐ 2/4`.
func Checks(p *board.PullRequest, signs *themes.Signs) (string, themes.Tone) {
	green, bad := 0, ""
	for _, c := range p.CheckRuns {
		switch c.State {
		case board.ChecksGreen:
			green++
		case board.ChecksRed:
			if bad == "" {
				bad = widget.Clean(c.Name)
			}
		case board.ChecksNone, board.ChecksPending, board.ChecksUnknown:
		}
	}
	count := ""
	if n := len(p.CheckRuns); n > 0 {
		count = fmt.Sprintf(" %d/%d", green, n)
	}
	switch p.Checks {
	case board.ChecksGreen:
		return signs.Done + count, themes.ToneGood
	case board.ChecksRed:
		if bad == "" {
			bad = "red"
		}
		return signs.Failed + " " + bad, themes.ToneDanger
	case board.ChecksPending:
		return signs.Starting + count, themes.ToneWarn
	case board.ChecksNone:
		return signs.No + " none", themes.ToneMuted
	case board.ChecksUnknown:
		return signs.Ellipsis + " unknown", themes.ToneWarn
	}
	return signs.Ellipsis + count, themes.ToneMuted // nobody knows yet
}

// ChecksInFull is Checks with the reason why they are unknown, whole, for where
// there is room.
func ChecksInFull(p *board.PullRequest, signs *themes.Signs) (string, themes.Tone) {
	text, tone := Checks(p, signs)
	if p.Checks == board.ChecksUnknown && p.ChecksWhy != "" {
		text += ": " + widget.Clean(p.ChecksWhy)
	}
	return text, tone
}

// Merge says whether a pull request could be merged, and how far it is behind.
func Merge(p *board.PullRequest) (string, themes.Tone) {
	word, tone := "unknown yet", themes.ToneMuted
	switch p.Mergeable {
	case board.MergeClean:
		word, tone = "clean", themes.ToneGood
	case board.MergeConflict:
		word, tone = "conflict", themes.ToneDanger
	case board.MergeUnknown:
	}
	if p.Behind > 0 {
		word = join(word, "behind "+fmt.Sprint(p.Behind))
		if tone == themes.ToneGood {
			tone = themes.ToneWarn
		}
	}
	return word, tone
}

func describeReview(issue *board.Issue, pull *state.Pull, now time.Time, signs *themes.Signs) Status {
	age := widget.Since(issue.StateSince, now)
	if pull == nil {
		return Status{themes.ToneAttention, signs.Attention, join("waits for your review", age), "review " + age}
	}
	checks, tone := Checks(&pull.PR, signs)
	sign, rest, _ := strings.Cut(checks, " ")
	s := Status{Tone: tone, Sign: sign}
	switch {
	case pull.PR.Mergeable == board.MergeConflict:
		s.Tone, s.Sign = themes.ToneDanger, signs.Failed
		s.Text = join(number(pull)+" conflicts with main", age)
	case pull.PR.Behind > 0:
		s.Text = join(number(pull)+" "+rest, "behind "+fmt.Sprint(pull.PR.Behind), age)
	default:
		s.Text = join(number(pull)+" "+rest, age)
	}
	s.Short = strings.TrimSpace(rest + " " + age)
	return s
}

// describeClaim is for rows that somebody else works.
func describeClaim(issue *board.Issue, now time.Time, signs *themes.Signs) (Status, bool) {
	if c := issue.Claim; c != nil {
		age := widget.Age(time.Duration(c.Age(now)) * time.Minute)
		return Status{themes.ToneWarn, signs.Stale, join(KindWord(c.Kind)+" "+age, "another session"), age}, true
	}
	if issue.HumanOwned() {
		return Status{themes.TonePlain, signs.Alive, widget.Clean(issue.Assignee) + " works it", widget.Clean(issue.Assignee)}, true
	}
	return Status{}, false
}

func describeHold(row *state.Row, signs *themes.Signs) Status {
	s := Status{Tone: themes.ToneMuted, Sign: signs.Held, Text: widget.Clean(row.Waits), Short: row.Hold}
	switch row.Hold {
	case "blocked", "parent":
		s.Sign = signs.Blocked
		if open := row.Issue.OpenBlockers(); len(open) > 0 {
			s.Short = widget.Clean(string(open[0]))
		}
	case "confirm":
		s.Tone, s.Short = themes.ToneAttention, "confirm"
	case "attention", "nopull", "noreply", "foreignpr", "unknownagent":
		s.Tone, s.Sign, s.Short = themes.ToneAttention, signs.Attention, "needs you"
	case "held":
		s.Tone, s.Short = themes.ToneAttention, "held"
	case "unreadable":
		s.Tone, s.Sign = themes.ToneDanger, signs.Failed
	case "claim", "human", "agent", "worked":
		s.Tone, s.Sign = themes.ToneWarn, signs.Stale
	case "verifying", "retry":
		s.Tone, s.Sign = themes.ToneAlive, signs.Starting
	case "slots":
		s.Sign, s.Short = signs.Dot, "no slot"
	case "next":
		s.Tone, s.Sign, s.Short = themes.ToneAccent, signs.Next, "next"
	case "backlog":
		s.Sign, s.Short = signs.Dot, ""
	case "paused":
		s.Tone = themes.ToneWarn
	}
	if row.Next && s.Sign == signs.Held {
		s.Tone, s.Sign, s.Short = themes.ToneAccent, signs.Next, "next"
	}
	if s.Text == "" {
		s.Text = "no reason known yet"
		if row.Next || row.Hold == "next" {
			s.Text = "next in line"
		}
	}
	return s
}

func rounds(p *state.Pull) string {
	if p == nil {
		return ""
	}
	n := 1
	for _, r := range p.PR.Reviews {
		if r.State == board.ReviewChangesRequested {
			n++
		}
	}
	if n == 1 {
		return number(p)
	}
	return join("round "+fmt.Sprint(n), number(p))
}

func number(p *state.Pull) string {
	if p == nil {
		return ""
	}
	return widget.Clean(p.PR.Name)
}

func join(parts ...string) string {
	out := ""
	for _, p := range parts {
		p = strings.TrimSpace(p)
		switch {
		case p == "":
		case out == "":
			out = p
		default:
			out += " · " + p
		}
	}
	return out
}

func first(ts ...time.Time) time.Time {
	for _, t := range ts {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
