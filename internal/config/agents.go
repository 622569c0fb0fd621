package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// AgentKind says how an agent is run.
type AgentKind string

// The agents that exist.
const (
	AgentClaude  AgentKind = "claude"
	AgentScript  AgentKind = "script"
	AgentCommand AgentKind = "command"
)

// Agent is one agent profile. The names developer, reviewer and cleaner are
// the defaults of the three worker kinds.
type Agent struct {
	// How the agent is run: claude is Claude Code; script is the scripted agent of the demo; command is any program that takes the prompt on its standard input and whose last line of output is its report. It takes no messages and cannot be resumed.
	Kind AgentKind `json:"kind,omitempty" jsonschema:"enum=claude,enum=script,enum=command,default=claude"`
	// Path or name of the program; claude for that kind.
	Command string `json:"command,omitempty"`
	// Further arguments; kind claude gets them after its own, kind command as its only ones.
	Args []string `json:"args,omitempty"`
	// Names of environment variables that the agent gets beside the usual ones; a * at the end stands for any rest. It cannot name a credential of the board or of GitHub.
	Env []string `json:"env,omitempty"`
	// The model; opus for the kind claude.
	Model string `json:"model,omitempty"`
	// low, medium, high, xhigh or max; xhigh for the kind claude.
	Effort string `json:"effort,omitempty"`
	// Kind script: the file it plays, relative to the repository's root.
	Script string `json:"script,omitempty"`
	// What the agent may do, and who is asked.
	Permissions Permissions `json:"permissions,omitzero"`
}

// AskPolicy says who answers what an agent's lists leave open.
type AskPolicy string

// The answers to what the lists leave open.
const (
	AskOwner AskPolicy = "owner"
	AskDeny  AskPolicy = "deny"
	AskAllow AskPolicy = "allow"
)

// Permissions are what an agent may do beyond what its kind of worker may.
type Permissions struct {
	// Rules of what it may do without being asked, as Claude Code writes them: WebFetch, Bash(npm publish *). A reviewer takes none of them: it can change nothing.
	Allow []string `json:"allow,omitempty"`
	// Rules of what it may never do; they win over everything.
	Deny []string `json:"deny,omitempty"`
	// Rules of what is asked for each time, though the kind or allow would let it pass: Bash(npm publish *). A reviewer, who never asks, is denied it.
	AskFor []string `json:"askFor,omitempty"`
	// What becomes of a request that no rule decides: the owner is asked, or it is denied or allowed.
	Ask AskPolicy `json:"ask,omitempty" jsonschema:"enum=owner,enum=deny,enum=allow,default=owner"`
	// Minutes that the owner has for an answer; then the answer of headless is given.
	TimeoutMinutes float64 `json:"timeoutMinutes,omitempty" jsonschema:"minimum=0.01,maximum=10080,default=60"`
	// The answer where nobody can be asked, or nobody answers in time.
	Headless AskPolicy `json:"headless,omitempty" jsonschema:"enum=deny,enum=allow,default=deny"`
}

// Timeout is TimeoutMinutes as a duration.
func (p Permissions) Timeout() time.Duration {
	return time.Duration(p.TimeoutMinutes * float64(time.Minute))
}

// Transcripts says how long the folders of settled runs are kept, transcripts
// included. A run that is not settled is always kept.
type Transcripts struct {
	// Days that a settled run's folder is kept.
	KeepDays float64 `json:"keepDays,omitempty" jsonschema:"minimum=0.001,maximum=36500,default=90"`
	// Gigabytes that all run folders together may take; the oldest settled ones go first.
	MaxGB float64 `json:"maxGB,omitempty" jsonschema:"minimum=0.000001,maximum=100000,default=20"`
}

// Keep is KeepDays as a duration.
func (t Transcripts) Keep() time.Duration {
	return time.Duration(t.KeepDays * float64(24*time.Hour))
}

// MaxBytes is MaxGB in bytes.
func (t Transcripts) MaxBytes() int64 { return int64(t.MaxGB * 1e9) }

// AgentFor is the profile that works issues as kind k when the issue names no
// other.
func (c *Config) AgentFor(k board.Kind) Agent { return c.Agents[string(k)] }

func (c *Config) fillAgents() {
	if c.Agents == nil {
		c.Agents = map[string]Agent{}
	}
	for _, k := range board.Kinds() {
		if _, ok := c.Agents[string(k)]; !ok {
			c.Agents[string(k)] = Agent{}
		}
	}
	for name, a := range c.Agents {
		fillTags(reflect.ValueOf(&a).Elem())
		if a.Kind == AgentClaude {
			a.Command = orElse(a.Command, "claude")
			a.Model = orElse(a.Model, "opus")
			a.Effort = orElse(a.Effort, "xhigh")
		}
		c.Agents[name] = a
	}
}

