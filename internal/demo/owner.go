package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
)

// row is what the owner's part needs of a row of `board poll --json`.
type row struct {
	Ref      board.Ref  `json:"ref"`
	Role     board.Role `json:"role"`
	Labels   []string   `json:"labels"`
	Blockers []string   `json:"blockers"`
	Claim    *struct{}  `json:"claim"`
	Waits    string     `json:"waits"` // why it is not worked
}

// busy says that the loop was not through with the row.
func (r *row) busy() bool {
	return r.Claim != nil || r.Role == board.RoleChangesRequested || r.Role != board.RoleDone && r.Waits == ""
}

// Owner is what the owner can do now, as commands to paste: answer the
// question, take the label off, move what waits, ask for changes once, merge
// the rest; start again; merge what came of that. Played from top to bottom
// they bring every issue to Done. binary is the copy of the program that stays
// when this one is gone.
func Owner(ctx context.Context, d Demo, binary string) (string, error) {
	rows, pulls, err := d.situation(ctx)
	if err != nil {
		return "", err
	}
	p := newPart(d, binary)
	if slices.ContainsFunc(rows, func(r row) bool { return r.busy() }) {
		p.text("The loop was not through. It goes on with:")
		p.line("cd " + shellWord(d.Repo))
		p.command("start", Milestone)
		return p.b.String(), nil
	}
	p.text("What is left is the owner's. Played like this, from top to bottom, it brings every issue to Done:")
	p.line("cd " + shellWord(d.Repo))
	later := p.now(rows, pulls)
	if p.moves == 0 {
		p = newPart(d, binary)
		p.text("Every issue is done. Look around:")
		p.line("cd " + shellWord(d.Repo))
		p.command("board", "poll", "--all", Milestone)
		p.line("git log --graph --oneline --all")
		return p.b.String(), nil
	}
	p.command("start", Milestone, "--no-tui", "--until-idle")
	if len(later) > 0 {
		p.text("Then merge what came of it, and see that nothing is left:")
		for _, n := range later {
			p.command(p.merge(n)...)
		}
		if p.platform == config.PlatformGitHub {
			p.line("git pull --quiet --ff-only")
		}
		p.command("start", Milestone, "--no-tui", "--until-idle")
	}
	return p.b.String(), nil
}

// situation reads the board and the pull requests.
func (d *Demo) situation(ctx context.Context) ([]row, []board.PullRequest, error) {
	var rows []row
	var pulls []board.PullRequest
	for _, q := range []struct {
		into any
		args []string
	}{
		{&rows, []string{"board", "poll", Milestone, "--json"}},
		{&pulls, []string{"pulls", "list", "--all", "--json"}},
	} {
		out, err := d.run(ctx, d.Repo, q.args...)
		if err == nil {
			err = json.Unmarshal([]byte(out), q.into)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("look at the demo's board: %w", err)
		}
	}
	return rows, pulls, nil
}

// part collects the owner's part.
type part struct {
	b      strings.Builder
	binary string
	moves  int // commands that change something

	platform config.Platform
}

// newPart begins with what keeps the board reachable, where that is needed.
func newPart(d Demo, binary string) *part {
	p := &part{binary: shellWord(binary)}
	p.platform = d.Platform
	if served := map[config.Platform]string{config.PlatformLinear: "Linear", config.PlatformGitHub: "GitHub"}[d.Platform]; served != "" {
		p.text("This demo's " + served + " runs as long as something serves it. Keep it reachable from another terminal:")
		p.command("demo", "--serve", "--dir", d.Dir)
	}
	return p
}

func (p *part) text(s string) { fmt.Fprintf(&p.b, "\n%s\n\n", s) }
func (p *part) line(s string) { fmt.Fprintf(&p.b, "    %s\n", s) }

func (p *part) command(args ...string) {
	words := []string{p.binary}
	for _, a := range args {
		words = append(words, shellWord(a))
	}
	p.line(strings.Join(words, " "))
}

func (p *part) move(args ...string) {
	p.moves++
	p.command(args...)
}

// merge is the owner's merge: on GitHub they do it on its page.
func (p *part) merge(n int) []string {
	if p.platform == config.PlatformGitHub {
		return []string{"demo", "merge", strconv.Itoa(n)}
	}
	return []string{"pulls", "merge", strconv.Itoa(n)}
}

// now writes what can be done at once and answers the numbers of the pull
// requests that will be there to merge afterwards: numbers are given one after
// another, so those of the issues that have none yet are known.
func (p *part) now(rows []row, pulls []board.PullRequest) []int {
	var later []int
	next := 1
	for i := range pulls {
		next = max(next, pulls[i].Number+1)
	}
	if p.platform == config.PlatformGitHub { // where issues count with them
		for i := range rows {
			if n, err := strconv.Atoi(strings.TrimPrefix(string(rows[i].Ref), "#")); err == nil {
				next = max(next, n+1)
			}
		}
	}
	back := sendBack(rows, pulls)
	for _, r := range rows {
		p.unpark(r)
		switch n := pullOf(r.Ref, pulls); {
		case r.Role == board.RoleDone:
		case n == 0:
			later = append(later, next)
			next++
		case r.Role != board.RoleHumanReview:
			later = append(later, n)
		case n == back:
			p.move("pulls", "request-changes", strconv.Itoa(n), "--body", "Please say in the docs what happens on a read-only disk.")
			later = append(later, n)
		default:
			p.move(p.merge(n)...)
		}
	}
	slices.Sort(later)
	return later
}

// unpark writes what lets a row go on that waits for a word of the owner.
func (p *part) unpark(r row) {
	ref := string(r.Ref)
	switch {
	case r.Role == board.RoleQuestion:
		p.move("board", "answer", ref, "--body", "Write it as due:2026-12-24, so that it sorts.")
	case r.Role == board.RoleBacklog, r.Role == board.RoleInProgress:
		p.move("board", "state", ref, "ready")
	case r.Role == board.RoleReady && slices.ContainsFunc(r.Labels, func(l string) bool { return strings.EqualFold(l, confirmLabel) }):
		p.move("board", "label", ref, "remove", confirmLabel)
	}
}

// sendBack chooses a pull request in review to ask for changes on: the last
// one that holds no other issue back and was not sent back by a person before.
func sendBack(rows []row, pulls []board.PullRequest) int {
	blocking := map[string]bool{}
	for _, r := range rows {
		for _, b := range r.Blockers {
			blocking[b] = true
		}
	}
	for i := range pulls {
		if slices.ContainsFunc(pulls[i].Reviews, func(r board.Review) bool { return !r.Bot }) {
			return 0 // once is enough
		}
	}
	for _, r := range slices.Backward(rows) {
		if n := pullOf(r.Ref, pulls); n > 0 && r.Role == board.RoleHumanReview && !blocking[string(r.Ref)] {
			return n
		}
	}
	return 0
}

// pullOf is the number of the issue's open pull request; 0: none.
func pullOf(ref board.Ref, pulls []board.PullRequest) int {
	for i := range pulls {
		if pulls[i].State == board.PullOpen && slices.Contains(pulls[i].Issues, ref) {
			return pulls[i].Number
		}
	}
	return 0
}

// shellWord is a word as a shell reads it back.
func shellWord(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") == "" && s != "" {
		return s
	}
	if filepath.Separator == '\\' {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
