package app

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/workers/claude"
)

// needAgents makes sure that what the agent profiles name is there, before a
// row is claimed for an agent that cannot start.
func (f *Factory) needAgents(cfg *config.Config) error {
	names := make([]string, 0, len(cfg.Agents))
	for name := range cfg.Agents {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if err := f.needAgent(cfg, name, cfg.Agents[name]); err != nil {
			return err
		}
	}
	return nil
}

func (f *Factory) needAgent(cfg *config.Config, name string, a config.Agent) error {
	if a.Kind == config.AgentScript {
		path := a.Script
		if !filepath.IsAbs(path) {
			path = filepath.Join(cfg.Root, path)
		}
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("the agent %s plays a script that is not there: %w; see agents.%s.script in %s", name, err, name, cfg.Path)
		}
		return nil
	}
	program := a.Command
	if program == "" {
		program = claude.Program
	}
	if strings.ContainsRune(program, filepath.Separator) && !filepath.IsAbs(program) {
		program = filepath.Join(cfg.Root, program)
	}
	if !found(program, f.Getenv("PATH")) {
		hint := ""
		if a.Kind == config.AgentClaude {
			hint = "install Claude Code (npm install -g @anthropic-ai/claude-code), or "
		}
		return fmt.Errorf("the agent %s needs %q, which is not on your PATH; %sname the program in agents.%s.command of %s", name, program, hint, name, cfg.Path)
	}
	if a.Kind != config.AgentClaude {
		return nil
	}
	if err := claude.CheckArgs(a.Args); err != nil {
		return fmt.Errorf("the agent %s cannot be started: %w; take it out of agents.%s.args in %s", name, err, name, cfg.Path)
	}
	return nil
}

// found looks a program up on the given PATH.
func found(program, path string) bool {
	if strings.ContainsRune(program, filepath.Separator) {
		_, err := exec.LookPath(program)
		return err == nil
	}
	for _, dir := range filepath.SplitList(path) {
		if dir == "" {
			continue
		}
		if _, err := exec.LookPath(filepath.Join(dir, program)); err == nil {
			return true
		}
	}
	return false
}
