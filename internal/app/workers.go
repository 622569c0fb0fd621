package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/gitapp/pulls/local"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
	"github.com/backside4charter/dispatcher/workers/command"
	"github.com/backside4charter/dispatcher/workers/script"
)

// stopGrace is how long a worker may take to end by itself when it is stopped.
const stopGrace = 10 * time.Second

// fleet is the launcher as the loop sees it: it turns what the loop asks for
// into an agent's command line and environment, and back.
type fleet struct {
	l        *workers.Launcher
	cfg      *live
	stateDir string
	binary   string
	environ  func() []string
}

var (
	_ loop.Launcher    = (*fleet)(nil)
	_ loop.Interrupter = (*fleet)(nil)
	_ loop.Watcher     = (*fleet)(nil)
	_ loop.Speaker     = (*fleet)(nil)
	_ loop.Sessions    = (*fleet)(nil)
)

// agentFor answers the language that an agent of the given kind speaks. The
// scripted agent speaks the same as the real one.
func agentFor(kind string) (workers.Agent, error) {
	if config.AgentKind(kind) == config.AgentCommand {
		return command.Agent{}, nil
	}
	return claude.Agent{}, nil
}

func (w *fleet) Start(ctx context.Context, s state.RunSpec) (state.WorkerStatus, error) {
	spec, err := w.spec(s)
	if err != nil {
		return state.WorkerStatus{}, err
	}
	st, err := w.l.Start(ctx, spec)
	if err != nil {
		return state.WorkerStatus{}, err
	}
	return status(st), nil
}

// spec is how a run's agent is started (design.md, section 7).
func (w *fleet) spec(s state.RunSpec) (workers.Spec, error) {
	profile, ok := w.cfg.now().Agents[s.Run.Agent]
	if !ok {
		return workers.Spec{}, fmt.Errorf("the configuration has no agent %q", s.Run.Agent)
	}
	spec := workers.Spec{
		Version: 1, Run: s.Run.ID, Ref: s.Run.Ref, Kind: s.Run.Kind, Attempt: s.Run.Attempt,
		Session: s.Run.Session, Resume: s.Run.Resume, Epoch: s.Run.Epoch,
		Agent: string(profile.Kind), Dir: s.Dir, Role: s.Role, Prompt: s.Prompt,
		Policy:      policyOf(s.Run.Kind, profile.Permissions),
		StartWithin: seconds(w.cfg.now().Loop.StartSeconds), MaxMemory: int64(w.cfg.now().Limits.MaxWorkerMemoryMB) << 20,
	}
	env := w.environment(&s.Run, profile)
	var err error
	switch profile.Kind {
	case config.AgentScript:
		spec.Env = workers.Env(env)
		spec.Command = script.Command(w.binary, w.under(profile.Script), s.Run.Session, s.Run.Resume, profile.Permissions.AskFor)
	case config.AgentClaude:
		o := w.claude(&s.Run, profile)
		spec.Env, spec.Settings = claude.Prepare(o, env, s.Dir, w.cfg.now().Withholds)
		spec.Command, err = claude.Command(o)
	case config.AgentCommand:
		if s.Run.Resume {
			return workers.Spec{}, fmt.Errorf("agent %q: %w: %s", s.Run.Agent, workers.ErrUnable, command.Agent{}.Can().Why)
		}
		spec.Env = workers.Env(env)
		spec.Prompt = command.Prompt(s.Role, s.Prompt)
		spec.Command = append([]string{w.program(profile.Command)}, profile.Args...)
	default:
		err = fmt.Errorf("agent %q is of the unknown kind %q", s.Run.Agent, profile.Kind)
	}
	if err != nil {
		return workers.Spec{}, err
	}
	return spec, nil
}

// environment is what a worker's environment is made from, also where its owner
// works in its place.
func (w *fleet) environment(r *state.Run, profile config.Agent) workers.EnvOptions {
	cfg := w.cfg.now()
	env := workers.EnvOptions{
		Environ: w.environ(), BinDir: filepath.Dir(w.binary), Config: cfg.Path, StateDir: w.stateDir,
		Kind: r.Kind, Run: r.ID, Ref: r.Ref, Epoch: r.Epoch, Attempt: r.Attempt,
		Names: slices.Concat(boardKey(cfg), forgeNames(cfg, r.Kind), profile.Env), Withhold: otherKeys(cfg, r.Kind),
	}
	get := valueIn(env.Environ)
	env.Set = slices.Concat(signsAs(cfg, r.Kind), gitForGitHub(cfg, r.Kind, get), boardLogin(cfg, get))
	return env
}

// claude is how Claude Code is started for a run.
func (w *fleet) claude(r *state.Run, profile config.Agent) claude.Options {
	return claude.Options{
		Path: w.program(profile.Command), Model: profile.Model, Effort: profile.Effort, Kind: r.Kind,
		Session: r.Session, Resume: r.Resume, RoleFile: w.l.RoleFile(r.ID), SettingsFile: w.l.SettingsFile(r.ID), Args: profile.Args,
		Allow: profile.Permissions.Allow, Deny: profile.Permissions.Deny, AskFor: profile.Permissions.AskFor,
		MaxBudgetUSD: w.cfg.now().Limits.MaxCostPerRunUSD, Ask: profile.Permissions.Ask != config.AskDeny,
	}
}

