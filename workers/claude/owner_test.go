package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/board"
)

// ownersFiles writes the three settings files of an owner and reads them.
func ownersFiles(t *testing.T, user, project, local string) owner {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"home/.claude/settings.json": user, "repo/.claude/settings.json": project, "repo/.claude/settings.local.json": local,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := func(name string) string {
		if name == "HOME" {
			return filepath.Join(dir, "home")
		}
		return ""
	}
	return readOwner(home, filepath.Join(dir, "repo"))
}

// A reviewer is given what it logs in with, and nothing that allows.
func TestSettingsOfAReviewer(t *testing.T) {
	t.Parallel()
	w := ownersFiles(t,
		`{"apiKeyHelper": "old", "env": {"HTTPS_PROXY": "p", "A": "1"}, "hooks": {"PreToolUse": []}, "permissions": {"allow": ["Bash"], "deny": ["Read(./.env)"], "additionalDirectories": ["/"], "defaultMode": "bypassPermissions"}}`,
		`not JSON`,
		`{"apiKeyHelper": "/bin/key", "env": {"A": "2"}, "permissions": {"allow": ["Write"]}}`)
	if got := w.environ(); !slices.Equal(got, []string{"A=2", "HTTPS_PROXY=p"}) {
		t.Errorf("the environment is %q", got)
	}
	text := settings(options(board.KindReviewer), w, nil, nil)
	var got struct {
		APIKeyHelper string
		Permissions  map[string][]string
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.APIKeyHelper != "/bin/key" || len(got.Permissions) != 1 || !slices.Contains(got.Permissions["deny"], "Read(./.env)") {
		t.Errorf("the settings are %s", text)
	}
	for _, no := range []string{"hooks", "allow", "additionalDirectories", "defaultMode", `"env"`} {
		if strings.Contains(text, no) {
			t.Errorf("%s stands in %s", no, text)
		}
	}
}

// What an owner's files set cannot take the place of what a worker is given.
func TestSettingsOfADeveloper(t *testing.T) {
	t.Parallel()
	w := ownersFiles(t, `{"apiKeyHelper": "k", "env": {"GH_TOKEN": "mine", "DISPATCHER_RUN": "x", "FINE": "y"}}`, "", "")
	withheld := func(name string) bool { return !strings.HasPrefix(name, "FINE") }
	text := settings(options(board.KindDeveloper), w, withheld, []string{"DISPATCHER_RUN=r1", "FINE=z"})
	if want := `{"attribution":{"commit":"","pr":""},"env":{"DISPATCHER_RUN":"r1","GH_TOKEN":""}}`; text != want {
		t.Errorf("the settings are %s, want %s", text, want)
	}
}

// Whatever form Claude Code takes a file in, what is withheld stays so: one
// value that is no text, a mark of the byte order, or a rule that is none takes
// away neither the other values nor the other denials.
func TestSettingsInAnyForm(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	for name, text := range map[string]string{
		"other values": `{"env": {"N": 1, "F": 1.50, "B": true, "GH_TOKEN": "mine", "NONE": null, "LIST": ["a"]}, "permissions": {"deny": ["Read(a)", 7, "Read(b)"]}}`,
		"a mark":       mark + `{"env": {"N": "1", "F": "1.5", "B": "true", "GH_TOKEN": "mine", "NONE": {}, "LIST": []}, "permissions": {"deny": ["Read(a)", "Read(b)"]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := ownersFiles(t, text, "", "")
			if got, want := w.environ(), []string{"B=true", "F=1.5", "GH_TOKEN=mine", "N=1"}; !slices.Equal(got, want) {
				t.Errorf("a reviewer's environment is %q, want %q", got, want)
			}
			withheld := func(name string) bool { return name != "N" }
			text := settings(options(board.KindDeveloper), w, withheld, []string{"F=f"})
			if want := `{"attribution":{"commit":"","pr":""},"env":{"B":"","F":"f","GH_TOKEN":"","LIST":"","NONE":""}}`; text != want {
				t.Errorf("a developer's settings are %s, want %s", text, want)
			}
			if !slices.Equal(w.deny, []string{"Read(a)", "Read(b)"}) {
				t.Errorf("the denials are %q", w.deny)
			}
		})
	}
}
