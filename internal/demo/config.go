package demo

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/statefile"
)

// configuration is the demo's dispatcher.config.json.
func (d *Demo) configuration(fast bool) config.Config {
	c := configuration(fast)
	switch d.Platform {
	case config.PlatformLinear:
		return d.linearConfiguration(c)
	case config.PlatformGitHub:
		return d.gitHubConfiguration(c)
	case config.PlatformNative:
	}
	return c
}

// writeKeys puts the keys of the demo's board where the command line looks for
// them.
func (d *Demo) writeKeys() error {
	keys := map[string]string{}
	switch d.Platform {
	case config.PlatformLinear:
		keys["api-keys.json"] = `{"Linear": "` + linearKey + `"}` + "\n"
	case config.PlatformGitHub:
		maps.Copy(keys, d.github.keys)
		keys["api-keys.json"] = `{"GitHub": "` + ownerToken + `"}` + "\n"
	case config.PlatformNative:
		return nil
	}
	dir := filepath.Join(d.Repo, ".secrets")
	err := os.MkdirAll(dir, 0o700)
	for name, text := range keys {
		if err == nil {
			err = statefile.WriteAtomic(filepath.Join(dir, name), []byte(text), 0o600)
		}
	}
	if err != nil {
		return fmt.Errorf("write the demo's keys: %w", err)
	}
	return nil
}

func configuration(fast bool) config.Config {
	agent := config.Agent{Kind: config.AgentScript, Script: "../" + scriptFile}
	developer := agent
	developer.Permissions = config.Permissions{AskFor: []string{askForTags}, TimeoutMinutes: 2}
	if fast {
		developer.Permissions.TimeoutMinutes = 0.5
	}
	c := config.Config{
		Platform: config.PlatformNative,
		Native: config.Native{
			Key: "DSP", DeveloperName: developerName, DeveloperEmail: developerEmail,
			ReviewerName: "Demo Reviewer",
		},
		Loop:   config.Loop{PollSeconds: 1},
		Retry:  config.Retry{MaxAttempts: 2, BackoffSeconds: 3},
		Agents: map[string]config.Agent{"developer": developer, "reviewer": agent, "cleaner": agent},
		Pulls:  config.Pulls{Checks: checks()},
	}
	if fast {
		c.Loop.PollSeconds, c.Retry.BackoffSeconds = 0.25, 0.2
	}
	return c
}

// checks are what each head of a pull request must pass.
func checks() []config.Check {
	return []config.Check{
		// Against the empty tree: the whole project must be clean.
		{Name: "whitespace", Command: []string{"git", "diff", "--check", emptyTree, "HEAD"}, TimeoutSeconds: 60},
		{Name: "tests", Command: testCommand(), TimeoutSeconds: 120},
	}
}

// askForTags is what the demo's developers ask for: releases are tags. Where
// nobody answers the work goes on without it.
const askForTags = "Bash(git push * HEAD:refs/tags/*)"

// emptyTree is git's name for a tree without files.
const emptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
