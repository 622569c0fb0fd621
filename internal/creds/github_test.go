package creds_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/creds"
)

func TestGitHub(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, env, file string // file "-" is none
		want, err       string
	}{
		{"from the file, whatever the environment has", "ghp_env", `{"GitHub": " ghp_file\n", "Linear": "x"}`, "ghp_file", ""},
		{"from the environment", "ghp_env", "-", "ghp_env", ""},
		{"from the environment, beside other keys", "ghp_env", `{"Linear": "x"}`, "ghp_env", ""},
		{"from nowhere", "", "-", "", "no login for the GitHub of githubUrl (in $GH_ENTERPRISE_TOKEN, or as \"GitHub\" in "},
		{"no JSON", "", `ghp_secret`, "", "is not JSON"},
		{"two words", "ghp_secret two", "-", "", "holds spaces"},
		{"two lines in the file", "", `{"GitHub": "ghp_secret\nX-Evil: 1"}`, "", "holds spaces"},
	}
	for _, c := range cases {
		dir := t.TempDir()
		if c.file != "-" {
			if err := os.WriteFile(filepath.Join(dir, "api-keys.json"), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := creds.GitHub(func(string) string { return c.env }, dir)
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v", c.name, got, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: the error holds the login: %v", c.name, err)
		}
	}
}
