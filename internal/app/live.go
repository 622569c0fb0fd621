package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"

	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/loop"
)

// live is the configuration that holds now.
type live struct{ p atomic.Pointer[config.Config] }

func newLive(cfg *config.Config) *live {
	l := &live{}
	l.p.Store(cfg)
	return l
}

func (l *live) now() *config.Config { return l.p.Load() }

// reloader picks a changed configuration up between two firings. One that is
// not valid changes nothing, and is told of once for each change of the file.
type reloader struct {
	live  *live
	base  string
	store checked                    // nil where the checks are not ours
	need  func(*config.Config) error // whether its agents are there

	seen     []byte // the file as it was looked at last
	unread   string // why it could not be read then
	platform string // what the file said of it at the start
}

var _ loop.Configuration = (*reloader)(nil)

// newReloader begins with the file as it is, which the caller has just read.
// checked is a forge whose checks the loop runs.
type checked interface{ SetChecks(specs []local.CheckSpec) }

func newReloader(l *live, base string, store checked, need func(*config.Config) error) *reloader {
	r := &reloader{live: l, base: base, store: store, need: need}
	r.seen, _ = os.ReadFile(l.now().Path) // one that cannot be read is told of by the first look
	r.platform = platformIn(r.seen)
	return r
}

// platformIn is the platform that a file names, whatever else is in it.
func platformIn(data []byte) string {
	var file struct {
		Platform string `json:"platform"`
	}
	_ = json.Unmarshal(data, &file) // one that is no JSON names none, and is not taken
	return file.Platform
}

func (r *reloader) Changed(ctx context.Context) (*loop.Tuning, []string) {
	old := r.live.now()
	data, err := os.ReadFile(old.Path)
	if err != nil {
		again := r.unread == err.Error()
		r.unread, r.seen = err.Error(), nil
		if again {
			return nil, nil
		}
		return nil, []string{r.keeps(err)}
	}
	if bytes.Equal(data, r.seen) && r.unread == "" {
		return nil, nil
	}
	r.seen, r.unread = data, ""
	next, violations := config.Parse(data, string(old.Platform))
	if len(violations) > 0 {
		return nil, []string{r.keeps(&config.ViolationsError{Path: old.Path, Violations: violations})}
	}
	next.Path, next.Root = old.Path, old.Root
	if err := r.need(next); err != nil {
		return nil, []string{r.keeps(err)}
	}
	var notes []string
	late := carryOver(next, old)
	if platformIn(data) != r.platform {
		late = append([]string{"platform"}, late...)
	}
	if len(late) > 0 {
		notes = append(notes, fmt.Sprintf("%s: %s: read at the start only; restart the loop for the change to hold",
			filepath.Base(old.Path), strings.Join(late, ", ")))
	}
	if reflect.DeepEqual(next, old) {
		return nil, notes
	}
	r.live.p.Store(next)
	if r.store != nil {
		r.store.SetChecks(checkSpecs(next))
	}
	return &loop.Tuning{Settings: planSettings(next, r.base), Poll: next.Poll(), CostCap: next.Limits.MaxCostPerDayUSD}, notes
}

func (r *reloader) keeps(err error) string {
	return fmt.Sprintf("the changed %s is not taken, and the last good one holds: %v", config.FileName, err)
}

// carryOver keeps what a running loop cannot change, and names what would have
// changed.
func carryOver(next, old *config.Config) []string {
	var late []string
	keep := func(name string, n, o any) {
		to, from := reflect.ValueOf(n).Elem(), reflect.ValueOf(o).Elem()
		if !reflect.DeepEqual(to.Interface(), from.Interface()) {
			late = append(late, name)
			to.Set(from)
		}
	}
	keep("repository", &next.Repository, &old.Repository)
	keep("botUserIds", &next.BotUserIDs, &old.BotUserIDs)
	keep("claimStaleMinutes", &next.ClaimStaleMinutes, &old.ClaimStaleMinutes)
	keep("listener", &next.Listener, &old.Listener)
	keep("githubApps", &next.GitHubApps, &old.GitHubApps)
	keep("linear", &next.Linear, &old.Linear)
	keep("github", &next.GitHub, &old.GitHub)
	keep("native.path", &next.Native.Path, &old.Native.Path)
	keep("native.key", &next.Native.Key, &old.Native.Key)
	keep("native.states", &next.Native.States, &old.Native.States)
	keep("native.developerName", &next.Native.DeveloperName, &old.Native.DeveloperName)
	keep("native.developerEmail", &next.Native.DeveloperEmail, &old.Native.DeveloperEmail)
	keep("native.reviewerName", &next.Native.ReviewerName, &old.Native.ReviewerName)
	keep("pulls.kind", &next.Pulls.Kind, &old.Pulls.Kind)
	keep("pulls.base", &next.Pulls.Base, &old.Pulls.Base)
	return late
}
