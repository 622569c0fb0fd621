package reviewsync_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/reviewsync"
)

const delivery = `{"action": "ACTION", "review": {"state": "STATE", "user": {"id": 7, "login": "olive"}, "author_association": "AUTHOR", "body": null},
	"pull_request": {"number": 3, "html_url": "https://github.com/acme/widgets/pull/3", "title": "t", "body": null, "merged_at": MERGED, "head": {"ref": "task/acm-1-x"}}}`

func event(action, state, merged string) string {
	return strings.NewReplacer("ACTION", action, "STATE", state, "MERGED", merged).Replace(delivery)
}

// trusts those who are something to the repository, and nobody by name.
func trusts(login, association string) bool { return login == "olive" && association != "NONE" }

func TestEvent(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		bots       []int64
		want, err  string
	}{
		{"a request for changes", event("submitted", "changes_requested", "null"), []int64{8}, "", ""},
		{"in upper case", event("submitted", "CHANGES_REQUESTED", "null"), nil, "", ""},
		{"an edit", event("edited", "changes_requested", "null"), nil, reviewsync.NotSubmitted, ""},
		{"a comment", event("submitted", "commented", "null"), nil, reviewsync.NoRequest, ""},
		{"an approval", event("submitted", "approved", "null"), nil, reviewsync.NoRequest, ""},
		{"one of ours", event("submitted", "changes_requested", "null"), []int64{6, 7}, reviewsync.BotReviewer, ""},
		{"after the merge", event("submitted", "changes_requested", `"2026-09-01T08:00:00Z"`), nil, reviewsync.AlreadyMerged, ""},
		{"a stranger's", strings.Replace(event("submitted", "changes_requested", "null"), "AUTHOR", "NONE", 1), nil, reviewsync.Outsider, ""},
		{"another event", `{"action": "opened", "pull_request": {"number": 3}}`, nil, "", "it is no pull_request_review"},
		{"no JSON", "hello", nil, "", "it is no delivery of GitHub's"},
		{"nothing", "", nil, "", "it is no delivery of GitHub's"},
	}
	for _, c := range cases {
		e, err := reviewsync.ReadEvent(strings.NewReader(c.text))
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.name, err, c.err)
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.err == "" && e.Passes(c.bots, trusts) != c.want:
			t.Errorf("%s: %q, want %q", c.name, e.Passes(c.bots, trusts), c.want)
		}
	}
}

// TestSymptom33ShortPullRequest: atlassian/github-for-jira#607,
// home-assistant/service-hub#129. A delivery has no `merged`, and the review's
// state in lower case: whether it is merged is what merged_at says.
func TestSymptom33ShortPullRequest(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"changes_requested", "CHANGES_REQUESTED"} {
		for merged, want := range map[string]string{"null": "", `"2026-09-01T08:00:00Z"`: reviewsync.AlreadyMerged} {
			text := event("submitted", state, merged)
			if strings.Contains(text, `"merged"`) {
				t.Fatal("the delivery has a field that GitHub's lacks")
			}
			e, err := reviewsync.ReadEvent(strings.NewReader(text))
			if err != nil || e.Passes(nil, trusts) != want {
				t.Errorf("%s, merged_at %s: %q, %v", state, merged, e.Passes(nil, trusts), err)
			}
		}
	}
}

func FuzzReadEvent(f *testing.F) {
	f.Add(event("submitted", "changes_requested", "null"))
	f.Add(`{"review": 1}`)
	f.Fuzz(func(t *testing.T, text string) {
		e, err := reviewsync.ReadEvent(strings.NewReader(text))
		if err == nil && (e.Action == "" || e.PullRequest.Number < 1) {
			t.Errorf("%q is taken for an event", text)
		}
	})
}
