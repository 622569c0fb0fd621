package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/internal/statefile"
	"github.com/backside4charter/dispatcher/tui"
)

// furnish gives a control room what it needs of this machine: drafts that
// survive it, the person's editor and their browser.
func (f *Factory) furnish(o *tui.Options, state string) {
	d := &draftFile{path: filepath.Join(state, "drafts.json")}
	o.Kept, o.Keep = d.load(), d.keep
	o.Editor = f.editor()
	o.Browse = f.browse
	if proc.Suspendable() {
		o.Suspend = proc.Suspend
	}
}

// draftFile holds the texts that were begun and not sent, of every room on this
// checkout. Each room writes what it changed and leaves the rest.
type draftFile struct {
	path string
	mu   sync.Mutex
	base map[string]string // as this room last knew them
}

// draftsWithin is how long another room may take to write its own.
const draftsWithin = 2 * time.Second

// maxDrafts bounds what is read back.
const maxDrafts = 4 << 20

// load reads the drafts. A file that cannot be read is as good as none: nothing
// but unsent words stands in it.
func (d *draftFile) load() map[string]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.base, _ = d.read()
	out := make(map[string]string, len(d.base))
	maps.Copy(out, d.base)
	return out
}

func (d *draftFile) read() (map[string]string, error) {
	out := map[string]string{}
	data, err := os.ReadFile(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("read the drafts: %w", err)
	}
	if len(data) > maxDrafts {
		return out, fmt.Errorf("read the drafts: %s is larger than %d bytes", d.path, maxDrafts)
	}
	if err := json.Unmarshal(data, &out); err != nil {
		return map[string]string{}, fmt.Errorf("read the drafts: %w", err)
	}
	return out, nil
}

// keep writes what has changed since the room last knew.
func (d *draftFile) keep(all map[string]string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), draftsWithin)
	defer cancel()
	lock, err := statefile.Lock(ctx, d.path+".lock")
	if err != nil {
		return fmt.Errorf("keep the drafts: %w", err)
	}
	defer lock.Unlock() //nolint:errcheck // it goes with this process at the latest
	now, _ := d.read()
	for id := range d.base {
		if _, ok := all[id]; !ok {
			delete(now, id)
		}
	}
	for id, text := range all {
		if d.base[id] != text {
			now[id] = text
		}
	}
	data, err := json.MarshalIndent(now, "", " ")
	if err != nil {
		return fmt.Errorf("keep the drafts: %w", err)
	}
	if err := statefile.ReplaceUnsynced(d.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("keep the drafts: %w", err)
	}
	d.base = all
	return nil
}

// editor answers the person's editor, nil where none is named.
func (f *Factory) editor() tui.Editor {
	argv := strings.Fields(firstOf(f.Getenv("VISUAL"), f.Getenv("EDITOR")))
	if len(argv) == 0 {
		return nil
	}
	return func(text string) (tui.EditorRun, func() (string, error), error) {
		dir, err := os.MkdirTemp("", "dispatcher-edit-")
		if err != nil {
			return nil, nil, fmt.Errorf("make room for the text: %w", err)
		}
		path := filepath.Join(dir, "text.md")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			_ = os.RemoveAll(dir) // the error that is answered says more
			return nil, nil, fmt.Errorf("write the text: %w", err)
		}
		read := func() (string, error) {
			defer func() { _ = os.RemoveAll(dir) }() // a leftover holds nothing but a draft
			data, err := os.ReadFile(path)
			if err != nil {
				return "", fmt.Errorf("read the text back: %w", err)
			}
			return string(data), nil
		}
		return &proc.Terminal{Name: argv[0], Args: append(argv[1:len(argv):len(argv)], path)}, read, nil
	}
}

// Limits of opening things: browseSettled is how long a program that opens a
// page has to fail, openWithin how long one that opens a window may take.
const (
	browseSettled = 2 * time.Second
	openWithin    = 10 * time.Second
)

// browse opens a page with what the system opens pages with. Only web pages
// are: the address comes from a board or a host. What opens it may be the
// browser itself, so that it goes on for as long as it likes; only an end in
// failure that comes soon is one.
func (f *Factory) browse(url string) error {
	return f.browseWith(url, browseSettled)
}

func (f *Factory) browseWith(url string, settled time.Duration) error {
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") {
		return errors.New("it is no web page")
	}
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	name = firstOf(f.Getenv("BROWSER"), name)
	cmd, err := proc.Detach(name, args, "", nil, nil)
	if err != nil {
		return fmt.Errorf("open %s: %w", url, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("open %s: %s: %w", url, name, err)
		}
	case <-time.After(settled):
	}
	return nil
}
