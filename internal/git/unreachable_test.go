package git

import (
	"errors"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/proc"
)

// What git says when a remote is not to be reached, by every transport, and
// what is something else.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"fatal: unable to access 'https://u:secret@github.com/a/b/': Could not resolve host: github.com":               "Could not resolve host",
		"fatal: unable to access 'https://github.com/a/b/': Failed to connect to github.com port 443 after 3 ms":       "Failed to connect",
		"fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 503":                     "returned error: 503",
		"fatal: could not read Username for 'https://github.com': terminal prompts disabled":                           "could not read Username",
		"ssh: connect to host github.com port 22: Connection timed out\nfatal: Could not read from remote repository.": "Connection timed out",
		"git@github.com: Permission denied (publickey).\nfatal: Could not read from remote repository.":                "Permission denied (publickey",
		"fatal: '/srv/gone.git' does not appear to be a git repository\nfatal: Could not read from remote repository.": "does not appear to be a git repository",
		"fatal: couldn't find remote ref refs/heads/main":                                                              "",
		"error: cannot lock ref 'refs/remotes/origin/main': Unable to create '/r/.git/refs/x.lock': File exists.":      "",
		"error: Could not read 0123456789012345678901234567890123456789\nfatal: bad object HEAD":                       "",
	} {
		err := asUnreachable("origin", &proc.ExitError{Name: "git", Code: 128, Stderr: said})
		gone, ok := errors.AsType[*UnreachableError](err)
		if ok != (want != "") || ok && gone.Reason != want {
			t.Errorf("%q: %v", said, err)
		}
		if ok && strings.Contains(gone.Reason, "secret") {
			t.Errorf("a credential is in %q", gone.Reason)
		}
	}
	if err := asUnreachable("origin", nil); err != nil {
		t.Error(err)
	}
}
