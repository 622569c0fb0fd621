package native

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// formatVersion is the newest format that this program reads, of board.json,
// of issues and of exports.
const formatVersion = 1

// meta is board.json.
type meta struct {
	Version    int      `json:"version"`
	Key        string   `json:"key"`
	Columns    []column `json:"columns"`
	Milestones []string `json:"milestones"` // in the order in which they are shown
	Labels     []string `json:"labels"`
	Next       int      `json:"next"` // number of the next issue
}

// column is a state. An issue names it by its role, or by its name when it has
// none: a column can be renamed without touching an issue.
type column struct {
	Name   string     `json:"name"`
	Role   board.Role `json:"role,omitempty"`
	Closed bool       `json:"closed,omitempty"`
}

// id is how an issue's file names the column.
func (c column) id() string {
	if c.Role != board.RoleNone {
		return string(c.Role)
	}
	return c.Name
}

func (b *Board) metaPath() string { return filepath.Join(b.opts.Dir, "board.json") }

// readMeta reads board.json; without one the board is new.
func (b *Board) readMeta() (meta, error) {
	path := b.metaPath()
	now := time.Now()
	s, err := stampOf(path)
	if errors.Is(err, fs.ErrNotExist) {
		return b.named(meta{Version: formatVersion, Next: 1}), nil
	}
	if err != nil {
		return meta{}, fmt.Errorf("read %s: %w", path, err)
	}
	b.metaMu.Lock()
	defer b.metaMu.Unlock()
	if b.metaRead != nil && s == b.metaStamp {
		return b.metaRead.clone(), nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return meta{}, fmt.Errorf("read %s: %w", path, err)
	}
	var m meta
	if err := decodeJSON(path, data, &m); err != nil {
		if _, newer := errors.AsType[*statefile.NewerVersionError](err); newer {
			return meta{}, err
		}
		return meta{}, fmt.Errorf("%w; restore it, or remove it: it is made anew from the issues", err)
	}
	m = b.named(m)
	b.metaRead = nil
	if s.settledAt(now) {
		b.metaStamp, b.metaRead = s, &m
	}
	return m.clone(), nil
}

// clone is a copy to change.
func (m *meta) clone() meta {
	c := *m
	c.Columns, c.Milestones, c.Labels = slices.Clone(m.Columns), slices.Clone(m.Milestones), slices.Clone(m.Labels)
	return c
}

// named completes the columns: every role has one, under the name that the
// configuration gives it.
func (b *Board) named(m meta) meta {
	for _, role := range board.Roles() {
		i := slices.IndexFunc(m.Columns, func(c column) bool { return c.Role == role })
		if i < 0 {
			i = len(m.Columns)
			m.Columns = append(m.Columns, column{Name: role.DefaultName(), Role: role})
		}
		m.Columns[i].Closed = role.Closed()
		if name := b.opts.States[role]; name != "" {
			m.Columns[i].Name = name
		}
	}
	for _, l := range b.opts.Labels {
		m.Labels = withName(m.Labels, l)
	}
	return m
}

func (m *meta) column(id string) column {
	for _, c := range m.Columns {
		if c.id() == id {
			return c
		}
	}
	return column{Name: id}
}

func (m *meta) columnNamed(name string) (column, bool) {
	for _, c := range m.Columns {
		if strings.EqualFold(c.Name, name) {
			return c, true
		}
	}
	return column{}, false
}

// withName adds a name that is not in the list in any case.
func withName(names []string, name string) []string {
	if name == "" || slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) }) {
		return names
	}
	return append(names, name)
}

// updateMeta changes board.json under the board's lock, which stays held while
// then runs: numbers, blockers and order are settled under it.
func (b *Board) updateMeta(ctx context.Context, fn func(m *meta) error) error {
	return b.locked(ctx, "board.lock", func() error {
		m, err := b.readMeta()
		if err != nil {
			return err
		}
		before, err := encodeJSON(m)
		if err != nil {
			return err
		}
		m.Key = b.key
		if err := fn(&m); err != nil {
			return err
		}
		return b.saveMeta(m, before)
	})
}

func (b *Board) saveMeta(m meta, before []byte) error {
	after, err := encodeJSON(m)
	if err != nil {
		return err
	}
	if _, err := os.Stat(b.metaPath()); err == nil && bytes.Equal(before, after) {
		return nil
	}
	return statefile.WriteAtomic(b.metaPath(), after, 0o644)
}

// locked runs fn while this process holds the lock of that name.
func (b *Board) locked(ctx context.Context, name string, fn func() error) error {
	path := b.lockPath(name)
	l, err := statefile.Lock(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = b.makeFolders(); err == nil {
			l, err = statefile.Lock(ctx, path)
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(fn(), l.Unlock())
}

func (b *Board) makeFolders() error {
	for _, dir := range []string{b.IssuesDir(), filepath.Join(b.opts.Dir, "locks")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make the board's folder: %w", err)
		}
	}
	return nil
}

// RoleState is the name of the column that has the role.
func (b *Board) RoleState(r board.Role) (string, bool) {
	m, err := b.readMeta()
	if err != nil || r == board.RoleNone {
		return "", false
	}
	for _, c := range m.Columns {
		if c.Role == r {
			return c.Name, true
		}
	}
	return "", false
}

// States lists the columns in order.
func (b *Board) States(context.Context) ([]board.State, error) {
	m, err := b.readMeta()
	if err != nil {
		return nil, err
	}
	var states []board.State
	for _, c := range m.Columns {
		states = append(states, board.State{ID: c.id(), Name: c.Name, Role: c.Role, Closed: c.Closed})
	}
	return states, nil
}

func encodeJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return buf.Bytes(), nil
}

// decodeJSON reads a file of ours. A newer version is told from a broken file
// even where its fields no longer fit.
func decodeJSON(path string, data []byte, v any) error {
	err := json.Unmarshal(data, v)
	var head struct {
		Version int `json:"version"`
	}
	if herr := json.Unmarshal(data, &head); herr == nil && head.Version > formatVersion {
		return &statefile.NewerVersionError{Path: path, Version: head.Version, Known: formatVersion}
	}
	if err != nil {
		return fmt.Errorf("%s is cut or broken (%w)", path, err)
	}
	if head.Version < 1 {
		return fmt.Errorf("%s names no format version", path)
	}
	return nil
}
