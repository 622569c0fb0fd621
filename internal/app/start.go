package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/logkey"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/journal"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/tui"
	"github.com/backside4charter/dispatcher/workers"
)

// StartOptions are what `dispatcher start` takes.
type StartOptions struct {
	Milestones []string
	NoTUI      bool
	UntilIdle  bool
	Resume     bool // go on although the owner paused the loop
	Heir       bool // wait for the loop that hands over to this one
	Bound      bool // what it needs ends with this process: it cannot go on in the background
	Manner     Manner
}

// leaveGrace bounds how long the effect under way may take once the loop is
// told to end (design.md, section 5: exit within 20 s).
const leaveGrace = 15 * time.Second

// ErrPaused ends `--until-idle` on a loop that its owner paused.
var ErrPaused = errors.New("the loop is paused; `dispatcher start --resume` goes on")

// Start runs the loop over this repository until it ends: the control room
// where standard output is a terminal, else a line a firing.
func Start(ctx context.Context, f *Factory, o StartOptions) (loop.End, error) {
	inRoom := !o.NoTUI && f.IO.OutTTY && f.IO.InTTY
	var as taste
	if inRoom { // before anything is claimed
		var err error
		if as, err = f.taste(o.Manner); err != nil {
			return loop.End{}, err
		}
	}
	s, err := f.open(ctx, o)
	if err != nil {
		return loop.End{}, err
	}
	defer s.close()
	e := loop.New(s.options, s.deps)
	read := newReader(f, s, e)
	stop, err := f.serveControl(ctx, s, e, read)
	if err != nil {
		return loop.End{}, err
	}
	defer stop()
	var end loop.End
	if inRoom {
		var left tui.Leave
		end, left, err = f.runRoom(ctx, e, read, s, as, !o.Bound)
		if err == nil && (left == tui.LeaveWorkers || left == tui.LeaveSuspended) && !o.Bound && goesOn(end) {
			err := f.handOver(ctx, s, o, func() { stop(); s.close() })
			if err != nil {
				return end, err
			}
			end.Left = 0 // they are the heir's now
			if left == tui.LeaveSuspended {
				err = f.comeBack(ctx, o.Manner)
			}
			return end, err
		}
	} else {
		end, err = f.runHeadless(ctx, e)
	}
	if err != nil {
		return end, err
	}
	if end.Err != nil {
		return end, end.Err
	}
	if end.Paused {
		return end, ErrPaused
	}
	return end, nil
}

// goesOn says whether a loop was left, and has not ended.
func goesOn(end loop.End) bool {
	return end.Err == nil && !end.Drained && !end.Aborted && !end.Idle && !end.Paused
}

// session is everything that a loop needs, open.
type session struct {
	cfg     *config.Config
	options loop.Options
	deps    loop.Deps
	state   string // state folder
	lock    *loopLock
	closers []func()
}

func (s *session) close() {
	for _, c := range slices.Backward(s.closers) {
		c()
	}
	s.closers = nil
}

