// Package config is the one configuration of a repository: the struct, its
// defaults, how dispatcher.config.json is found, and its validation.
//
// It promises that a loaded Config is complete (defaults filled in) and valid,
// that every violation is reported at once with the path of its field and the
// nearest known name, and that nothing else in the program reads the file. It
// never looks up a secret and never talks to a network.
package config

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// FileName is the name of the file that marks a repository's root.
const FileName = "dispatcher.config.json"

// Platform names a board backend.
type Platform string

// The three boards.
const (
	PlatformNative Platform = "native"
	PlatformLinear Platform = "linear"
	PlatformGitHub Platform = "github"
)

// Config is dispatcher.config.json (dispatcher-system.md, Configuration, and
// design.md, section 13). Only Platform is required for the native board.
type Config struct {
	Schema            string           `json:"$schema,omitempty"`
	Platform          Platform         `json:"platform" jsonschema:"enum=native,enum=linear,enum=github"`
	Repository        string           `json:"repository,omitempty"` // owner/name
	BotUserIDs        []int64          `json:"botUserIds,omitempty"`
	ClaimStaleMinutes int              `json:"claimStaleMinutes,omitempty" jsonschema:"minimum=1,maximum=10080,default=90"` // default 90
	Listener          *Listener        `json:"listener,omitempty"`
	GitHubApps        *GitHubApps      `json:"githubApps,omitempty"`
	Linear            *Linear          `json:"linear,omitempty"`
	GitHub            *GitHub          `json:"github,omitempty"`
	Native            Native           `json:"native,omitzero"`
	Loop              Loop             `json:"loop,omitzero"`
	Retry             Retry            `json:"retry,omitzero"`
	Limits            Limits           `json:"limits,omitzero"`
	Agents            map[string]Agent `json:"agents,omitempty"`
	Pulls             Pulls            `json:"pulls,omitzero"`
	Trust             Trust            `json:"trust,omitzero"`

	// Path is the file this was read from, absolute; Root is its folder in the
	// main checkout. Neither is part of the file.
	Path string `json:"-"`
	Root string `json:"-"`
}

// Listener is the event channel's receiver.
type Listener struct {
	Port int `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=47831"` // default 47831
}

// GitHubApps are the two agent identities on GitHub.
type GitHubApps struct {
	Developer GitHubApp `json:"developer"`
	Reviewer  GitHubApp `json:"reviewer"`
}

// GitHubApp is one registered app.
type GitHubApp struct {
	AppID          int64  `json:"appId" jsonschema:"minimum=1"`
	InstallationID int64  `json:"installationId" jsonschema:"minimum=1"`
	Slug           string `json:"slug"`
	BotLogin       string `json:"botLogin"`
	BotUserID      int64  `json:"botUserId" jsonschema:"minimum=1"`
	KeyFile        string `json:"keyFile,omitempty"`
	KeyEnvVar      string `json:"keyEnvVar,omitempty"`
}

// Linear is the Linear board's section.
type Linear struct {
	Workspace  string            `json:"workspace"`
	TeamID     string            `json:"teamId"`
	TeamKey    string            `json:"teamKey"`
	ProjectID  string            `json:"projectId"`
	ProjectURL string            `json:"projectUrl"`
	States     map[string]string `json:"states"` // role -> state name
	Agents     LinearAgents      `json:"agents"`
	Labels     Labels            `json:"labels,omitzero"`
}

// LinearAgents are the two agent users.
type LinearAgents struct {
	Developer string `json:"developer"`
	Reviewer  string `json:"reviewer"`
}

// GitHub is the GitHub Projects v2 board's section.
type GitHub struct {
	Owner            string                 `json:"owner"`
	ProjectNumber    int                    `json:"projectNumber" jsonschema:"minimum=1"`
	ProjectID        string                 `json:"projectId"`
	StatusFieldID    string                 `json:"statusFieldId"`
	ClaimedByFieldID string                 `json:"claimedByFieldId"`
	States           map[string]GitHubState `json:"states"` // role -> option; question is optional
	Labels           Labels                 `json:"labels,omitzero"`
}

// GitHubState is one option of the Status field.
type GitHubState struct {
	Name     string `json:"name"`
	OptionID string `json:"optionId"`
}

// Native is the native board's section; all of it is optional.
type Native struct {
	Path           string            `json:"path,omitempty" jsonschema:"default=.dispatcher/board"`                      // default .dispatcher/board; relative to Root
	Key            string            `json:"key,omitempty" jsonschema:"default=DSP"`                                     // ref prefix, default DSP
	DeveloperName  string            `json:"developerName,omitempty" jsonschema:"default=dispatcher developer"`          // default "dispatcher developer"
	DeveloperEmail string            `json:"developerEmail,omitempty" jsonschema:"default=developer@dispatcher.invalid"` // default developer@dispatcher.invalid
	ReviewerName   string            `json:"reviewerName,omitempty" jsonschema:"default=dispatcher reviewer"`            // default "dispatcher reviewer"
	States         map[string]string `json:"states,omitempty"`                                                           // role -> column name
	Labels         Labels            `json:"labels,omitzero"`
}

