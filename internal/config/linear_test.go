package config_test

import (
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/internal/config"
)

// TestLinearAPI: the key goes nowhere where somebody on the way could read it.
func TestLinearAPI(t *testing.T) {
	t.Parallel()
	const file = `{"platform": "linear", "repository": "acme/widgets", "linear": {"workspace": "acme", "teamId": "t", "teamKey": "ACM",
		"projectId": "p", "projectUrl": "https://linear.app/acme/project/p", "agents": {"developer": "d", "reviewer": "r"}, "apiUrl": "URL",
		"states": {"backlog": "Backlog", "ready": "Ready", "changesRequested": "Changes Requested", "inProgress": "In Progress",
		"question": "Question", "humanReview": "Human Review", "done": "Done"}}}`
	cases := map[string]bool{
		"https://linear.example/graphql":    true,
		"http://127.0.0.1:8080/graphql":     true,
		"http://[::1]:8080/graphql":         true,
		"http://localhost:8080/graphql":     true,
		"http://linear.example/graphql":     false,
		"http://127.0.0.1.evil.example/":    false,
		"http://localhost.evil.example/":    false,
		"https://user:word@linear.example/": false,
		"ftp://127.0.0.1/":                  false,
		"//linear.example":                  false,
		"https://":                          false,
	}
	for address, good := range cases {
		_, violations := config.Parse([]byte(strings.Replace(file, "URL", address, 1)), "")
		if good != (len(violations) == 0) {
			t.Errorf("%s: %v", address, violations)
		}
		if !good && violations[0].Path != "linear.apiUrl" {
			t.Errorf("%s: %v", address, violations)
		}
	}
}
