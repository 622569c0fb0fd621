package config

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// maxFile is far more than any configuration needs, in bytes.
const maxFile = 1 << 20

// Source says where a configuration comes from: the first that is set of Flag
// and Env, else the nearest file upward from Dir.
type Source struct {
	Flag     string // --config: a file, or the folder that holds it
	Env      string // DISPATCHER_CONFIG, likewise
	Dir      string // working directory, absolute
	Platform string // overrides the file's platform when set
}

// Load finds, reads, completes and validates a configuration. The errors are a
// MissingError where there is no file, a ViolationsError that holds everything
// that is wrong with it, or what the file system said.
//
// In a linked git worktree the main checkout's file is used, so that every
// process of a repository reads the same one; Root lies in the main checkout
// too.
func Load(ctx context.Context, src Source) (*Config, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	path, err := find(src)
	if err != nil {
		return nil, err
	}
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	c, violations := Parse(data, src.Platform)
	if len(violations) > 0 {
		return nil, &ViolationsError{Path: path, Violations: violations}
	}
	c.Path = path
	c.Root, err = rootOf(path)
	if err != nil {
		return nil, fmt.Errorf("find the repository of %s: %w", path, err)
	}
	return c, nil
}

func read(path string) ([]byte, error) {
	data, err := ReadBounded(path)
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	return data, nil
}

// ReadBounded reads a file of settings, which is never large.
func ReadBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s is larger than %d KiB; it holds no settings", path, maxFile>>10)
	}
	return data, nil
}

// Parse reads the text of a configuration, completes and validates it. A
// platform that is set stands in for the file's. The configuration is nil
// exactly when there are violations.
func Parse(data []byte, platform string) (*Config, []Violation) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	d := newDecoder(data, reflect.TypeFor[Config]())
	root, err := parse(data)
	if err != nil {
		d.syntax(err, Minimal)
		return nil, d.violations
	}
	c := &Config{}
	d.set(reflect.ValueOf(c).Elem(), root, "")
	if d.bad[""] {
		return nil, d.violations
	}
	if platform != "" {
		d.override(c, platform)
	}
	d.validate(c)
	if len(d.violations) > 0 {
		sortViolations(d.violations)
		return nil, d.violations
	}
	c.fill()
	return c, nil
}

// syntax records why the text is not JSON, with the most likely way out.
func (d *decoder) syntax(err error, minimal string) {
	var syn *syntaxError
	if !errors.As(err, &syn) {
		d.add(-1, "", "", "%v", err)
		return
	}
	hint := ""
	switch {
	case len(bytes.TrimSpace(d.data)) == 0:
		hint = "the file is empty; the smallest one is " + minimal
	case bytes.HasPrefix(d.data, []byte("\xff\xfe")) || bytes.HasPrefix(d.data, []byte("\xfe\xff")):
		hint = "this is UTF-16; save it as UTF-8"
	case syn.at < len(d.data) && (d.data[syn.at] == '/' || d.data[syn.at] == '#'):
		hint = "JSON has no comments"
	case syn.at < len(d.data) && (d.data[syn.at] == '}' || d.data[syn.at] == ']'):
		hint = "is there a comma after the last entry?"
	}
	d.add(syn.at, "", hint, "%s", syn.msg)
}

// override puts a platform of the command line in the file's place.
func (d *decoder) override(c *Config, platform string) {
	f, _ := reflect.TypeFor[Config]().FieldByName("Platform")
	enum := boundsOf(&f).enum
	if !slices.Contains(enum, platform) {
		d.add(-1, "--platform or DISPATCHER_BOARD_PLATFORM", meant(platform, enum), "there is no platform %q", platform)
		return
	}
	c.Platform = Platform(platform)
	d.at["platform"] = 0
	delete(d.bad, "platform")
}

// sortViolations puts faults in file order and absent things last.
func sortViolations(vs []Violation) {
	slices.SortStableFunc(vs, func(a, b Violation) int {
		if (a.Line == 0) != (b.Line == 0) {
			return cmp.Compare(b.Line, a.Line)
		}
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
}

// find answers the absolute path of the file that applies.
func find(src Source) (string, error) {
	for _, named := range []struct{ path, from string }{{src.Flag, "--config"}, {src.Env, "DISPATCHER_CONFIG"}} {
		if named.path != "" {
			return findNamed(src.Dir, named.path, named.from)
		}
	}
	start, main, err := mainDir(src.Dir)
	if err != nil {
		return "", fmt.Errorf("find %s: %w", FileName, err)
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, FileName)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			return path, nil
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) && !notDir(err) {
			return "", fmt.Errorf("find %s: %w", FileName, err)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", &MissingError{
		Looked: fmt.Sprintf("no %s in %s or any folder above it", FileName, start),
		Put:    filepath.Join(orElse(main, start), FileName),
	}
}

func findNamed(dir, path, from string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
		_, err = os.Stat(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", &MissingError{Looked: fmt.Sprintf("no %s, which %s names", path, from), Put: path}
	}
	if err != nil {
		return "", fmt.Errorf("read the configuration that %s names: %w", from, err)
	}
	return filepath.Clean(path), nil
}

// rootOf is the folder of a configuration file, in the main checkout.
func rootOf(path string) (string, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	root, _, err := mainDir(dir)
	return root, err
}

// StateDir is where the loop keeps its state: DISPATCHER_STATE_DIR (a relative
// one counts from Root, so that every process means the same folder), else
// .claude/dispatcher beside the configuration.
func (c *Config) StateDir(getenv func(string) string) string {
	dir := getenv("DISPATCHER_STATE_DIR")
	switch {
	case dir == "":
		return filepath.Join(c.Root, ".claude", "dispatcher")
	case filepath.IsAbs(dir):
		return filepath.Clean(dir)
	}
	return filepath.Join(c.Root, dir)
}

// NativeDir is the native board's folder, absolute.
func (c *Config) NativeDir() string {
	p := filepath.FromSlash(c.Native.Path)
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(c.Root, p)
}
