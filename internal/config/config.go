// Package config is the one configuration of a repository: the struct, its
// defaults, how dispatcher.config.json is found, and its validation.
//
// It promises that a loaded Config is complete (defaults filled in) and valid,
// that every violation is reported at once with the path of its field and the
// nearest known name, and that nothing else in the program reads the file. It
// never looks up a secret and never talks to a network.
package config

import "time"

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
// design.md, section 13). Only platform is required for the native board.
type Config struct {
	// Where an editor finds the JSON schema of this file.
	Schema string `json:"$schema,omitempty"`
	// The board. It chooses the section below, which must exist; --platform and DISPATCHER_BOARD_PLATFORM stand in for it per command.
	Platform Platform `json:"platform" jsonschema:"enum=native,enum=linear,enum=github"`
	// The GitHub repository as owner/name; required where a board or pull requests live outside this machine.
	Repository string `json:"repository,omitempty"`
	// Where GitHub answers instead of at github.com: a proxy or a test server, with https or on this machine; its API below /api/v3 and /api/graphql.
	GitHubURL string `json:"githubUrl,omitempty"`
	// User ids of the agents' accounts; their comments are never taken for a person's.
	BotUserIDs []int64 `json:"botUserIds,omitempty"`
	// Minutes without a stamp after which a claim counts as stale.
	ClaimStaleMinutes int `json:"claimStaleMinutes,omitempty" jsonschema:"minimum=1,maximum=10080,default=90"`
	// The event channel's receiver.
	Listener *Listener `json:"listener,omitempty"`
	// The two agent identities on GitHub.
	GitHubApps *GitHubApps `json:"githubApps,omitempty"`
	// The Linear board.
	Linear *Linear `json:"linear,omitempty"`
	// The GitHub Projects board.
	GitHub *GitHub `json:"github,omitempty"`
	// The board in files.
	Native Native `json:"native,omitzero"`
	// Caps and timers of the loop.
	Loop Loop `json:"loop,omitzero"`
	// How often a failed run is tried again.
	Retry Retry `json:"retry,omitzero"`
	// What may be spent; no limit where nothing is set.
	Limits Limits `json:"limits,omitzero"`
	// Commands of your own around a run. They run in its worktree (a reviewer's in the main checkout) without a shell and without credentials, as that worker: DISPATCHER_REF, DISPATCHER_RUN, DISPATCHER_KIND and DISPATCHER_WORKTREE say whose run it is.
	Hooks Hooks `json:"hooks,omitzero"`
	// Agent profiles by name. developer, reviewer and cleaner are the defaults of the three worker kinds; a label agent:<name> chooses another for one issue.
	Agents map[string]Agent `json:"agents,omitempty"`
	// Where pull requests live and what is checked there.
	Pulls Pulls `json:"pulls,omitzero"`
	// Whose words reach a prompt.
	Trust Trust `json:"trust,omitzero"`
	// How long the transcripts of runs are kept.
	Transcripts Transcripts `json:"transcripts,omitzero"`

	// Path is the file this was read from, absolute; Root is its folder in the
	// main checkout. Neither is part of the file.
	Path string `json:"-"`
	Root string `json:"-"`
}

// Listener is the event channel's receiver.
type Listener struct {
	// Port on loopback.
	Port int `json:"port,omitempty" jsonschema:"minimum=1,maximum=65535,default=47831"`
}

// GitHubApps are the two agent identities on GitHub.
type GitHubApps struct {
	// Who commits and opens pull requests.
	Developer GitHubApp `json:"developer"`
	// Who reviews.
	Reviewer GitHubApp `json:"reviewer"`
}

// GitHubApp is one registered app.
type GitHubApp struct {
	// Id of the app, from its page.
	AppID int64 `json:"appId" jsonschema:"minimum=1"`
	// Id of its installation, from the installation's URL.
	InstallationID int64 `json:"installationId" jsonschema:"minimum=1"`
	// The app's name in its URL.
	Slug string `json:"slug"`
	// Login of its account, the slug with [bot].
	BotLogin string `json:"botLogin"`
	// User id of that account.
	BotUserID int64 `json:"botUserId" jsonschema:"minimum=1"`
	// Name of the private key's file in .secrets/; the slug with .private-key.pem when empty.
	KeyFile string `json:"keyFile,omitempty"`
	// Environment variable that holds the private key; DISPATCHER_GITHUB_APP_KEY_DEVELOPER or _REVIEWER when empty.
	KeyEnvVar string `json:"keyEnvVar,omitempty"`
}

