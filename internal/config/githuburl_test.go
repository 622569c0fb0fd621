package config_test

import (
	"testing"

	"github.com/backside4charter/dispatcher/internal/config"
)

// TestGitHubURL: tokens go nowhere where somebody on the way could read them.
func TestGitHubURL(t *testing.T) {
	t.Parallel()
	for address, good := range map[string]bool{
		"https://github.example":           true,
		"http://127.0.0.1:8080":            true,
		"http://github.example":            false,
		"http://127.0.0.1.evil.example":    false,
		"https://user:word@github.example": false,
	} {
		_, violations := config.Parse([]byte(`{"platform": "native", "githubUrl": "`+address+`"}`), "")
		if good != (len(violations) == 0) || !good && violations[0].Path != "githubUrl" {
			t.Errorf("%s: %v", address, violations)
		}
	}
}
