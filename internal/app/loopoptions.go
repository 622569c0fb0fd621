package app

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/proc"
	"github.com/backside4charter/dispatcher/loop"
	"github.com/backside4charter/dispatcher/loop/plan"
)

// loopOptions are the loop's numbers and names out of the configuration.
func (f *Factory) loopOptions(cfg *config.Config, repo Repo, milestones []string, o StartOptions) loop.Options {
	scripted := false
	for _, a := range cfg.Agents {
		scripted = scripted || a.Kind == config.AgentScript
	}
	host, _ := os.Hostname() // an unnamed host is a host too
	opts := loop.Options{
		Milestones: milestones,
		Settings:   planSettings(cfg, repo.Base),
		Poll:       cfg.Poll(), UntilIdle: o.UntilIdle,
		RestampAfter: restampAfter(cfg), HeartEvery: heartEvery, StopGrace: leaveGrace, SecondLook: secondLook(cfg),
		Repository: repositoryName(cfg), Host: host, Boot: proc.BootID(), PID: os.Getpid(),
		CostCap: cfg.Limits.MaxCostPerDayUSD,
		Jitter:  rand.N[time.Duration],
		Now:     f.Now, NewID: uuid.NewString,
	}
	if scripted {
		opts.Agents = "scripted agents"
	}
	return opts
}

// planSettings are what the rules depend on, out of the configuration.
func planSettings(cfg *config.Config, base string) plan.Settings {
	agents, kinds := map[string]bool{}, map[string]string{}
	for name, a := range cfg.Agents {
		agents[name], kinds[name] = true, string(a.Kind)
	}
	return plan.Settings{
		StaleWindow: cfg.StaleWindow(),
		Caps: plan.Caps{
			Developers: cfg.Loop.MaxDevelopers, Reviewers: cfg.Loop.MaxReviewers,
			Cleaners: cfg.Loop.MaxCleaners, Total: cfg.Loop.MaxWorkers,
		},
		Retry: plan.Retry{
			MaxAttempts: cfg.Retry.MaxAttempts, First: seconds(cfg.Retry.BackoffSeconds), Max: seconds(cfg.Retry.MaxBackoff),
		},
		VerifyWindow: time.Duration(cfg.Loop.VerifyMinutes) * time.Minute,
		ConfirmLabel: cfg.Labels().ConfirmWithUser,
		DefaultBase:  base,
		Agents:       agents,
		AgentKinds:   kinds,
		Sessionless:  map[string]bool{string(config.AgentCommand): true},
		Limits:       plan.Limits{DayUSD: cfg.Limits.MaxCostPerDayUSD, IssueUSD: cfg.Limits.MaxCostPerIssueUSD},
		Stall: plan.Stall{
			After: seconds(60 * cfg.Loop.StallMinutes), ToolAfter: seconds(60 * cfg.Loop.StallToolMinutes),
			Grace: seconds(cfg.Loop.StallGraceSeconds),
		},
	}
}

// heartEvery is how often the heart looks for stamps that are due.
const heartEvery = 30 * time.Second

// restampAfter is how old a stamp may grow: a third of the lease on the native
// board, elsewhere a sixth of the stale window (design.md, sections 6 and 17).
func restampAfter(cfg *config.Config) time.Duration {
	if cfg.Platform == config.PlatformNative {
		return min(5*time.Minute, cfg.StaleWindow()/6)
	}
	return cfg.StaleWindow() / 6
}

// secondLook is when the claim of a worker that has just begun is looked at
// again: on a GitHub project the value that stands wins, and a rival's write may
// come late. Elsewhere a claim is settled when it is taken (design.md, section
// 6).
func secondLook(cfg *config.Config) time.Duration {
	if cfg.Platform != config.PlatformGitHub {
		return 0
	}
	return 15 * time.Second
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func repositoryName(cfg *config.Config) string {
	if cfg.Repository != "" {
		return cfg.Repository
	}
	return filepath.Base(cfg.Root)
}
