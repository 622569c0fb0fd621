package native

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// document is a whole board as one file.
type document struct {
	Version    int       `json:"version"`
	Key        string    `json:"key"`
	Columns    []column  `json:"columns"`
	Milestones []string  `json:"milestones"`
	Labels     []string  `json:"labels"`
	Next       int       `json:"next"`
	Issues     []*record `json:"issues"` // by number
}

// Export is the whole board. A row that cannot be read fails it: an export is
// a backup, and one with a hole is none.
func (b *Board) Export(ctx context.Context) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refresh(ctx); err != nil {
		return nil, fmt.Errorf("export the board: %w", err)
	}
	m := b.index.meta
	d := document{
		Version: formatVersion, Key: b.key, Columns: m.Columns, Next: m.Next,
		Milestones: append([]string{}, m.Milestones...), Labels: append([]string{}, m.Labels...), Issues: []*record{},
	}
	for _, e := range b.index.entries {
		if e.rec == nil {
			return nil, fmt.Errorf("export the board: %w: %s", board.ErrUnreadable, e.bad)
		}
		d.Next = max(d.Next, e.number+1)
		d.Issues = append(d.Issues, e.rec)
	}
	return encodeJSON(d)
}

// Import fills an empty board. All issues are written aside first and appear
// at once: an import that is cut leaves the board empty.
func (b *Board) Import(ctx context.Context, by board.Actor, data []byte) (int, error) {
	var d document
	err := decodeJSON("the document", data, &d)
	if err == nil {
		err = knownKeys(data, &d)
	}
	if err == nil {
		err = b.checkDocument(&d)
	}
	if err == nil {
		err = b.updateMeta(ctx, func(m *meta) error { return b.importInto(ctx, by, m, &d) })
	}
	if err != nil {
		return 0, fmt.Errorf("import a board: %w", err)
	}
	return len(d.Issues), nil
}

// checkDocument finds what would make a board that no write could have made.
func (b *Board) checkDocument(d *document) error {
	if !strings.EqualFold(d.Key, b.key) {
		return fmt.Errorf("%w: its issues are called %s-1 and so on, this board's %s-1; set native.key to %s", board.ErrForbidden, d.Key, b.key, d.Key)
	}
	d.Next = max(d.Next, 1)
	w := &waits{edges: map[board.Ref][]board.Ref{}, parent: map[board.Ref]board.Ref{}}
	seen := map[board.Ref]bool{}
	for _, r := range d.Issues {
		n, ok := b.number(string(r.Ref))
		if !ok || seen[r.Ref] {
			return fmt.Errorf("%w: %q is no ref of this board, or is there twice", board.ErrForbidden, r.Ref)
		}
		if err := r.check("issue", r.Ref); err != nil {
			return fmt.Errorf("%w: %w", board.ErrForbidden, err)
		}
		seen[r.Ref] = true
		d.Next = max(d.Next, n+1)
		w.edges[r.Ref] = slices.Clone(r.Blockers)
		w.setParent(r.Ref, r.Parent)
	}
	for _, r := range d.Issues {
		for _, to := range w.edges[r.Ref] {
			if err := w.circle(r.Ref, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *Board) importInto(ctx context.Context, by board.Actor, m *meta, d *document) error {
	aside := filepath.Join(b.opts.Dir, ".import"+".tmp-issues")
	if err := os.RemoveAll(aside); err != nil {
		return fmt.Errorf("remove what an earlier import left: %w", err)
	}
	if err := os.MkdirAll(aside, 0o755); err != nil {
		return fmt.Errorf("write the issues aside: %w", err)
	}
	if err := writeAside(ctx, aside, d.Issues); err != nil {
		return errors.Join(err, os.RemoveAll(aside))
	}
	// The folder must be empty to go: that is the check that nothing is lost.
	if err := os.Remove(b.IssuesDir()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%w: the board has issues already; import into an empty one", board.ErrForbidden), os.RemoveAll(aside))
	}
	if err := os.Rename(aside, b.IssuesDir()); err != nil {
		return fmt.Errorf("put the issues in place: %w", err)
	}
	m.Columns, m.Milestones, m.Labels, m.Next = d.Columns, d.Milestones, d.Labels, d.Next
	events := make([]Event, 0, len(d.Issues))
	for _, r := range d.Issues {
		events = append(events, Event{At: b.now(), Type: "imported", Ref: r.Ref, Rev: r.Rev, Actor: by.Kind, Name: by.Name})
	}
	return b.logEvents(ctx, events)
}

// writers is how many files are written at once: syncs of one disk share
// their cost.
const writers = 16

func writeAside(ctx context.Context, dir string, records []*record) error {
	var wg sync.WaitGroup
	errs := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			for n := w; n < len(records) && errs[w] == nil; n += writers {
				data, err := records[n].encode()
				if err == nil {
					err = ctx.Err()
				}
				if err == nil {
					err = statefile.WriteAtomic(filepath.Join(dir, string(records[n].Ref)+".json"), data, 0o644)
				}
				errs[w] = err
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