// Linear is the Linear board's section.
type Linear struct {
	// The workspace's name in its URL.
	Workspace string `json:"workspace"`
	// Id of the team.
	TeamID string `json:"teamId"`
	// Prefix of its issues, as in ACM-12.
	TeamKey string `json:"teamKey"`
	// Id of the project.
	ProjectID string `json:"projectId"`
	// URL of the project.
	ProjectURL string `json:"projectUrl"`
	// State name of each role; all seven are required.
	States map[string]string `json:"states"`
	// User ids of the two agents.
	Agents LinearAgents `json:"agents"`
	// Labels that mean something to the loop.
	Labels Labels `json:"labels,omitzero"`
	// Where the API answers instead of at Linear: a proxy or a test server, with https or on this machine.
	APIURL string `json:"apiUrl,omitempty"`
}

// LinearAgents are the two agent users.
type LinearAgents struct {
	// User id of the developer agent's app.
	Developer string `json:"developer"`
	// User id of the reviewer agent's app.
	Reviewer string `json:"reviewer"`
}

// GitHub is the GitHub Projects v2 board's section.
type GitHub struct {
	// The organization.
	Owner string `json:"owner"`
	// Number of the project, from its URL.
	ProjectNumber int `json:"projectNumber" jsonschema:"minimum=1"`
	// Node id of the project.
	ProjectID string `json:"projectId"`
	// Node id of its Status field.
	StatusFieldID string `json:"statusFieldId"`
	// Node id of its Claimed By field.
	ClaimedByFieldID string `json:"claimedByFieldId"`
	// Option of the Status field for each role; question is optional.
	States map[string]GitHubState `json:"states"`
	// Labels that mean something to the loop.
	Labels Labels `json:"labels,omitzero"`
}

// GitHubState is one option of the Status field.
type GitHubState struct {
	// The option's name.
	Name string `json:"name"`
	// The option's id.
	OptionID string `json:"optionId"`
}

// Native is the native board's section; all of it is optional.
type Native struct {
	// Folder of the board, relative to the repository's root. A shared folder outside is how two checkouts share one board.
	Path string `json:"path,omitempty" jsonschema:"default=.dispatcher/board"`
	// Prefix of the issues' refs, as in DSP-3.
	Key string `json:"key,omitempty" jsonschema:"default=DSP"`
	// Name under which the developer commits.
	DeveloperName string `json:"developerName,omitempty" jsonschema:"default=dispatcher developer"`
	// Address under which the developer commits.
	DeveloperEmail string `json:"developerEmail,omitempty" jsonschema:"default=developer@dispatcher.invalid"`
	// Name under which the reviewer reviews.
	ReviewerName string `json:"reviewerName,omitempty" jsonschema:"default=dispatcher reviewer"`
	// Column name of each role; a role without one keeps its usual name.
	States map[string]string `json:"states,omitempty"`
	// Labels that mean something to the loop.
	Labels Labels `json:"labels,omitzero"`
}

// Labels names the labels that mean something to the loop.
type Labels struct {
	// An agent could do it, but the owner wants to be asked first: skipped.
	ConfirmWithUser string `json:"confirmWithUser,omitempty" jsonschema:"default=Confirm with user"`
	// Design-sensitive: said in the prompt.
	UI string `json:"ui,omitempty" jsonschema:"default=UI"`
}

