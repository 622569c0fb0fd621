package archtest

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// ban forbids libraries to rooms, in production code.
type ban struct {
	why     string
	rooms   []string // where it holds
	except  []string // where it does not
	imports []string // import path or its beginning, up to a slash or a dot
}

var bans = []ban{
	{
		why:     "the plan is pure: values in, values out",
		rooms:   []string{"loop/plan"},
		imports: []string{"context", "log", "os", "io", "net", "math/rand", "sync", "runtime", "path/filepath", "testing"},
	},
	{
		why:     "state is plain values that do no work",
		rooms:   []string{"loop/state"},
		imports: []string{"context", "log", "os", "net", "math/rand"},
	},
	{
		why:     "presentation stays above: screens, themes and the command line",
		rooms:   []string{"..."},
		except:  []string{"tui/...", "themes", "internal/cli", "internal/app", "scripts/*"},
		imports: []string{"charm.land", "github.com/charmbracelet"},
	},
	{
		why:     "a screen reaches the world through injected commands only",
		rooms:   []string{"tui/...", "themes"},
		imports: []string{"os/exec", "net"},
	},
	{
		why:     "the command line's library stays in the command line",
		rooms:   []string{"..."},
		except:  []string{"internal/cli"},
		imports: []string{"github.com/spf13"},
	},
	{
		why:     "the board's model knows no storage and no network",
		rooms:   []string{"board"},
		imports: []string{"os", "net", "log"},
	},
	{
		why:     "the board in files needs no network and starts no program",
		rooms:   []string{"board/native"},
		imports: []string{"net", "os/exec"},
	},
	{
		why:     "go-git reads in the rooms about git",
		rooms:   []string{"..."},
		except:  []string{"internal/git", "worktree", "gitapp/..."},
		imports: []string{"github.com/go-git"},
	},
	{
		why:     "test libraries stay in tests",
		rooms:   []string{"..."},
		except:  []string{"board/boardtest/...", "loop/simtest", "internal/proc/proctest", "internal/git/gittest", "internal/fake/...", "internal/e2e", "internal/archtest"},
		imports: []string{"testing", "go.uber.org/goleak", "pgregory.net/rapid", "github.com/rogpeppe", "github.com/google/go-cmp", "github.com/invopop"},
	},
	{
		why:     "removed or replaced by the standard library",
		rooms:   []string{"..."},
		imports: []string{"io/ioutil", "github.com/pkg/errors", "golang.org/x/exp"},
	},
}

func (b *ban) holds(room string) bool {
	return anyMatches(b.rooms, room) && !anyMatches(b.except, room)
}

func (b *ban) forbids(importPath string) bool {
	return slices.ContainsFunc(b.imports, func(p string) bool {
		return importPath == p || strings.HasPrefix(importPath, p+"/")
	})
}

// TestBannedLibraries keeps libraries out of the rooms that must not know them.
func TestBannedLibraries(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for i := range bans {
			for _, p := range s.imports() {
				if bans[i].holds(s.room) && bans[i].forbids(p) {
					t.Errorf("%s imports %s: %s", s.path, p, bans[i].why)
				}
			}
		}
	}
}

// clocks are the functions of package time that read a clock or wait for one.
var clocks = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}

// TestPureRoomsKnowNoClock keeps the time an argument where rules are decided.
func TestPureRoomsKnowNoClock(t *testing.T) {
	t.Parallel()
	pure := []string{"loop/plan", "loop/state", "board", "workers/report", "workers/prompt", "tui/layout", "tui/widget"}
	for _, s := range sources(t) {
		if s.test || !slices.Contains(pure, s.room) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "time" && slices.Contains(clocks, sel.Sel.Name) {
				t.Errorf("%s uses time.%s; the time comes in as an argument", fset.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

// uses says which rooms may use a function or variable of the standard library.
type uses struct {
	why   string
	pkg   string
	names []string
	rooms []string
}

var restricted = []uses{
	{
		why: "the program ends in one place", pkg: "os", names: []string{"Exit"},
		rooms: []string{".", "scripts/*"},
	},
	{
		// The supervisor is a process of its own, and so is who claims in a contest.
		why: "streams are passed in", pkg: "os", names: []string{"Stdin", "Stdout", "Stderr"},
		rooms: []string{"internal/cli", "workers/supervise", "board/boardtest/contest", "scripts/*"},
	},
	{
		// workers starts supervisors that outlive it, and a supervisor its
		// agent: a runner that waits can do neither.
		why: "commands run in one place", pkg: "exec", names: []string{"Command", "CommandContext"},
		rooms: []string{"internal/proc", "internal/proc/proctest", "workers", "workers/supervise", "internal/git/gittest", "board/boardtest/contest", "scripts/*"},
	},
	{
		why: "commands run in one place", pkg: "os", names: []string{"StartProcess"},
	},
	{
		why: "nothing logs without its logger", pkg: "slog",
		names: []string{"SetDefault", "Default", "Debug", "Info", "Warn", "Error"},
	},
	{
		why: "errors say what happened; a panic of ours is a bug", pkg: "log", names: []string{"Fatal", "Fatalf", "Panic"},
	},
}

// TestRestrictedUses keeps what touches the process itself in the rooms that
// own it.
func TestRestrictedUses(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := sel.X.(*ast.Ident)
			for i := range restricted {
				u := &restricted[i]
				if ok && pkg.Name == u.pkg && slices.Contains(u.names, sel.Sel.Name) && !anyMatches(u.rooms, s.room) {
					t.Errorf("%s uses %s.%s: %s", fset.Position(n.Pos()), u.pkg, sel.Sel.Name, u.why)
				}
			}
			return true
		})
	}
}
