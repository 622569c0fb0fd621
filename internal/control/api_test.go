package control

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// What is read on demand arrives as it was asked for, with names that hold what
// an address does not.
func TestReads(t *testing.T) {
	t.Parallel()
	_, c := serve(t, shortDir(t))
	for _, ref := range []board.Ref{"DSP-1", "#480", "a/b?c", "ä %2f"} {
		if d, err := c.Detail(t.Context(), ref); err != nil || d.Issue.Ref != ref {
			t.Errorf("detail of %q: %+v, %v", ref, d.Issue.Ref, err)
		}
	}
	if _, err := c.Detail(t.Context(), "DSP-404"); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("an issue that is not there: %v", err)
	}
	if s, err := c.Transcript(t.Context(), "r/1", -1, 7, "x&y"); err != nil || s.Run != "r/1x&y" || s.From != -1 || s.Total != 7 {
		t.Errorf("transcript %+v, %v", s, err)
	}
	if _, err := c.Transcript(t.Context(), "r", 0, maxLines+1, ""); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too many lines: %v", err)
	}
	if d, err := c.Diff(t.Context(), state.DiffQuery{PR: "#3"}); err != nil || d.Title != "#3" {
		t.Errorf("diff %+v, %v", d, err)
	}
	if m, err := c.Money(t.Context()); err != nil || m.Today != 1.5 {
		t.Errorf("money %+v, %v", m, err)
	}
	if p, err := c.Preview(t.Context()); err != nil || len(p.Lines) != 1 {
		t.Errorf("preview %+v, %v", p, err)
	}
}

func TestEventsStream(t *testing.T) {
	t.Parallel()
	_, c := serve(t, shortDir(t))
	got, err := c.Events(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	var ns []uint64
	for ev := range got {
		ns = append(ns, ev.N)
	}
	if len(ns) != 3 || ns[0] != 3 {
		t.Errorf("after 2 come %v", ns)
	}
	for after, want := range map[uint64]int{2: 2, 3: 1, 4: 0} { // the fifth comes later
		got, err := c.EventsSoFar(t.Context(), after)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for range got {
			n++
		}
		if n != want {
			t.Errorf("after %d there are %d so far, want %d", after, n, want)
		}
	}
	if _, err := c.do(t.Context(), http.MethodGet, "/v1/events?after=-1", nil); err == nil {
		t.Error("a number below zero is taken")
	}
}

// A client of another version hears so, and what to do, whatever it asks.
func TestAnotherVersion(t *testing.T) {
	t.Parallel()
	_, c := serve(t, shortDir(t))
	if _, err := c.do(t.Context(), http.MethodGet, "/v2/snapshot", nil); err == nil || !strings.Contains(err.Error(), "speaks version 1") {
		t.Errorf("an address of another version: %v", err)
	}
	if _, err := c.do(t.Context(), http.MethodGet, "/v1/snapshot?"+strings.Repeat("x", maxQuery), nil); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("a long address: %v", err)
	}
	c.version = "2"
	if _, err := c.Snapshot(t.Context()); err == nil || !strings.Contains(err.Error(), "restart the loop") {
		t.Errorf("another version: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if got := <-Attach(ctx, c).Contacts(); !got.Refused || !strings.Contains(got.Why, "restart the loop") {
		t.Errorf("a room of another version hears %+v", got)
	}
}

// A reader that takes nothing holds up neither the loop nor other readers, and
// as many as the bound allows may hang.
func TestSlowReadersHoldNobodyUp(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	_, c := serve(t, dir)
	var d net.Dialer
	for range maxClients - 1 {
		conn, err := d.DialContext(t.Context(), "unix", path(dir))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close() //nolint:errcheck // it only hangs
		if _, err := conn.Write([]byte("GET /v1/snapshots HTTP/1.1\r\nHost: loop\r\n\r\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The next one waits at the door until one has left.
	last, err := d.DialContext(t.Context(), "unix", path(dir))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := last.Write([]byte("GET /v1/snapshots HTTP/1.1\r\nHost: loop\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.Snapshot(ctx)
		done <- err
	}()
	_ = last.Close()
	if err := <-done; err != nil {
		t.Errorf("after one has left: %v", err)
	}
	cancel()
}

// Every route, every event and every command stands on the page.
func TestTheAPIIsDocumented(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "control-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	names := Routes()
	for _, k := range state.EventKinds() {
		names = append(names, string(k))
	}
	for _, k := range state.CommandKinds() {
		names = append(names, string(k))
	}
	for _, n := range names {
		if !strings.Contains(page, "`"+n+"`") {
			t.Errorf("docs/control-api.md does not name `%s`", n)
		}
	}
}