// Labels names the labels that mean something to the loop.
type Labels struct {
	ConfirmWithUser string `json:"confirmWithUser,omitempty" jsonschema:"default=Confirm with user"` // default "Confirm with user"
	UI              string `json:"ui,omitempty" jsonschema:"default=UI"`                             // default "UI"
}

// Loop holds the caps and the timer of the loop.
type Loop struct {
	MaxDevelopers int     `json:"maxDevelopers,omitempty" jsonschema:"minimum=1,maximum=64,default=2"` // default 2
	MaxReviewers  int     `json:"maxReviewers,omitempty" jsonschema:"minimum=1,maximum=64,default=2"`  // default 2
	MaxCleaners   int     `json:"maxCleaners,omitempty" jsonschema:"minimum=1,maximum=64,default=1"`   // default 1
	MaxWorkers    int     `json:"maxWorkers,omitempty" jsonschema:"minimum=1,maximum=64,default=5"`    // default 5, all kinds together
	PollSeconds   float64 `json:"pollSeconds,omitempty" jsonschema:"minimum=0.05,maximum=86400"`       // default 5 on native, 60 elsewhere
	// VerifyMinutes is how long checks may stay pending after a COMPLETE
	// before that counts as a failed try; default 60.
	VerifyMinutes int `json:"verifyMinutes,omitempty" jsonschema:"minimum=1,maximum=10080,default=60"`
}

// Retry is how often a failed run is tried again.
type Retry struct {
	MaxAttempts    int     `json:"maxAttempts,omitempty" jsonschema:"minimum=1,maximum=10,default=2"`               // in all, per issue and kind; default 2
	BackoffSeconds float64 `json:"backoffSeconds,omitempty" jsonschema:"minimum=0.01,maximum=86400,default=10"`     // first wait, doubled each time; default 10
	MaxBackoff     float64 `json:"maxBackoffSeconds,omitempty" jsonschema:"minimum=0.01,maximum=86400,default=300"` // default 300
}

// Limits bound what is spent. Zero is no limit.
type Limits struct {
	MaxCostPerDayUSD   float64 `json:"maxCostPerDayUSD,omitempty" jsonschema:"minimum=0"`
	MaxCostPerIssueUSD float64 `json:"maxCostPerIssueUSD,omitempty" jsonschema:"minimum=0"`
	MaxCostPerRunUSD   float64 `json:"maxCostPerRunUSD,omitempty" jsonschema:"minimum=0"`
}

// AgentKind says how an agent is run.
type AgentKind string

// The agents that exist.
const (
	AgentClaude AgentKind = "claude"
	AgentScript AgentKind = "script"
)

// Agent is one agent profile. The names developer, reviewer and cleaner are
// the defaults of the three worker kinds.
type Agent struct {
	Kind    AgentKind `json:"kind,omitempty" jsonschema:"enum=claude,enum=script,default=claude"` // default claude
	Command string    `json:"command,omitempty"`                                                  // path or name of the program; default claude
	Model   string    `json:"model,omitempty"`                                                    // default opus
	Effort  string    `json:"effort,omitempty"`                                                   // default xhigh
	Script  string    `json:"script,omitempty"`                                                   // kind script: the file it plays, relative to Root
}

// Pulls says where pull requests live.
type Pulls struct {
	Kind   string  `json:"kind,omitempty"` // local or github; default local on native, github elsewhere
	Base   string  `json:"base,omitempty"` // default branch; found in git when empty
	Checks []Check `json:"checks,omitempty"`
}

// Check is one local check.
type Check struct {
	Name           string   `json:"name"`
	Command        []string `json:"command"`
	TimeoutSeconds int      `json:"timeoutSeconds,omitempty" jsonschema:"minimum=1,maximum=86400,default=600"` // default 600
}

// Trust says whose words reach a prompt.
type Trust struct {
	Authors []string `json:"authors,omitempty"` // native: empty is everyone
}

// StaleWindow is ClaimStaleMinutes as a duration.
func (c *Config) StaleWindow() time.Duration {
	return time.Duration(c.ClaimStaleMinutes) * time.Minute
}

// Poll is PollSeconds as a duration.
func (c *Config) Poll() time.Duration {
	return time.Duration(c.Loop.PollSeconds * float64(time.Second))
}

// Labels are those of the platform in use.
func (c *Config) Labels() Labels {
	switch c.Platform {
	case PlatformLinear:
		return c.Linear.Labels
	case PlatformGitHub:
		return c.GitHub.Labels
	case PlatformNative:
		return c.Native.Labels
	}
	return c.Native.Labels
}

// AgentFor is the profile that works issues as kind k when the issue names no
// other.
func (c *Config) AgentFor(k board.Kind) Agent { return c.Agents[string(k)] }