// Loop holds the caps and the timers of the loop.
type Loop struct {
	// Developers at work at once.
	MaxDevelopers int `json:"maxDevelopers,omitempty" jsonschema:"minimum=1,maximum=64,default=2"`
	// Reviewers at work at once.
	MaxReviewers int `json:"maxReviewers,omitempty" jsonschema:"minimum=1,maximum=64,default=2"`
	// Cleaners at work at once.
	MaxCleaners int `json:"maxCleaners,omitempty" jsonschema:"minimum=1,maximum=64,default=1"`
	// Workers of all kinds at work at once.
	MaxWorkers int `json:"maxWorkers,omitempty" jsonschema:"minimum=1,maximum=64,default=5"`
	// Seconds between two looks at the board; 5 on the native board and 60 elsewhere when not set.
	PollSeconds float64 `json:"pollSeconds,omitempty" jsonschema:"minimum=0.05,maximum=86400"`
	// Minutes that checks may stay pending after a COMPLETE before that counts as a failed try.
	VerifyMinutes int `json:"verifyMinutes,omitempty" jsonschema:"minimum=1,maximum=10080,default=60"`
	// Minutes without output after which a worker counts as stalled: it is interrupted, then stopped, and that is a failed try.
	StallMinutes float64 `json:"stallMinutes,omitempty" jsonschema:"minimum=0.01,maximum=10080,default=10"`
	// The same while one of its tools runs with living processes.
	StallToolMinutes float64 `json:"stallToolMinutes,omitempty" jsonschema:"minimum=0.01,maximum=10080,default=30"`
	// Seconds from the interrupt of a stalled worker to its stop.
	StallGraceSeconds float64 `json:"stallGraceSeconds,omitempty" jsonschema:"minimum=0.01,maximum=86400,default=60"`
	// Seconds until a worker must have begun its first turn: one that has not probably waits on a prompt that nobody sees. It is ended with its last words, and that is a failed try.
	StartSeconds float64 `json:"startSeconds,omitempty" jsonschema:"minimum=0.01,maximum=86400,default=120"`
}

// Retry is how often a failed run is tried again.
type Retry struct {
	// Tries in all, per issue and kind of worker.
	MaxAttempts int `json:"maxAttempts,omitempty" jsonschema:"minimum=1,maximum=10,default=2"`
	// Seconds before the second try; doubled for each further one.
	BackoffSeconds float64 `json:"backoffSeconds,omitempty" jsonschema:"minimum=0.01,maximum=86400,default=10"`
	// Seconds that a wait never exceeds.
	MaxBackoff float64 `json:"maxBackoffSeconds,omitempty" jsonschema:"minimum=0.01,maximum=86400,default=300"`
}

// Limits bound what is spent. Zero is no limit.
type Limits struct {
	// US dollars a day.
	MaxCostPerDayUSD float64 `json:"maxCostPerDayUSD,omitempty" jsonschema:"minimum=0"`
	// US dollars an issue, all its runs together.
	MaxCostPerIssueUSD float64 `json:"maxCostPerIssueUSD,omitempty" jsonschema:"minimum=0"`
	// US dollars a run.
	MaxCostPerRunUSD float64 `json:"maxCostPerRunUSD,omitempty" jsonschema:"minimum=0"`
	// Megabytes that the processes of one worker may hold together, looked at every ten seconds; one that holds more is ended, and that is a failed try.
	MaxWorkerMemoryMB int `json:"maxWorkerMemoryMB,omitempty" jsonschema:"minimum=0"`
}

// Hooks are commands of the owner's around a run.
type Hooks struct {
	// In a worktree that was just made. That it fails is a failed try, and the next try runs it again.
	AfterCreate *Hook `json:"afterCreate,omitempty"`
	// Before a worker starts. That it fails is a failed try.
	BeforeRun *Hook `json:"beforeRun,omitempty"`
	// After a worker has ended, however it did. That it fails is only shown.
	AfterRun *Hook `json:"afterRun,omitempty"`
	// Before a worktree is removed. That it fails keeps the worktree.
	BeforeRemove *Hook `json:"beforeRemove,omitempty"`
}

// Hook is one command of the owner's.
type Hook struct {
	// The program and its arguments; no shell is between.
	Command []string `json:"command"`
	// Seconds after which it is killed with its process group, and has failed.
	TimeoutSeconds int `json:"timeoutSeconds,omitempty" jsonschema:"minimum=1,maximum=86400,default=60"`
}

// Pulls says where pull requests live.
type Pulls struct {
	// local or github; local on the native board and github elsewhere when not set.
	Kind string `json:"kind,omitempty" jsonschema:"enum=local,enum=github"`
	// The default branch; found in git when not set.
	Base string `json:"base,omitempty"`
	// What is run at each new head of a local pull request. None is green.
	Checks []Check `json:"checks,omitempty"`
}

// Check is one local check.
type Check struct {
	// What screens call it.
	Name string `json:"name"`
	// The program and its arguments; no shell is between.
	Command []string `json:"command"`
	// Seconds after which it is stopped and counts as failed.
	TimeoutSeconds int `json:"timeoutSeconds,omitempty" jsonschema:"minimum=1,maximum=86400,default=600"`
}

// Trust says whose words reach a prompt.
type Trust struct {
	// Names of people whose comments and reviews count. Nobody named is everyone on the native board, and GitHub's owners, members and collaborators.
	Authors []string `json:"authors,omitempty"`
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
