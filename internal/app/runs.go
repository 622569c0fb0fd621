package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/report"
)

// RunInfo is what a list of runs says of one.
type RunInfo struct {
	Run     string        `json:"run"`
	Ref     board.Ref     `json:"ref"`
	Kind    board.Kind    `json:"kind"`
	Agent   string        `json:"agent"` // how the agent is run
	Try     int           `json:"try"`   // 1 is the first
	Session string        `json:"session,omitempty"`
	Phase   workers.Phase `json:"phase"`
	Started time.Time     `json:"started,omitzero"`
	Ended   time.Time     `json:"ended,omitzero"`
	CostUSD float64       `json:"costUSD"`
	Tokens  int64         `json:"tokens"`
	Bytes   int64         `json:"bytes"` // of its transcript
	// Outcome is what it said at the end, or why there is nothing of the kind.
	Outcome string `json:"outcome"`
}

// Runs is what runs and their transcripts are read from; it starts nothing.
func (f *Factory) Runs(ctx context.Context) (*workers.Launcher, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	return workers.NewLauncher(workers.Options{
		Runs: filepath.Join(cfg.StateDir(f.Getenv), "runs"), Agent: agentFor, Now: f.Now,
	}), nil
}

// ListRuns answers all runs that have a folder, newest first. A run that cannot
// be read says so in its outcome.
func (f *Factory) ListRuns(ctx context.Context) ([]RunInfo, error) {
	l, err := f.Runs(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := l.Runs()
	if err != nil {
		return nil, err
	}
	out := make([]RunInfo, 0, len(ids))
	for _, id := range ids {
		info, err := f.runInfo(ctx, l, id)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, workers.ErrNoRun):
			continue // fenced off before it had begun
		case err != nil:
			info.Outcome = err.Error()
		}
		out = append(out, info)
	}
	slices.SortStableFunc(out, func(a, b RunInfo) int { return b.Started.Compare(a.Started) })
	return out, nil
}

func (f *Factory) runInfo(ctx context.Context, l *workers.Launcher, id string) (RunInfo, error) {
	info := RunInfo{Run: id}
	folder, err := l.Folder(id)
	if err != nil {
		return info, err
	}
	spec, err := folder.Spec()
	if err != nil {
		return info, err
	}
	info.Ref, info.Kind, info.Agent, info.Try, info.Session = spec.Ref, spec.Kind, spec.Agent, spec.Attempt, spec.Session
	if file, err := os.Stat(folder.TranscriptPath()); err == nil {
		info.Bytes = file.Size()
	}
	st, err := l.Glance(id)
	if err != nil {
		return info, err
	}
	info.Phase, info.Started = st.Phase, st.Started
	if st.Exit != nil {
		info.Ended, info.CostUSD, info.Tokens = st.Exit.Ended, st.Exit.CostUSD, st.Exit.Tokens
	} else if tr, err := l.OpenTranscript(id); err == nil {
		usage, err := tr.Usage(ctx)
		if err != nil {
			return info, err
		}
		info.CostUSD, info.Tokens = usage.CostUSD(), usage.Tokens()
	}
	info.Outcome = outcome(spec.Kind, st)
	return info, nil
}

// outcome is how a run ended, in a few words.
func outcome(kind board.Kind, st workers.Status) string {
	switch st.Phase {
	case workers.PhaseStarting:
		return "starting"
	case workers.PhaseRunning:
		return "running"
	case workers.PhaseDead:
		return "died, and its supervisor with it"
	case workers.PhaseAbsent:
		return "never started"
	case workers.PhaseExited:
	}
	x := st.Exit
	switch r := report.Parse(kind, x.Final).Agree(x.Answer); {
	case x.Stopped:
		return "stopped"
	case !x.LimitUntil.IsZero():
		return "usage limit until " + x.LimitUntil.UTC().Format("2006-01-02 15:04Z")
	case x.Problem != "":
		return workers.FirstLine(workers.Clean(x.Problem, 300))
	case r.Verdict != "":
		return "VERDICT: " + string(r.Verdict)
	case r.Status != "":
		return "STATUS: " + string(r.Status)
	case r.Why != "":
		return r.Why
	}
	return "ended"
}

// FindRun is the run that a person names: by its id, by the begin of it, or by
// an issue, whose newest run it is then.
func (f *Factory) FindRun(ctx context.Context, name string) (*workers.Launcher, RunInfo, error) {
	l, err := f.Runs(ctx)
	if err != nil {
		return nil, RunInfo{}, err
	}
	all, err := f.ListRuns(ctx)
	if err != nil {
		return nil, RunInfo{}, err
	}
	const shortest = 4 // of an id's begin
	var found []RunInfo
	for _, r := range all {
		switch {
		case r.Run == name, strings.EqualFold(string(r.Ref), name):
			return l, r, nil // the list is newest first
		case len(name) >= shortest && strings.HasPrefix(r.Run, name):
			found = append(found, r)
		}
	}
	switch len(found) {
	case 0:
		return nil, RunInfo{}, fmt.Errorf("there is no run of %q; `dispatcher runs` lists them", name)
	case 1:
		return l, found[0], nil
	}
	return nil, RunInfo{}, fmt.Errorf("%d runs begin with %q; name one whole, as `dispatcher runs` lists them", len(found), name)
}
