//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// recorder keeps what a program writes, with its time, as the lines of an
// asciicast of version 2. It begins with the alternate screen and ends with
// it, so that nothing of the shell around is told.
type recorder struct {
	mu      sync.Mutex
	now     func() time.Time
	begun   time.Time
	ended   bool
	partial []byte // the beginning of a character
	events  []event
}

// event is one piece of output.
type event struct {
	after time.Duration
	text  string
}

const (
	enterScreen = "\x1b[?1049h"
	leaveScreen = "\x1b[?1049l"
)

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(b)
	if r.ended {
		return n, nil
	}
	if r.begun.IsZero() {
		at := bytes.Index(b, []byte(enterScreen))
		if at < 0 {
			return n, nil
		}
		r.begun, b = r.now(), b[at:]
	}
	if at := bytes.Index(b, []byte(leaveScreen)); at >= 0 {
		b, r.ended = b[:at+len(leaveScreen)], true
	}
	b = append(r.partial, b...)
	whole := len(b)
	for i := 1; i < utf8.UTFMax && i <= len(b); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				whole = len(b) - i
			}
			break
		}
	}
	r.partial = bytes.Clone(b[whole:])
	if whole > 0 {
		r.events = append(r.events, event{r.now().Sub(r.begun), string(b[:whole])})
	}
	return n, nil
}

// maxPause is how long a recording shows nothing new.
const maxPause = 1500 * time.Millisecond

// cast is the recording as a file; pauses are cut short.
func (r *recorder) cast(w, h int, title string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(map[string]any{
		"version": 2, "width": w, "height": h, "title": title, "env": map[string]string{"TERM": "xterm-256color"},
	}); err != nil {
		return nil, fmt.Errorf("write the recording: %w", err)
	}
	var at, last time.Duration
	for _, ev := range r.events {
		at += min(ev.after-last, maxPause)
		last = ev.after
		if err := e.Encode([]any{float64(at.Milliseconds()) / 1000, "o", ev.text}); err != nil {
			return nil, fmt.Errorf("write the recording: %w", err)
		}
	}
	return out.Bytes(), nil
}

// scene is one step of the recording: wait, type, look.
type scene struct {
	waitFor func(string) bool
	keys    []string
	look    time.Duration
}

// play is the owner's part in the recording.
func play() []scene {
	const glance, read = time.Second, 3 * time.Second
	return []scene{
		{whole, nil, read},
		{shows("●"), []string{"2"}, read},
		{func(s string) bool { return strings.Count(s, " ✓ ") >= 6 }, []string{"1"}, read},
		{shows("DSP-3 asks: "), []string{"!"}, read},
		{whole, []string{"a"}, read},
		{shows("allow once"), []string{"1"}, read},
		{shows("question, "), []string{"1", pause, "!"}, glance},
		{whole, []string{"a"}, read},
		{shows("Your answer"), []string{"1"}, glance},
		{shows("Your answer"), []string{"\r"}, read},
		{whole, []string{"1"}, read},
		{shows("to review"), []string{"4"}, read},
		{shows("#1"), []string{"d"}, read},
		{shows("Files"), []string{"v"}, read},
		{shows("Files"), []string{"5"}, read},
		{shows("firing"), []string{"g", "m"}, read},
		{shows("today"), []string{"1"}, glance},
		{whole, []string{":", pause, "th", pause}, read},
		{shows("theme"), []string{esc, pause, esc, pause, "1"}, read},
		{whole, []string{"q"}, read},
		{shows("leave"), []string{"1"}, glance},
	}
}

// record plays the demo with an owner, and keeps what the terminal got.
func record(ctx context.Context, path, tmp, binary string, wait time.Duration) (err error) {
	const w, h = 120, 30
	r := &recorder{now: time.Now}
	t, end, err := demo(w, h, tmp, binary)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	t.record(r)
	for i, s := range play() {
		if err := t.see(ctx, wait, s.waitFor); err != nil {
			return fmt.Errorf("scene %d: %w", i+1, err)
		}
		if private := leaks(t.text()); private != "" {
			return fmt.Errorf("scene %d shows %q, which is of this machine", i+1, private)
		}
		if err := t.typeKeys(s.keys); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.look):
		}
	}
	if err := t.see(ctx, wait, func(string) bool { return r.over() }); err != nil {
		return fmt.Errorf("wait for the end: %w", err)
	}
	data, err := r.cast(w, h, "dispatcher demo")
	if err != nil {
		return err
	}
	if private := leaks(string(data)); private != "" {
		return fmt.Errorf("the recording holds %q, which is of this machine", private)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("write the recording: %w", err)
	}
	return nil
}

// over says that the program has left its screen.
func (r *recorder) over() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}
