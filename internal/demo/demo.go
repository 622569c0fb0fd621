package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/backside4charter/dispatcher/internal/config"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
	"github.com/backside4charter/dispatcher/internal/git"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// Milestone is the one milestone of the demo's board.
const Milestone = "demo"

// Who the demo's developer is in git.
const (
	developerName  = "Demo Developer"
	developerEmail = "developer@demo.invalid"
)

// version is the format of the folder.
const version = 1

// Names inside the folder.
const (
	markerFile = "demo.json"
	scriptFile = "agents.json"
	repoDir    = "repo"
	remoteDir  = "remote.git"
)

// ErrTaken says that the folder holds something that is not a demo.
var ErrTaken = errors.New("the folder is not empty and not a demo's: name a new or an empty one with --dir, or leave --dir out")

// Runner runs a command of our own, given without the program's name, in a
// folder, and answers what it printed.
type Runner func(ctx context.Context, dir string, args ...string) (string, error)

// Options are a demo to prepare.
type Options struct {
	Dir      string   // empty: a fresh folder for temporary files
	Platform string   // native, or linear or github: one of our own on this machine; empty is the folder's own
	Fast     bool     // short pauses and timers
	Environ  []string // environment of git
	Run      Runner
	// Before runs a command as if it had been run so long ago: what a session
	// that vanished has left; nil runs it now.
	Before func(ago time.Duration) Runner
}

// Demo is a prepared folder.
type Demo struct {
	Dir       string // absolute
	Repo      string // main checkout
	Remote    string // bare
	Continued bool   // it was there already
	Platform  config.Platform
	run       Runner
	before    Runner

	environ []string
	served  *served
	linear  *fake.World // on that platform
	place   *linearPlace
	github  *gitHub // on that platform
}

// Close ends what serves the demo's board.
func (d *Demo) Close() {
	if d.served != nil {
		d.served.stop()
	}
	if d.github != nil {
		d.github.stop()
	}
}

// Address is where the demo's board answers; empty where it is files.
func (d *Demo) Address() string {
	switch {
	case d.place != nil:
		return "http://" + d.place.Address + "/graphql"
	case d.github != nil:
		return d.github.url
	}
	return ""
}

// marker makes a folder a demo's. Ready is set when everything stands; a
// folder that was left half-made is made anew.
type marker struct {
	Demo  int  `json:"dispatcherDemo"`
	Ready bool `json:"ready"`
}

// Prepare makes a demo, or finds the one that is in the folder.
func Prepare(ctx context.Context, o Options) (Demo, error) {
	g := &gitRepo{environ: git.CleanEnv(o.Environ)}
	if err := git.New(git.Options{Environ: o.Environ}).Check(ctx); err != nil {
		return Demo{}, fmt.Errorf("the demo plays in a real git repository: %w", err)
	}
	dir, err := folder(o.Dir)
	if err != nil {
		return Demo{}, err
	}
	d := Demo{Dir: dir, Repo: filepath.Join(dir, repoDir), Remote: filepath.Join(dir, remoteDir), run: o.Run, before: o.Run, environ: g.environ}
	if o.Before != nil {
		d.before = o.Before(goneSince)
	}
	m, err := d.marker()
	if err != nil {
		return Demo{}, err
	}
	d.Continued = m.Ready
	if err := d.fill(ctx, g, o); err != nil {
		d.Close()
		return Demo{}, err
	}
	return d, nil
}

// fill makes what is not there yet.
func (d *Demo) fill(ctx context.Context, g *gitRepo, o Options) error {
	if !slices.Contains([]config.Platform{"", config.PlatformNative, config.PlatformLinear, config.PlatformGitHub}, config.Platform(o.Platform)) {
		return fmt.Errorf("the demo plays on native, linear or github, not on %q", o.Platform)
	}
	d.Platform = d.platformNow(o.Platform)
	if d.Continued && o.Platform != "" && o.Platform != string(d.Platform) {
		return fmt.Errorf("the demo in %s plays on %s: leave --platform out, or name another --dir", d.Dir, d.Platform)
	}
	if !d.Continued {
		if err := d.make(ctx, g, o.Fast); err != nil {
			return fmt.Errorf("make the demo in %s: %w", d.Dir, err)
		}
	} else if err := d.open(ctx); err != nil {
		return err
	}
	// The script is written each time: its pace may have changed, and a newer
	// program may play it better.
	if err := d.writeScript(o.Fast); err != nil {
		return err
	}
	return d.writeMarker(true)
}

