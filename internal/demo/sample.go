package demo

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/backside4charter/dispatcher/internal/config"
)

// The sample project, and what the agents write into it.
//
//go:embed sample sample/.gitattributes earlier work
var files embed.FS

// testCommand runs the sample's tests. Where there is no sh on the PATH, git
// brings one, which its aliases use.
func testCommand() []string {
	if runtime.GOOS == "windows" {
		return []string{"git", "-c", "alias.selftest=!sh test/run.sh", "selftest"}
	}
	return []string{"sh", "test/run.sh"}
}

// commit is one commit of the sample's history.
type commit struct {
	author, email, date, message string
	files                        []string
	from                         string // folder that the files come from; empty: sample
	branch                       string // made for it and left again; empty: main
}

// Branches of pull requests that were open before the demo begins.
const (
	branchHelp   = "task/dsp-8-help-says-where-the-list-is"
	branchBackup = "task/dsp-9-say-how-to-keep-a-copy"
)

// history is who made the sample and when. The people are invented.
var history = []commit{
	{
		"Ada Brinkmann", "ada@demo.invalid", "2026-09-07T09:12:00+02:00", "Keep a list of things to do in a text file",
		[]string{".gitattributes", "todo", "lib/add.sh", "lib/list.sh"},
		"", "",
	},
	{
		"Ada Brinkmann", "ada@demo.invalid", "2026-09-07T11:40:00+02:00", "Cross things off without moving the numbers",
		[]string{"lib/done.sh", "docs/format.md"},
		"", "",
	},
	{
		"Tomás Oliveira", "tomas@demo.invalid", "2026-09-10T16:03:00+01:00", "Test every command on an empty list",
		[]string{"test/run.sh", "test/add.test.sh", "test/done.test.sh"},
		"", "",
	},
	{
		"Priya Nair", "priya@demo.invalid", "2026-09-21T08:27:00+05:30", "Let help read what it shows from the commands",
		[]string{"lib/help.sh"},
		"earlier", "",
	},
	{
		developerName, developerEmail, "2026-09-29T15:20:00+02:00", "Let help say where the list is",
		[]string{"lib/help.sh", "test/where.test.sh"},
		"work/help", branchHelp,
	},
	{
		developerName, developerEmail, "2026-09-29T16:05:00+02:00", "Say how to keep a copy",
		[]string{"docs/backup.md"},
		"work/backup", branchBackup,
	},
	{
		"Priya Nair", "priya@demo.invalid", "2026-09-30T09:41:00+05:30", "Let help begin with what this is",
		[]string{"lib/help.sh", "test/help.test.sh"},
		"", "",
	},
	{
		"Tomás Oliveira", "tomas@demo.invalid", "2026-10-02T18:55:00+01:00", "Say how to use it and how to test it",
		[]string{"README.md"},
		"", "",
	},
	{
		"Robin Owner", "owner@demo.invalid", "2026-10-05T10:00:00+02:00", "Let dispatcher work the board",
		[]string{config.FileName},
		"", "",
	},
}

// makeRepository makes the main checkout with its history and the bare remote.
func (d *Demo) makeRepository(ctx context.Context, g *gitRepo, conf config.Config) error {
	if err := os.MkdirAll(d.Repo, 0o755); err != nil {
		return fmt.Errorf("make the sample repository: %w", err)
	}
	text, err := json.MarshalIndent(conf, "", "  ")
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	hooks := filepath.Join(d.Repo, ".git", "hooks")
	steps := [][]string{
		{"init", "--quiet", "--template=", "--initial-branch=main", "."},
		{"config", "user.name", "Robin Owner"},
		{"config", "user.email", "owner@demo.invalid"},
		// A person's own settings must not change what the demo shows.
		{"config", "commit.gpgSign", "false"},
		{"config", "core.autocrlf", "false"},
		{"config", "core.hooksPath", hooks},
		{"config", "gc.auto", "0"},
	}
	for _, args := range steps {
		if err := g.run(ctx, d.Repo, nil, args...); err != nil {
			return err
		}
	}
	for _, c := range history {
		if c.author == developerName && d.github != nil {
			c.author, c.email = botName(developer), botEmail(developer)
		}
		if err := d.commit(ctx, g, c, append(text, '\n')); err != nil {
			return err
		}
	}
	if err := g.run(ctx, d.Dir, nil, "init", "--quiet", "--template=", "--bare", "--initial-branch=main", d.Remote); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"remote", "add", "origin", d.Remote},
		{"push", "--quiet", "--set-upstream", "origin", "main"},
		{"push", "--quiet", "origin", branchHelp, branchBackup},
		{"branch", "--quiet", "-D", branchHelp, branchBackup},
		{"remote", "set-head", "origin", "main"},
	} {
		if err := g.run(ctx, d.Repo, nil, args...); err != nil {
			return err
		}
	}
	if d.github == nil {
		return nil
	}
	for _, args := range d.github.remote() {
		if err := g.run(ctx, d.Repo, nil, args...); err != nil {
			return err
		}
	}
	return nil
}

// commit makes one commit, on a branch of its own where it has one.
func (d *Demo) commit(ctx context.Context, g *gitRepo, c commit, conf []byte) error {
	if c.branch == "" {
		return d.commitHere(ctx, g, c, conf)
	}
	if err := g.run(ctx, d.Repo, nil, "checkout", "--quiet", "-b", c.branch); err != nil {
		return err
	}
	if err := d.commitHere(ctx, g, c, conf); err != nil {
		return err
	}
	return g.run(ctx, d.Repo, nil, "checkout", "--quiet", "main")
}

func (d *Demo) commitHere(ctx context.Context, g *gitRepo, c commit, conf []byte) error {
	from := c.from
	if from == "" {
		from = "sample"
	}
	for _, name := range c.files {
		data := conf
		if name != config.FileName {
			var err error
			if data, err = files.ReadFile(from + "/" + name); err != nil {
				return fmt.Errorf("make the sample repository: %w", err)
			}
		}
		full := filepath.Join(d.Repo, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return fmt.Errorf("make the sample repository: %w", err)
		}
		mode := fs.FileMode(0o644)
		if name == "todo" || name == "test/run.sh" {
			mode = 0o755
		}
		if err := os.WriteFile(full, data, mode); err != nil {
			return fmt.Errorf("make the sample repository: %w", err)
		}
	}
	if err := g.run(ctx, d.Repo, nil, append([]string{"add", "--"}, c.files...)...); err != nil {
		return err
	}
	return g.run(ctx, d.Repo, []string{
		"GIT_AUTHOR_NAME=" + c.author, "GIT_AUTHOR_EMAIL=" + c.email, "GIT_AUTHOR_DATE=" + c.date,
		"GIT_COMMITTER_NAME=" + c.author, "GIT_COMMITTER_EMAIL=" + c.email, "GIT_COMMITTER_DATE=" + c.date,
	}, "commit", "--quiet", "--message", c.message)
}

// piece is one file that an agent writes.
type piece struct{ path, content string }

// pieces are the files of one folder of work, docs last.
func pieces(name string) []piece {
	var out []piece
	root := "work/" + name
	err := fs.WalkDir(files, root, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := files.ReadFile(p)
		out = append(out, piece{p[len(root)+1:], string(data)})
		return err
	})
	if err != nil {
		panic("demo: its embedded files are incomplete: " + err.Error())
	}
	order := []string{"lib", "test", "docs"}
	slices.SortStableFunc(out, func(a, b piece) int {
		return slices.Index(order, path.Dir(a.path)) - slices.Index(order, path.Dir(b.path))
	})
	return out
}