// open builds a loop in order: configuration, repository, lock, state, board,
// forge, workers. What is opened is closed again when a later step fails.
func (f *Factory) open(ctx context.Context, o StartOptions) (_ *session, err error) {
	s := &session{}
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	if s.cfg, err = f.Config(ctx); err != nil {
		return nil, err
	}
	repo, err := f.Repo(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := (&prompter{repo: repo}).set(); err != nil {
		return nil, fmt.Errorf("%w; mend or delete the file in %s", err, filepath.Join(repo.Root, promptDir))
	}
	policy, err := f.Board(ctx)
	if err != nil {
		return nil, err
	}
	told := f.tellReading()
	milestones, err := chooseMilestones(ctx, policy, o.Milestones)
	told()
	if err != nil {
		return nil, err
	}
	if err := f.needAgents(s.cfg); err != nil {
		return nil, err
	}
	stateDir := s.cfg.StateDir(f.Getenv)
	s.state = stateDir
	lock, err := f.lockLoop(ctx, repo.Common, repo.Root, stateDir, o.Heir)
	if err != nil {
		return nil, err
	}
	s.lock = lock
	s.closers = append(s.closers, lock.release)
	s.options = f.loopOptions(s.cfg, repo, milestones, o)
	s.options.Guard = lock.check
	if who, err := f.Owner(ctx); err == nil {
		s.options.Owner = who.Name
	}
	if err := f.openState(s, stateDir, o.Resume); err != nil {
		return nil, err
	}
	s.options.Ended = f.earlier(ctx, s.options.Runs)
	return s, f.openDeps(ctx, s, policy, repo, stateDir)
}

// chooseMilestones holds the names that were given to those of the board.
func chooseMilestones(ctx context.Context, p *board.Policy, names []string) ([]string, error) {
	known, err := p.Milestones(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the milestones: %w", err)
	}
	var list []string
	for _, m := range known {
		if m.Name != board.NoMilestone || m.Open > 0 {
			list = append(list, fmt.Sprintf("%s (%d open)", m.Name, m.Open))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("name the milestones to work: dispatcher start <milestone>…; this board has %s", orNone(list))
	}
	out := make([]string, 0, len(names))
	for _, n := range names {
		at := slices.IndexFunc(known, func(m board.Milestone) bool { return strings.EqualFold(m.Name, n) })
		if at < 0 {
			return nil, fmt.Errorf("milestone %q: %w; this board has %s", n, board.ErrNotFound, orNone(list))
		}
		out = append(out, known[at].Name)
	}
	return out, nil
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none yet; make one with `dispatcher board create --milestone <name> <title>`"
	}
	return strings.Join(list, ", ")
}

// openState opens the log and the journal, and reads what an earlier loop left.
func (f *Factory) openState(s *session, stateDir string, resume bool) error {
	handler, err := logkey.New(filepath.Join(stateDir, "loop.log"), slog.LevelInfo)
	if err != nil {
		return fmt.Errorf("the state folder %s cannot be written: %w", stateDir, err)
	}
	s.closers = append(s.closers, func() { _ = handler.Close() })
	s.options.Log = slog.New(handler)
	j, err := journal.Open(stateDir, s.options.Host)
	if err != nil {
		return err
	}
	s.deps.Journal, s.deps.Ledger = j, j
	runs, err := j.Runs()
	if err := keptAside(s, err); err != nil {
		return err
	}
	last, err := j.Runtime()
	if err := keptAside(s, err); err != nil {
		return err
	}
	s.options.Runs, s.options.Firing = runs, last.Firing
	s.options.Paused = last.Desired == string(state.ModePaused) && !resume
	if s.options.Paused {
		s.options.Notices = append(s.options.Notices,
			"the loop is paused, as you left it: nothing new starts; `dispatcher ctl resume` goes on, or p in the control room")
	}
	s.options.Limits = last.Limits
	return nil
}

// keptAside turns a state file that could not be read into something to say.
func keptAside(s *session, err error) error {
	if aside, ok := errors.AsType[*journal.AsideError](err); ok {
		s.options.Notices = append(s.options.Notices, aside.Error())
		return nil
	}
	return err
}

// openDeps builds everything outside the loop.
func (f *Factory) openDeps(ctx context.Context, s *session, policy *board.Policy, repo Repo, stateDir string) error {
	binary, err := f.CopySelf(stateDir)
	if err != nil {
		return err
	}
	store, err := f.Pulls(ctx)
	if err != nil {
		return err
	}
	held := newLive(s.cfg)
	hook := &hooks{live: held, environ: f.Environ, now: f.Now}
	manager, err := f.worktrees(ctx, hook.beforeRemove)
	if err != nil {
		return err
	}
	hook.setUp = manager.SetUp
	pulls := loopPulls{store}
	trees := loopTrees{m: manager, pulls: pulls, live: held}
	launcher := workers.NewLauncher(workers.Options{
		Runs: filepath.Join(stateDir, "runs"), Binary: binary, Agent: agentFor, Now: f.Now,
	})
	fl := &fleet{l: launcher, cfg: held, stateDir: stateDir, binary: binary, environ: f.Environ}
	wakes, stop, err := f.watchBoard(s.cfg)
	if err != nil {
		s.options.Log.Warn("The board's folder is not watched; polling alone goes on", logkey.Err, err)
	} else {
		s.closers = append(s.closers, stop)
		s.options.Wakes = wakes
	}
	j := s.deps.Journal
	s.deps = loop.Deps{
		Board: loopBoard{policy}, Pulls: pulls, Worktrees: trees, Launcher: fl, Interrupter: fl, Speaker: fl, Sessions: fl, Watcher: fl,
		Prompts: &prompter{cfg: held, repo: repo, landing: store.Landing}, Journal: j, Ledger: s.deps.Ledger,
		Life:    life{host: s.options.Host, boot: s.options.Boot},
		Updates: loopUpdates{store}, Branches: trees,
		Archive: archive{l: launcher, cfg: held},
		Owner:   policy.As(ownerActor()), OwnerPulls: ownerPulls{f}, Reading: f.reading,
		Hooks: hook, Configuration: newReloader(held, repo.Base, runsChecks(store), f.needAgents),
	}
	if f.Wrap != nil {
		s.deps = f.Wrap(s.deps)
	}
	return nil
}
