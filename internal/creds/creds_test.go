package creds_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/creds"
)

// lookup is a key looked up where the environment and the file of keys hold
// this.
type lookup struct {
	name, env, file string // file "-" is none
	want, err       string
}

// each holds lookups to what they answer; no error repeats a secret.
func each(t *testing.T, look func(getenv func(string) string, dir string) (string, error), cases []lookup) {
	t.Helper()
	for _, c := range cases {
		dir := t.TempDir()
		if c.file != "-" {
			if err := os.WriteFile(filepath.Join(dir, "api-keys.json"), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		got, err := look(func(string) string { return c.env }, dir)
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v", c.name, got, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		case err != nil && strings.Contains(err.Error(), "secret"):
			t.Errorf("%s: the error holds the key: %v", c.name, err)
		}
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	each(t, creds.GitHub, []lookup{
		{"from the file, whatever the environment has", "ghp_env", `{"GitHub": " ghp_file\n", "Linear": "x"}`, "ghp_file", ""},
		{"from the environment", "ghp_env", "-", "ghp_env", ""},
		{"from the environment, beside other keys", "ghp_env", `{"Linear": "x"}`, "ghp_env", ""},
		{"from nowhere", "", "-", "", "no login for the GitHub of githubUrl (in $GH_ENTERPRISE_TOKEN, or as \"GitHub\" in "},
		{"no JSON", "", `ghp_secret`, "", "is not JSON"},
		{"two words", "ghp_secret two", "-", "", "holds spaces"},
		{"two lines in the file", "", `{"GitHub": "ghp_secret\nX-Evil: 1"}`, "", "holds spaces"},
	})
}

func TestLinear(t *testing.T) {
	t.Parallel()
	each(t, creds.Linear, []lookup{
		{"from the environment", "lin_api_env", `{"Linear": "lin_api_file"}`, "lin_api_env", ""},
		{"from the file", "", `{"Linear": " lin_api_file\n", "Other": 1}`, "lin_api_file", ""},
		{"from nowhere", "", "-", "", "no Linear API key: set $LINEAR_API_KEY, or write"},
		{"without the entry", "", `{"linear_key": "x"}`, "", `has no "Linear"`},
		{"no JSON", "", `lin_api_secret`, "", "is not JSON of the form"},
		{"of another form", "", `{"Linear": {"key": "lin_api_secret"}}`, "", "is not JSON of the form"},
		{"two words in the environment", "lin_api_secret two", "-", "", "holds spaces"},
		{"two lines in the file", "", `{"Linear": "lin_api_secret\nX-Evil: 1"}`, "", "holds spaces"},
	})
}
