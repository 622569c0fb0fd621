package app

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// BoardWaits says why a row is not worked, in words: the running loop's own
// reason where it has one, else what the row itself shows. It is empty for a
// row that is worked, or could be, or is done.
func (f *Factory) BoardWaits(ctx context.Context) (func(*board.Issue) string, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	said := loopWaits(cfg.StateDir(f.Getenv))
	now := f.Now()
	return func(i *board.Issue) string {
		if w, ok := said[string(i.Ref)]; ok && !i.Closed {
			return w
		}
		return waitsOf(cfg, now, i)
	}, nil
}

// loopWaits are the reasons that the last firing wrote, while its loop lives.
func loopWaits(stateDir string) map[string]string {
	data, err := os.ReadFile(filepath.Join(stateDir, "runtime.json"))
	if err != nil {
		return nil
	}
	var r struct {
		PID   int               `json:"pid"`
		Waits map[string]string `json:"waits"`
	}
	if json.Unmarshal(data, &r) != nil || r.PID != 0 && !proc.Alive(r.PID, "") {
		return nil
	}
	return r.Waits
}

// waitsOf is what a row alone shows of why nobody works it.
func waitsOf(cfg *config.Config, now time.Time, i *board.Issue) string {
	switch {
	case i.Unreadable != "":
		return "cannot be read: " + i.Unreadable
	case i.Closed:
		return ""
	case i.Role == board.RoleNone:
		return "the state " + i.State + " has no role"
	case i.Role == board.RoleBacklog:
		return "in Backlog until you move it"
	case i.Role == board.RoleQuestion:
		return "waits for your answer"
	case i.Role == board.RoleHumanReview:
		return "waits for your merge"
	case i.HumanOwned():
		return i.Assignee + " works on it"
	case !i.Delegate.Ours():
		return "belongs to another agent: " + string(i.Delegate)
	case i.Claim != nil && !i.Claim.Stale(now, cfg.StaleWindow()):
		return ""
	}
	return heldBack(cfg, i)
}

// heldBack are the reasons that keep a row which is ours to work.
func heldBack(cfg *config.Config, i *board.Issue) string {
	if why, ok := board.Held(i); ok {
		return strings.TrimSuffix("held by owner: "+why, ": ")
	}
	if why, ok := board.Attention(i, "", ""); ok {
		return "needs human attention: " + why
	}
	if board.MovedWithoutReply(i) {
		return "moved out of Question without a reply"
	}
	if i.Role == board.RoleInProgress {
		return ""
	}
	if label := cfg.Labels().ConfirmWithUser; i.HasLabel(label) {
		return "labelled " + label
	}
	if open := i.OpenBlockers(); len(open) > 0 {
		refs := make([]string, len(open))
		for n, r := range open {
			refs[n] = string(r)
		}
		return "blocked by " + strings.Join(refs, ", ")
	}
	return ""
}
