package gitapp_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	gogithub "github.com/google/go-github/v88/github"

	fake "github.com/backside4charter/dispatcher/internal/fake/github"
)

// calls are all that is asked of GitHub's REST API, as the library names it and
// as GitHub does.
var calls = map[string]string{
	"Apps.CreateInstallationToken":   "post /app/installations/{installation_id}/access_tokens",
	"Apps.Get":                       "get /app",
	"Apps.GetInstallation":           "get /app/installations/{installation_id}",
	"Checks.ListCheckRunsForRef":     "get /repos/{owner}/{repo}/commits/{ref}/check-runs",
	"Issues.CreateComment":           "post /repos/{owner}/{repo}/issues/{issue_number}/comments",
	"Issues.ListComments":            "get /repos/{owner}/{repo}/issues/{issue_number}/comments",
	"PullRequests.Create":            "post /repos/{owner}/{repo}/pulls",
	"PullRequests.CreateReview":      "post /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
	"PullRequests.Edit":              "patch /repos/{owner}/{repo}/pulls/{pull_number}",
	"PullRequests.Get":               "get /repos/{owner}/{repo}/pulls/{pull_number}",
	"PullRequests.GetRaw":            "get /repos/{owner}/{repo}/pulls/{pull_number}",
	"PullRequests.List":              "get /repos/{owner}/{repo}/pulls",
	"PullRequests.ListCommits":       "get /repos/{owner}/{repo}/pulls/{pull_number}/commits",
	"PullRequests.UpdateBranch":      "put /repos/{owner}/{repo}/pulls/{pull_number}/update-branch",
	"Repositories.CompareCommits":    "get /repos/{owner}/{repo}/compare/{basehead}",
	"Repositories.CompareCommitsRaw": "get /repos/{owner}/{repo}/compare/{basehead}",
	"Users.Get":                      "get /users/{username}",
}

// TestEveryCallIsDescribed finds every call of the library in the sources: it
// stands in the list above, and what it asks in the description that the fake
// holds requests to.
func TestEveryCallIsDescribed(t *testing.T) {
	t.Parallel()
	var services []string
	client := reflect.TypeFor[gogithub.Client]()
	for i := range client.NumField() {
		if f := client.Field(i); f.IsExported() && strings.HasSuffix(f.Type.String(), "Service") && f.Name != "Git" { // ours is git itself
			services = append(services, f.Name)
		}
	}
	call := regexp.MustCompile(`\.(?:` + strings.Join(services, "|") + `)\.[A-Z]\w+\(`)
	found := map[string]bool{}
	for _, glob := range []string{"*.go", "pulls/github/*.go"} {
		files, err := filepath.Glob(glob)
		if err != nil || len(files) == 0 {
			t.Fatal(glob, err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, c := range call.FindAllString(string(text), -1) {
				found[strings.Trim(c, ".(")] = true
			}
		}
	}
	for c := range found {
		if calls[c] == "" {
			t.Errorf("%s is called and not listed here", c)
		}
	}
	for c, operation := range calls {
		method, path, _ := strings.Cut(operation, " ")
		if !found[c] {
			t.Errorf("nothing calls %s", c)
		}
		if _, described := fake.REST().Paths[path][method]; !described {
			t.Errorf("%s is not in internal/fake/github/rest.json: %s", c, operation)
		}
	}
}