// agentName is what may follow `agent:` in a label.
var agentName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,39}$`)

// permissionRule is a tool, or a tool with what of it is meant.
var permissionRule = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:*-]*(\(.+\))?$`)

// variableName is the name of an environment variable, or the begin of one.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\*?$`)

// efforts are the levels that the claude command takes.
var efforts = []string{"low", "medium", "high", "xhigh", "max"}

func (d *decoder) checkAgents(c *Config) {
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a, p := c.Agents[name], "agents."+name
		if !agentName.MatchString(name) {
			d.fault(p, "", "an agent's name is up to 40 of a-z, 0-9, '.', '_' and '-'")
		}
		if d.bad[p] {
			continue
		}
		d.argument(p+".command", a.Command)
		for i, arg := range a.Args {
			d.line(fmt.Sprintf("%s.args[%d]", p, i), arg)
		}
		for i, v := range a.Env {
			d.checkVariable(c, fmt.Sprintf("%s.env[%d]", p, i), v)
		}
		d.argument(p+".model", a.Model)
		if d.readable(p+".effort") && !slices.Contains(efforts, a.Effort) {
			d.fault(p+".effort", maybe(a.Effort, efforts), "%q is none of %s", a.Effort, strings.Join(efforts, ", "))
		}
		d.checkRules(p+".permissions.allow", a.Permissions.Allow)
		d.checkRules(p+".permissions.deny", a.Permissions.Deny)
		d.checkRules(p+".permissions.askFor", a.Permissions.AskFor)
		d.checkAgentKind(p, a)
	}
}

// checkAgentKind asks for what a kind needs, and refuses what it never reads.
func (d *decoder) checkAgentKind(p string, a Agent) {
	if d.bad[p+".kind"] {
		return
	}
	if a.Kind == AgentScript {
		d.required(p+".script", a.Script)
	} else if d.stated(p + ".script") {
		d.fault(p+".script", `add "kind": "script"`, "is only read by agents of kind script")
	}
	if a.Kind == AgentScript && d.stated(p+".args") {
		d.fault(p+".args", "", "is not read by agents of kind script")
	}
	if a.Kind != AgentCommand {
		return
	}
	d.required(p+".command", a.Command)
	for _, key := range []string{"model", "effort", "permissions"} {
		if d.stated(p + "." + key) {
			d.fault(p+"."+key, "give the program its own options in args", "is not read by agents of kind command")
		}
	}
}

// checkRules asks that each is a rule, and cannot be taken for a flag.
func (d *decoder) checkRules(path string, rules []string) {
	for i, rule := range rules {
		p := fmt.Sprintf("%s[%d]", path, i)
		if d.bad[p] {
			continue
		}
		d.line(p, rule)
		if !permissionRule.MatchString(rule) {
			d.fault(p, "for example WebFetch or Bash(npm test *)", "%q is not a rule", rule)
		}
	}
}

// ownerSecrets begin the names of variables that hold what a worker never
// gets: the board's keys, the agent identities' keys, and the owner's logins.
var ownerSecrets = []string{"DISPATCHER_", "LINEAR_", "GH_", "GITHUB_"}

// Withholds says whether a variable holds what no worker may have of its owner:
// by the begin of its name, or because a GitHub App's key stands in it.
func (c *Config) Withholds(name string) bool { return c.withholds(strings.ToUpper(name), false) }

// withholds judges a name, or with open all names that begin so; in capitals,
// for there are systems where case does not count.
func (c *Config) withholds(begin string, open bool) bool {
	for _, secret := range ownerSecrets {
		if strings.HasPrefix(begin, secret) || open && strings.HasPrefix(secret, begin) {
			return true
		}
	}
	for _, key := range c.KeyVariables() {
		key = strings.ToUpper(key)
		if begin == key || open && strings.HasPrefix(key, begin) {
			return true
		}
	}
	return false
}

// KeyVariables are the names of the variables that hold the keys of the GitHub
// Apps, if there are any.
func (c *Config) KeyVariables() []string {
	if c.GitHubApps == nil {
		return nil
	}
	keys := []string{c.GitHubApps.Developer.KeyEnvVar, c.GitHubApps.Reviewer.KeyEnvVar}
	return slices.DeleteFunc(keys, func(k string) bool { return k == "" })
}

func (d *decoder) checkVariable(c *Config, path, name string) {
	if d.bad[path] {
		return
	}
	if !variableName.MatchString(name) {
		d.fault(path, "for example NPM_CONFIG_REGISTRY or MYAPP_*", "%q is not the name of a variable", name)
		return
	}
	begin, open := strings.CutSuffix(strings.ToUpper(name), "*")
	if c.withholds(begin, open) {
		d.fault(path, "workers write to the board and to GitHub through dispatcher", "%q would hand a credential of yours to the agent", name)
	}
}
