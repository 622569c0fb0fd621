package archtest

import (
	"strings"
	"testing"
)

// TestImportsFollowTheMap holds every import of ours against the table.
func TestImportsFollowTheMap(t *testing.T) {
	t.Parallel()
	unknown := map[string]bool{}
	for _, s := range sources(t) {
		r, ok := roomOf(s.room)
		if !ok && !unknown[s.room] {
			unknown[s.room] = true
			t.Errorf("%s is no room of the map; add it to internal/archtest/rooms_test.go with what it may import", s.room)
		}
		for _, p := range s.imports() {
			target, mine := ours(p)
			if !mine || !ok || target == s.room {
				continue
			}
			if fault := judge(s, r, target); fault != "" {
				t.Errorf("%s imports %s: %s", s.path, target, fault)
			}
		}
	}
}

// judge answers why a room must not import another, or nothing.
func judge(s *source, r room, target string) string {
	if s.test {
		if target == "internal/cli" && s.room != "internal/cli" && s.room != "." && s.room != "internal/e2e" && s.room != "internal/demo" {
			return "only the program and whole-program tests start the command line"
		}
		return ""
	}
	for pattern, few := range onlyFor {
		if matches(pattern, target) && !anyMatches(few, s.room) {
			return "only for " + orNobody(few)
		}
	}
	if !anyMatches(r.may, target) || anyMatches(r.never, target) {
		return s.room + " may import of ours: " + orNobody(r.may)
	}
	return ""
}

func orNobody(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

// TestTheMapIsSound asks that the rules mean something: they refuse what must
// be refused.
func TestTheMapIsSound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to string
		test     bool
		ok       bool
	}{
		{from: ".", to: "internal/cli", ok: true},
		{from: ".", to: "internal/app"},
		{from: "loop/plan", to: "loop/state", ok: true},
		{from: "loop/plan", to: "loop"},
		{from: "loop", to: "workers/report", ok: true},
		{from: "loop", to: "workers"},
		{from: "loop", to: "tui"},
		{from: "board", to: "internal/statefile"},
		{from: "board/native", to: "board/boardtest"},
		{from: "board/native", to: "board/boardtest", test: true, ok: true},
		{from: "workers/claude", to: "workers/script"},
		{from: "worktree", to: "gitapp"},
		{from: "tui/pane/board", to: "tui/pane/log"},
		{from: "tui/pane/board", to: "tui/widget", ok: true},
		{from: "tui", to: "tui/pane/board", ok: true},
		{from: "tui", to: "loop"},
		{from: "internal/app", to: "board/native", ok: true},
		{from: "internal/app", to: "internal/fake/anthropic"},
		{from: "internal/app", to: "internal/demo"},
		{from: "internal/demo", to: "internal/fake/linear", ok: true},
		{from: "internal/cli", to: "loop/plan"},
		{from: "workers", to: "internal/cli", test: true},
	} {
		r, known := roomOf(tt.from)
		if !known {
			t.Errorf("%s is no room", tt.from)
			continue
		}
		fault := judge(&source{room: tt.from, test: tt.test}, r, tt.to)
		if (fault == "") != tt.ok {
			t.Errorf("%s imports %s (test %v): %q", tt.from, tt.to, tt.test, fault)
		}
	}
	if _, known := roomOf("internal/util"); known {
		t.Error("any name passes as a room")
	}
}
