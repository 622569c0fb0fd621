//go:build unix

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// Repositories that are not as usual, and work all the same.
func TestUnusualRepositories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		o       playOptions
		title   string
		spoil   func(*play)
		check   func(*testing.T, *play)
		mergeOK bool
	}{
		{name: "no remote", o: playOptions{noRemote: true}, title: "Note this", mergeOK: true},
		{name: "default branch trunk", o: playOptions{branch: "trunk"}, title: "Note this", mergeOK: true},
		{name: "a title of emoji", title: "🎉🧀🚀", mergeOK: true},
		{name: "a dirty main checkout", title: "Note this", spoil: func(p *play) {
			p.write("repo/README.md", "Half a thought")
			p.write("repo/scratch.txt", "mine")
		}, mergeOK: true, check: func(t *testing.T, p *play) {
			t.Helper()
			if got := p.git("status", "--porcelain"); got != "M README.md\n?? scratch.txt" {
				t.Errorf("the main checkout was touched:\n%s", got)
			}
		}},
		{name: "files of mine where the merge writes", title: "Note this", spoil: func(p *play) {
			if err := os.MkdirAll(filepath.Join(p.repo, "notes"), 0o755); err != nil {
				p.t.Fatal(err)
			}
			p.write("repo/notes/DSP-1.md", "mine")
		}, check: func(t *testing.T, p *play) {
			t.Helper()
			if text, err := os.ReadFile(filepath.Join(p.repo, "notes", "DSP-1.md")); err != nil || string(text) != "mine" {
				t.Errorf("my file is %q, %v", text, err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlay(t, c.o)
			ref := p.ready(c.title)
			if c.spoil != nil {
				c.spoil(p)
			}
			p.loop()
			p.wantRow(ref, board.RoleHumanReview)
			out, errs, code := p.try("pulls", "merge", "1")
			if c.mergeOK && code != 0 {
				t.Fatalf("merge: exit %d\n%s%s", code, out, errs)
			}
			if c.mergeOK {
				p.wantRow(ref, board.RoleDone)
			} else if !strings.Contains(out+errs, "notes/DSP-1.md") {
				t.Errorf("merge does not name the file in the way: exit %d\n%s%s", code, out, errs)
			}
			if c.check != nil {
				c.check(t, p)
			}
			p.wantSound()
		})
	}
}

// A broken issue file holds its own row, with the reason; the others go on and
// the loop still comes to its end.
func TestBrokenBoardFiles(t *testing.T) {
	heavy(t)
	p := newPlay(t, playOptions{})
	good, half, newer := p.ready("Good"), p.ready("Half"), p.ready("Newer")
	file := func(ref board.Ref) string {
		return filepath.Join(p.repo, ".dispatcher", "board", "issues", string(ref)+".json")
	}
	text, err := os.ReadFile(file(half))
	if err != nil {
		t.Fatal(err)
	}
	cut := text[:len(text)/2]
	future := []byte(fmt.Sprintf(`{"version": 99, "ref": %q, "what": "we cannot know"}`, newer))
	for path, text := range map[string][]byte{file(half): cut, file(newer): future} {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.loop()
	p.wantRow(good, board.RoleHumanReview)
	rows := p.rows()
	if w := rows[half].Waits; !strings.Contains(w, "cannot be read") || !strings.Contains(w, "cut or broken") {
		t.Errorf("the half one waits: %s", w)
	}
	if w := rows[newer].Waits; !strings.Contains(w, "cannot be read") || !strings.Contains(w, "newer") {
		t.Errorf("the newer one waits: %s", w)
	}
	for path, want := range map[string][]byte{file(half): cut, file(newer): future} {
		if got, err := os.ReadFile(path); err != nil || string(got) != string(want) {
			t.Errorf("%s was written to: %s (%v)", path, got, err)
		}
	}
	p.wantSound()
}