// signsAs is who a worker's git writes into commits, also where the worker goes
// around our own command.
func signsAs(cfg *config.Config, kind board.Kind) []string {
	by := identitiesOf(cfg).Developer
	if kind == board.KindReviewer {
		by = identitiesOf(cfg).Reviewer
	}
	return []string{
		"GIT_AUTHOR_NAME=" + by.Name, "GIT_AUTHOR_EMAIL=" + by.Email,
		"GIT_COMMITTER_NAME=" + by.Name, "GIT_COMMITTER_EMAIL=" + by.Email,
	}
}

// program is a command of the configuration: a name to look up, or a path from
// the main checkout, never from the worktree that a worker writes.
func (w *fleet) program(command string) string {
	if strings.ContainsRune(command, filepath.Separator) {
		return w.under(command)
	}
	return command
}

// under is a path of the configuration, relative to its folder.
func (w *fleet) under(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.cfg.now().Root, path)
}

func (w *fleet) Stop(ctx context.Context, run string) error { return w.l.Stop(ctx, run, stopGrace) }

func (w *fleet) Interrupt(ctx context.Context, run string) error { return w.l.Interrupt(ctx, run) }

func (w *fleet) Observe(ctx context.Context, run string) (state.WorkerStatus, error) {
	st, err := w.l.Observe(ctx, run)
	if err == nil && st.Phase == workers.PhaseDead {
		// Nothing of a dead run may go on writing once its row is given away.
		if _, err := w.l.EndLeftovers(ctx, run); err != nil {
			return state.WorkerStatus{}, err
		}
	}
	return status(st), err
}

func (w *fleet) Watch(ctx context.Context, run string, changed func(state.WorkerStatus)) error {
	return w.l.Watch(ctx, run, func(st workers.Status) { changed(status(st)) })
}

func (w *fleet) Forbid(ctx context.Context, run string) (state.WorkerStatus, error) {
	if _, err := w.l.Forbid(ctx, run); err != nil {
		return state.WorkerStatus{}, err
	}
	return w.Observe(ctx, run)
}

// shownLine is a line of a stream as rooms show it.
func shownLine(l *workers.Line) state.Line {
	return state.Line{
		At: l.At, Kind: state.LineKind(l.Kind), Tool: l.Tool, Text: l.Text, Done: l.Done, Failed: l.Failed, Took: l.Took, Detail: l.Detail,
	}
}

// status is what the loop needs to know of a run.
func status(st workers.Status) state.WorkerStatus {
	out := state.WorkerStatus{
		Phase: phase(st.Phase), PID: st.PID, PIDStart: st.PIDStart, LastSign: st.LastSign,
		LastOutput: st.LastOutput, Busy: st.Busy, Below: st.Below, Procs: st.Procs, RSS: st.RSS, Waiting: st.Waiting,
		Activity: st.Activity, CostUSD: st.CostUSD, Tokens: st.Tokens, Unbilled: st.Unbilled, Context: st.Context, Lines: st.Lines,
		Tail: make([]state.Line, len(st.Tail)),
	}
	for i, l := range st.Tail {
		out.Tail[i] = shownLine(&l)
	}
	out.Requests, out.Messages = requests(st.Requests), messages(st)
	if e := st.Exit; e != nil {
		out.Exit = &state.WorkerExit{
			Code: e.Code, Stopped: e.Stopped, Problem: e.Problem, Final: e.Final, Answer: e.Answer,
			CostUSD: e.CostUSD, Tokens: e.Tokens, Unbilled: e.Unbilled, Ended: e.Ended,
			Trouble: state.Trouble(e.Trouble), LimitUntil: e.LimitUntil, Missing: e.Missing,
			Cut: e.Subtype == "" && !e.Stopped && (e.Signal != "" || e.Code > 128),
		}
		if !e.LimitUntil.IsZero() {
			out.Exit.Trouble = state.TroubleLimit // as an earlier version wrote it
		}
	}
	return out
}

func phase(p workers.Phase) state.WorkerPhase {
	switch p {
	case workers.PhaseStarting, workers.PhaseRunning:
		return state.WorkerRunning
	case workers.PhaseExited:
		return state.WorkerExited
	case workers.PhaseDead:
		return state.WorkerDead
	case workers.PhaseAbsent:
		return state.WorkerAbsent
	}
	return state.WorkerAbsent
}

// life asks this machine whether a claim's worker still lives. A claim of
// another machine, or of another boot, shows nothing here.
type life struct{ host, boot string }

func (l life) Lives(c board.Claim) bool {
	return c.PID != 0 && c.Host == l.host && c.Boot == l.boot && proc.Alive(c.PID, c.PIDStart)
}

// loopPulls are the pull requests as the loop sees them.
type loopPulls struct{ s pulls.Forge }

var _ loop.Pulls = loopPulls{}

// List leaves a broken record to the hold of the rows that link it: the others
// go on.
func (p loopPulls) List(ctx context.Context) ([]board.PullRequest, error) {
	all, err := p.s.List(ctx, true)
	if _, broken := errors.AsType[*local.BrokenError](err); broken {
		err = nil
	}
	return all, err
}

func (p loopPulls) RunChecks(ctx context.Context, name string) error {
	_, err := p.s.RunChecks(ctx, name)
	return err
}

// loopBoard is the board policy as the loop sees it.
type loopBoard struct{ p *board.Policy }

var _ loop.Board = loopBoard{}

func (b loopBoard) Poll(ctx context.Context, q board.Query) ([]board.Issue, error) {
	return b.p.Poll(ctx, q)
}

func (b loopBoard) Issue(ctx context.Context, ref board.Ref) (board.Issue, error) {
	return b.p.Issue(ctx, ref)
}

func (b loopBoard) As(a board.Actor) (loop.Writes, loop.Claims) {
	p := b.p.As(a)
	return p, p
}
