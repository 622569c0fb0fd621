package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/config"
)

// reloaderOf begins with a minimal file.
func reloaderOf(t *testing.T, text string) (r *reloader, write func(string)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), config.FileName)
	write = func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	cfg, violations := config.Parse([]byte(text), "")
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	cfg.Path, cfg.Root = path, filepath.Dir(path)
	return newReloader(newLive(cfg), "main", local.Open(local.Options{}), func(*config.Config) error { return nil }), write
}

// TestReload: what may change while a loop runs does at the next look; what
// may not keeps its value and is named.
func TestReload(t *testing.T) {
	t.Parallel()
	r, write := reloaderOf(t, `{"platform": "native"}`)
	if got, notes := r.Changed(t.Context()); got != nil || notes != nil {
		t.Fatalf("nothing has changed: %+v %q", got, notes)
	}
	write(`{"platform": "native",
		"loop": {"maxDevelopers": 7, "pollSeconds": 9, "stallMinutes": 3, "stallToolMinutes": 4, "stallGraceSeconds": 5},
		"retry": {"maxAttempts": 5}, "limits": {"maxCostPerDayUSD": 3, "maxCostPerIssueUSD": 2, "maxCostPerRunUSD": 1},
		"native": {"path": "elsewhere", "key": "ABC", "labels": {"confirmWithUser": "ask"}},
		"pulls": {"checks": [{"name": "t", "command": ["true"]}]},
		"hooks": {"beforeRun": {"command": ["true"]}},
		"agents": {"cheap": {"model": "haiku"}}}`)
	got, notes := r.Changed(t.Context())
	if got == nil {
		t.Fatalf("not taken: %q", notes)
	}
	s := got.Settings
	if s.Caps.Developers != 7 || got.Poll != 9*time.Second || s.Retry.MaxAttempts != 5 || s.Limits.DayUSD != 3 || got.CostCap != 3 || s.Limits.IssueUSD != 2 ||
		s.ConfirmLabel != "ask" || !s.Agents["cheap"] || s.AgentKinds["cheap"] != "claude" || s.DefaultBase != "main" ||
		s.Stall.After != 3*time.Minute || s.Stall.ToolAfter != 4*time.Minute || s.Stall.Grace != 5*time.Second {
		t.Errorf("it holds %+v", got)
	}
	now := r.live.now()
	if now.Hooks.BeforeRun == nil || now.Limits.MaxCostPerRunUSD != 1 || now.Agents["cheap"].Model != "haiku" {
		t.Errorf("it holds %+v", now)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "native.path, native.key: read at the start only") || now.Native.Path != ".dispatcher/board" || now.Native.Key != "DSP" {
		t.Errorf("notes %q, native %+v", notes, now.Native)
	}
	if got, notes := r.Changed(t.Context()); got != nil || notes != nil {
		t.Errorf("it changes without a change: %+v %q", got, notes)
	}
}

// TestReloadNamesWhatNeedsARestart: one case for each of the keys that a user
// would expect to change.
func TestReloadNamesWhatNeedsARestart(t *testing.T) {
	t.Parallel()
	linear := `"repository": "acme/widgets", "linear": {"workspace": "w", "teamId": "t", "teamKey": "K", "projectId": "p", "projectUrl": "https://x",
		"states": {"backlog": "a", "ready": "b", "changesRequested": "c", "inProgress": "d", "question": "e", "humanReview": "f", "done": "g"},
		"agents": {"developer": "d", "reviewer": "r"}}`
	for want, text := range map[string]string{
		"platform":              `{"platform": "linear", ` + linear + `}`,
		"config.json: platform": `{"platform": "github"}`,
		"native.path":           `{"platform": "native", "native": {"path": "x"}}`,
		"native.key":            `{"platform": "native", "native": {"key": "X"}}`,
		"pulls.kind":            `{"platform": "native", "repository": "acme/widgets", "pulls": {"kind": "github"}, "githubApps": {"developer": {"appId": 1, "installationId": 1, "slug": "d", "botLogin": "d[bot]", "botUserId": 1}, "reviewer": {"appId": 2, "installationId": 2, "slug": "r", "botLogin": "r[bot]", "botUserId": 2}}}`,
		"pulls.base":            `{"platform": "native", "pulls": {"base": "trunk"}}`,
		"claimStaleMinutes":     `{"platform": "native", "claimStaleMinutes": 5}`,
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			r, write := reloaderOf(t, `{"platform": "native"}`)
			write(text)
			_, notes := r.Changed(t.Context())
			if len(notes) != 1 || !strings.Contains(notes[0], want) || !strings.Contains(notes[0], "restart the loop") {
				t.Errorf("notes %q", notes)
			}
			if now := r.live.now(); now.Platform != config.PlatformNative || now.Pulls.Kind != config.PullsLocal {
				t.Errorf("the running loop changed to %s, %s", now.Platform, now.Pulls.Kind)
			}
		})
	}
}

// TestReloadKeepsTheLastGoodOne: a file that is not valid, names a program
// that is not there, or is gone changes nothing, and is told of once.
func TestReloadKeepsTheLastGoodOne(t *testing.T) {
	t.Parallel()
	r, write := reloaderOf(t, `{"platform": "native", "loop": {"maxDevelopers": 3}}`)
	told := func(want string) {
		t.Helper()
		got, notes := r.Changed(t.Context())
		if got != nil || len(notes) != 1 || !strings.Contains(notes[0], want) || !strings.Contains(notes[0], "the last good one holds") {
			t.Errorf("%+v, notes %q; want %q", got, notes, want)
		}
		if got, notes = r.Changed(t.Context()); got != nil || notes != nil {
			t.Errorf("told again: %q", notes)
		}
		if n := r.live.now().Loop.MaxDevelopers; n != 3 {
			t.Errorf("maxDevelopers is %d", n)
		}
	}
	write(`{"platform": "native", "loop": {"maxDevelopers": 0, "maxReviewerz": 1}`)
	told("1 violation")
	write(`{"platform": "native", "loop": {"maxDevelopers": 999, "maxReviewerz": 1}}`)
	told("2 violations")
	if err := os.Remove(r.live.now().Path); err != nil {
		t.Fatal(err)
	}
	told("no such file")
	r.need = func(*config.Config) error { return errors.New("agent x is not on your PATH") }
	write(`{"platform": "native", "loop": {"maxDevelopers": 4}}`)
	told("agent x is not on your PATH")
	r.need = func(*config.Config) error { return nil }
	write(`{"platform": "native", "loop": {"maxDevelopers": 5}}`)
	if got, notes := r.Changed(t.Context()); got == nil || got.Settings.Caps.Developers != 5 || notes != nil {
		t.Errorf("after it was mended: %+v %q", got, notes)
	}
}