// open brings the board to life where it is not files.
func (d *Demo) open(ctx context.Context) error {
	switch d.Platform {
	case config.PlatformLinear:
		return d.openLinear(ctx)
	case config.PlatformGitHub:
		return d.openGitHub(ctx)
	case config.PlatformNative:
	}
	return nil
}

// folder is the demo's folder, made where it is missing, without links in it:
// git and the loop compare paths.
func folder(dir string) (string, error) {
	if dir == "" {
		fresh, err := os.MkdirTemp("", "dispatcher-demo-*")
		if err != nil {
			return "", fmt.Errorf("make a folder for the demo: %w; name one with --dir", err)
		}
		dir = fresh
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the demo's folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the demo's folder: %w; name another with --dir", err)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("find the demo's folder: %w", err)
	}
	return real, nil
}

// marker reads whose the folder is.
func (d *Demo) marker() (marker, error) {
	data, err := os.ReadFile(filepath.Join(d.Dir, markerFile))
	if errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(d.Dir)
		if err != nil {
			return marker{}, fmt.Errorf("look into %s: %w", d.Dir, err)
		}
		if len(entries) > 0 {
			return marker{}, fmt.Errorf("%s: %w", d.Dir, ErrTaken)
		}
		return marker{}, nil
	}
	if err != nil {
		return marker{}, fmt.Errorf("look into %s: %w", d.Dir, err)
	}
	var m marker
	if err := json.Unmarshal(data, &m); err != nil || m.Demo < 1 {
		return marker{}, fmt.Errorf("%s: its %s is not a demo's: %w", d.Dir, markerFile, ErrTaken)
	}
	if m.Demo > version {
		return marker{}, fmt.Errorf("%s was made by a newer dispatcher (format %d, this one reads %d): use that, or another --dir", d.Dir, m.Demo, version)
	}
	return m, nil
}

func (d *Demo) writeMarker(ready bool) error {
	data, err := json.Marshal(marker{Demo: version, Ready: ready})
	if err != nil {
		return fmt.Errorf("mark the demo's folder: %w", err)
	}
	if err := statefile.WriteAtomic(filepath.Join(d.Dir, markerFile), append(data, '\n'), 0o644); err != nil {
		return fmt.Errorf("mark the demo's folder: %w", err)
	}
	return nil
}

// make builds everything. The marker comes first, so that what a crash leaves
// behind is known for ours and may be removed.
func (d *Demo) make(ctx context.Context, g *gitRepo, fast bool) error {
	if err := d.writeMarker(false); err != nil {
		return err
	}
	if err := d.clear(ctx, d.Repo, d.Remote, filepath.Join(d.Dir, linearDir), filepath.Join(d.Dir, gitHubDir)); err != nil {
		return fmt.Errorf("clear what an unfinished start left: %w", err)
	}
	if err := d.writeScript(fast); err != nil {
		return err
	}
	if err := d.open(ctx); err != nil {
		return err
	}
	if err := d.makeRepository(ctx, g, d.configuration(fast)); err != nil {
		return err
	}
	if err := d.writeKeys(); err != nil {
		return err
	}
	if err := d.makeBoard(ctx); err != nil {
		return err
	}
	return d.openPulls(ctx)
}

// writeScript writes what the agents play.
func (d *Demo) writeScript(fast bool) error {
	s := d.agents()
	if fast {
		s.Speed = 40
	}
	data, err := s.Marshal()
	if err != nil {
		return err
	}
	if err := statefile.WriteAtomic(filepath.Join(d.Dir, scriptFile), data, 0o644); err != nil {
		return fmt.Errorf("write the agents' script: %w", err)
	}
	return nil
}

// gitRepo runs git for the making of the sample, untouched by what the person
// has configured for git.
type gitRepo struct{ environ []string }

func (g *gitRepo) run(ctx context.Context, dir string, env []string, args ...string) error {
	_, err := proc.Exec{}.Run(ctx, proc.Cmd{
		Name: "git", Args: args, Dir: dir,
		Env: append(append(append([]string{}, g.environ...), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1"), env...),
	})
	if err != nil {
		return fmt.Errorf("make the sample repository: %w", err)
	}
	return nil
}
