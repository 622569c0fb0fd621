package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/control"
	"github.com/backside4charter/dispatcher/loop/state"
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// Takeover is a worker's session in its owner's hands: what to run, where, and
// with which environment. Nobody else writes to the session until HandBack.
type Takeover struct {
	Run     string
	Ref     board.Ref
	Session string
	Argv    []string
	Dir     string
	Env     []string

	taking  *workers.Taking
	control *control.Client
}

// takeWithin is how long an agent may take to end when its owner wants its
// session.
const takeWithin = time.Minute

// TakeOver asks the loop to end the worker on an issue, waits for that, and
// answers how its owner goes on in the session. The loop keeps the claim until
// HandBack, or until this process is gone. A session that was taken over before
// is opened again.
func (f *Factory) TakeOver(ctx context.Context, ref board.Ref) (*Takeover, error) {
	cfg, err := f.Config(ctx)
	if err != nil {
		return nil, err
	}
	client, err := f.Control(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, takeWithin)
	defer cancel()
	w, err := handedOver(ctx, client, ref)
	if err != nil {
		return nil, err
	}
	stateDir := cfg.StateDir(f.Getenv)
	binary, err := f.CopySelf(stateDir)
	if err != nil {
		return nil, err
	}
	fl := &fleet{
		l:   workers.NewLauncher(workers.Options{Runs: filepath.Join(stateDir, "runs"), Binary: binary, Agent: agentFor, Now: f.Now}),
		cfg: newLive(cfg), stateDir: stateDir, binary: binary, environ: f.Environ,
	}
	t := &Takeover{Run: w.Run.ID, Ref: ref, Session: w.Run.Session, control: client}
	if t.taking, err = fl.l.Take(ctx, w.Run.ID); err != nil {
		return nil, err
	}
	// Asked again now that nobody else can take it: the loop may have taken it
	// back since it was looked at, and would be a second writer.
	if _, err := client.Send(ctx, state.Command{Kind: state.CommandTakeOver, Run: t.Run, Ref: ref}); err != nil {
		return nil, errors.Join(err, t.taking.Release())
	}
	if err := fl.interactive(t, &w.Run); err != nil {
		return nil, errors.Join(err, t.taking.Release())
	}
	return t, nil
}

// handedOver asks for a session and waits until it is its owner's.
func handedOver(ctx context.Context, client *control.Client, ref board.Ref) (*state.Worker, error) {
	asked, run := false, ""
	for {
		s, err := client.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(s.Workers, func(w state.Worker) bool {
			return w.Run.Ref == ref && w.Outcome == "" && (run == "" || w.Run.ID == run)
		})
		switch {
		case at < 0 && asked:
			return nil, fmt.Errorf("the worker on %s finished before you could take it over", ref)
		case at < 0:
			return nil, fmt.Errorf("no worker of this loop works on %s", ref)
		case s.Workers[at].TakenOver:
			return &s.Workers[at], nil
		case asked && s.Workers[at].Run.Phase != state.PhaseRunning:
			return nil, fmt.Errorf("the worker on %s finished before you could take it over: it is %s", ref, s.Workers[at].Run.Phase)
		}
		run = s.Workers[at].Run.ID
		if !asked {
			if _, err := client.Send(ctx, state.Command{Kind: state.CommandTakeOver, Ref: ref}); err != nil {
				return nil, err
			}
			asked = true
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return nil, fmt.Errorf("take %s over: its agent has not ended: %w", ref, ctx.Err())
		}
	}
}

// interactive fills in what to run. The worker's environment keeps its fence
// and its identities; what the person's terminal needs is added. The mark of
// the run's folder is not in it: nobody may end this process as a leftover.
func (w *fleet) interactive(t *Takeover, r *state.Run) error {
	profile, ok := w.cfg.now().Agents[r.Agent]
	if !ok {
		return fmt.Errorf("the configuration has no agent %q any more", r.Agent)
	}
	env := w.environment(r, profile)
	env.Names = append(env.Names, terminalNames...)
	t.Dir = t.taking.Spec.Dir
	if _, err := os.Stat(t.Dir); err != nil {
		return fmt.Errorf("its worktree is gone: %w; `dispatcher ctl hand-back %s` lets the loop make a new one", err, t.Ref)
	}
	var err error
	switch profile.Kind {
	case config.AgentClaude:
		err = w.conversation(t, r, profile, env)
	case config.AgentScript:
		// It has no conversation to join; a shell in its worktree is what is left.
		t.Env, t.Argv = workers.Env(env), []string{orShell(w.environ())}
	case config.AgentCommand:
		err = fmt.Errorf("agent %q has no session", r.Agent)
	default:
		err = fmt.Errorf("agent %q is of the unknown kind %q", r.Agent, profile.Kind)
	}
	return err
}

// conversation opens a session of Claude Code, under the settings as they are
// now.
func (w *fleet) conversation(t *Takeover, r *state.Run, profile config.Agent, from workers.EnvOptions) error {
	f, err := w.l.Folder(r.ID)
	if err != nil {
		return err
	}
	o := w.claude(r, profile)
	env, settings := claude.Prepare(o, from, t.Dir, w.cfg.now().Withholds)
	if err := f.WriteSettings(settings); err != nil {
		return err
	}
	t.Env = env
	t.Argv, err = claude.Interactive(o)
	return err
}

// terminalNames are what a person's programs want to know of the terminal.
var terminalNames = []string{"TERM", "COLORTERM", "TERM_PROGRAM", "TMUX", "TMUX_PANE", "EDITOR", "VISUAL", "PAGER", "NO_COLOR"}

func orShell(environ []string) string {
	for _, kv := range environ {
		if shell, ok := strings.CutPrefix(kv, "SHELL="); ok && shell != "" {
			return shell
		}
	}
	return "sh"
}

// Open runs the session to its end, on the streams that it is given. An
// *exec.ExitError says how it ended.
func (t *Takeover) Open(ctx context.Context, in io.Reader, out, errs io.Writer) error {
	return t.taking.Run(ctx, t.Argv, t.Env, in, out, errs)
}

// HandBack lets the loop go on. A loop that does not answer takes the session
// back when it next looks.
func (t *Takeover) HandBack(ctx context.Context) error {
	if err := t.taking.Release(); err != nil {
		return err
	}
	_, err := t.control.Send(ctx, state.Command{Kind: state.CommandHandBack, Run: t.Run, Ref: t.Ref})
	return err
}

// MayTakeOver implements loop.Sessions.
func (w *fleet) MayTakeOver(_ context.Context, run string) error {
	f, err := w.l.Folder(run)
	if err != nil {
		return err
	}
	spec, err := f.Spec()
	if err != nil {
		return err
	}
	agent, err := agentFor(spec.Agent)
	if err != nil {
		return err
	}
	if can := agent.Can(); !can.Resume {
		return fmt.Errorf("%w: %s", workers.ErrUnable, can.Why)
	}
	return nil
}

// Taker implements loop.Sessions.
func (w *fleet) Taker(_ context.Context, run string) (state.Taker, error) {
	f, err := w.l.Folder(run)
	if err != nil {
		return state.Taker{}, err
	}
	t, err := f.Taken()
	return state.Taker{Came: t.Came, Lives: t.Lives, PID: t.PID}, err
}
