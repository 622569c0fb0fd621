package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/internal/config"
)

// linear is the file of dispatcher-system.md, Configuration.
const linear = `{
  "platform": "linear",
  "repository": "acme/widgets",
  "botUserIds": [100000001, 100000002],
  "claimStaleMinutes": 90,
  "listener": { "port": 47831 },
  "githubApps": {
    "developer": { "appId": 111111, "installationId": 10000001, "slug": "acme-developer", "botLogin": "acme-developer[bot]", "botUserId": 100000001 },
    "reviewer":  { "appId": 222222, "installationId": 10000002, "slug": "acme-reviewer",  "botLogin": "acme-reviewer[bot]",  "botUserId": 100000002, "keyFile": "r.pem", "keyEnvVar": "R_KEY" }
  },
  "linear": {
    "workspace": "acme",
    "teamId": "team-1",
    "teamKey": "ACM",
    "projectId": "proj-1",
    "projectUrl": "https://linear.app/acme/project/widgets-0a1b2c3d4e5f",
    "states": { "backlog": "Backlog", "ready": "Ready", "changesRequested": "Changes Requested", "inProgress": "In Progress", "question": "Question", "humanReview": "Human Review", "done": "Done" },
    "agents": { "developer": "u-1", "reviewer": "u-2" },
    "labels": { "confirmWithUser": "Ask me", "ui": "UI" }
  },
  "github": {
    "owner": "acme", "projectNumber": 2, "projectId": "PVT_x", "statusFieldId": "PVTSSF_x", "claimedByFieldId": "PVTF_x",
    "states": { "backlog": { "name": "Hold", "optionId": "1" }, "ready": { "name": "Ready", "optionId": "2" }, "changesRequested": { "name": "Changes Requested", "optionId": "3" }, "inProgress": { "name": "In Progress", "optionId": "4" }, "humanReview": { "name": "User Review", "optionId": "5" }, "done": { "name": "Done", "optionId": "6" } },
    "labels": { "confirmWithUser": "confirm-with-user", "ui": "ui" }
  }
}`

func TestParseTheSpecificationsFile(t *testing.T) {
	t.Parallel()
	c, violations := config.Parse([]byte(linear), "")
	if violations != nil {
		t.Fatal(violations)
	}
	if c.Loop.PollSeconds != 60 || c.Pulls.Kind != config.PullsGitHub {
		t.Errorf("poll %v, pulls %s; want the defaults of a remote board", c.Loop.PollSeconds, c.Pulls.Kind)
	}
	if got := c.Labels().ConfirmWithUser; got != "Ask me" {
		t.Errorf("label = %q", got)
	}
	dev, rev := c.GitHubApps.Developer, c.GitHubApps.Reviewer
	if dev.KeyFile != "acme-developer.private-key.pem" || dev.KeyEnvVar != "DISPATCHER_GITHUB_APP_KEY_DEVELOPER" ||
		rev.KeyFile != "r.pem" || rev.KeyEnvVar != "R_KEY" {
		t.Errorf("keys: %+v %+v", dev, rev)
	}

	c, violations = config.Parse([]byte(linear), "github")
	if violations != nil {
		t.Fatal(violations)
	}
	if c.Platform != config.PlatformGitHub || c.Labels().UI != "ui" || c.GitHub.States["backlog"].Name != "Hold" {
		t.Errorf("platform override: %s, %+v", c.Platform, c.Labels())
	}
}

func TestParseViolations(t *testing.T) {
	t.Parallel()
	native := func(more string) string { return `{"platform": "native", ` + more + `}` }
	tests := []struct {
		name, text, platform string
		want                 []string
	}{
		{name: "several at once, in file order", text: `{
  "platform": "nativ",
  "claimStaleMinutes": 0,
  "loop": {"maxDeveloper": 3, "pollSeconds": "5"},
  "maxWorkers": 2,
  "trust": {"authors": [1]}
}
`, want: []string{
			`platform: "nativ" is none of native, linear, github; did you mean "native"? (line 2:15)`,
			`claimStaleMinutes: must be between 1 and 10080, is 0 (line 3:24)`,
			`loop.maxDeveloper: unknown key; did you mean "maxDevelopers"? (line 4:12)`,
			`loop.pollSeconds: must be a number, is a text (line 4:46)`,
			`maxWorkers: unknown key; did you mean "loop.maxWorkers"? (line 5:3)`,
			`trust.authors[0]: must be a text, is a number (line 6:25)`,
		}},
		{name: "no platform", text: `{}`, want: []string{
			`platform: is required: native, linear or github; the smallest file is {"platform": "native"}`,
		}},
		{name: "no object", text: `[]`, want: []string{`must be an object, is a list (line 1:1)`}},
		{name: "empty", text: " \r\n", want: []string{
			`not JSON: unexpected end of JSON input; the file is empty; the smallest one is {"platform": "native"} (line 1:3)`,
		}},
		{name: "cut", text: `{"platform": "nat`, want: []string{`not JSON: unexpected end of JSON input (line 1:17)`}},
		{name: "comma after the last", text: "{\n\"platform\": \"native\",\n}", want: []string{
			`not JSON: invalid character '}' looking for beginning of object key string; is there a comma after the last entry? (line 3:1)`,
		}},
		{name: "comment", text: "{ // x\n}", want: []string{
			`not JSON: invalid character '/' looking for beginning of object key string; JSON has no comments (line 1:3)`,
		}},
		{name: "two values", text: "{} {}", want: []string{`not JSON: invalid character '{' after top-level value (line 1:4)`}},
		{name: "UTF-16", text: "\xff\xfe{\x00}\x00", want: []string{`not UTF-8 text; this is UTF-16; save it as UTF-8 (line 1:1)`}},
		{name: "column in characters", text: `{"platform": "native", "ä": "ö", "é": 1}`, want: []string{
			`ä: unknown key; known here: $schema, agents, botUserIds, claimStaleMinutes, github, githubApps, githubUrl, hooks, limits, linear, listener, loop, native, platform, pulls, repository, retry, transcripts, trust (line 1:24)`,
			`é: unknown key; known here: $schema, agents, botUserIds, claimStaleMinutes, github, githubApps, githubUrl, hooks, limits, linear, listener, loop, native, platform, pulls, repository, retry, transcripts, trust (line 1:34)`,
		}},
		{name: "nested deep", text: `{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", want: []string{
			`nested deeper than 64 levels (line 1:70)`,
		}},
		{name: "key twice and in another case", text: native(`"Loop": {}, "platform": "linear"`), want: []string{
			`Loop: unknown key; did you mean "loop"? (line 1:24)`,
			`platform: the key stands here twice; keep one (line 1:36)`,
		}},
		{name: "null", text: native(`"loop": null, "native": {"key": null}`), want: []string{
			`loop: must be an object, is null (line 1:32)`,
			`native.key: must be a text, is null (line 1:56)`,
		}},
		{name: "numbers", text: native(`"claimStaleMinutes": 1.5, "botUserIds": [-1, 1e3], "loop": {"pollSeconds": 1e999}`), want: []string{
			`claimStaleMinutes: must be a whole number, is 1.5 (line 1:45)`,
			`botUserIds[0]: must be at least 1, is -1 (line 1:65)`,
			`botUserIds[1]: must be a whole number, is 1e3 (line 1:69)`,
			`loop.pollSeconds: is out of range: 1e999 (line 1:99)`,
		}},
		{name: "linear without its section", text: `{"platform": "linear"}`, want: []string{
			`linear: is required by platform linear; add the section, or choose another platform`,
			`repository: is required by platform linear; write it as "acme/widgets"`,
		}},
		{name: "override without the section", text: native(`"repository": "acme/widgets"`), platform: "github", want: []string{
			`github: is required by platform github; add the section, or choose another platform`,
		}},
		{name: "unknown override", text: native(`"trust": {}`), platform: "jira", want: []string{
			`--platform or DISPATCHER_BOARD_PLATFORM: there is no platform "jira"; known here: github, linear, native`,
		}},
		{name: "linear's fields", text: `{"platform": "linear", "repository": "widgets", "linear": {"workspace": " ", "projectUrl": "http://x",
"agents": {"developer": "u", "reviewer": "u"}, "labels": {"ui": "Question"},
"states": {"backlog": "B", "ready": "b", "changes": "C", "inProgress": 1, "question": "Q", "humanReview": "H"}}}`, want: []string{
			`repository: "widgets" is not owner/name; write it as "acme/widgets" (line 1:38)`,
			`linear.workspace: must not be empty (line 1:73)`,
			`linear.projectUrl: must begin with https:// (line 1:92)`,
			`linear.agents.reviewer: must differ from the developer's; the delegate says which phase a row is in (line 2:42)`,
			`linear.labels.ui: question is a state, not a label (line 2:65)`,
			`linear.states.ready: "b" is already the state of backlog (line 3:37)`,
			`linear.states.changes: unknown role; did you mean "changesRequested"? (line 3:53)`,
			`linear.states.inProgress: must be a text, is a number (line 3:72)`,
			`linear.projectId: is required`,
			`linear.states.changesRequested: is required: the name of the state`,
			`linear.states.done: is required: the name of the state`,
			`linear.teamId: is required`,
			`linear.teamKey: is required`,
		}},
		{name: "github's states", text: `{"platform": "github", "repository": "acme/widgets", "github": {"owner": "acme", "projectNumber": 0,
"projectId": "p", "statusFieldId": "s", "states": {"ready": {"name": "Ready"}, "done": "Done"}}}`, want: []string{
			`github.projectNumber: must be at least 1, is 0 (line 1:99)`,
			`github.states.done: must be an object, is a text (line 2:88)`,
			`github.claimedByFieldId: is required`,
			`github.states.backlog: is required: the name of the state`,
			`github.states.changesRequested: is required: the name of the state`,
			`github.states.humanReview: is required: the name of the state`,
			`github.states.inProgress: is required: the name of the state`,
			`github.states.ready.optionId: is required`,
		}},
		{name: "one app", text: native(`"githubApps": {"developer": {"appId": 1, "installationId": 2, "slug": "s", "keyFile": "../k"}}`), want: []string{
			`githubApps.developer.keyFile: must be a file name without a folder; it is looked for in .secrets/ (line 1:110)`,
			`githubApps.developer.botLogin: is required`,
			`githubApps.developer.botUserId: is required`,
			`githubApps.reviewer: is required beside the other app`,
		}},
		{name: "native's fields", text: native(`"native": {"key": "dsp", "developerName": "a<b", "developerEmail": "nobody", "reviewerName": "a\nb",
"path": "", "labels": {"ui": "x", "confirmWithUser": "X"}, "states": {"redy": "R"}}`), want: []string{
			`native.key: "dsp" is not up to 10 of A-Z and 0-9, a letter first; write "DSP" (line 1:42)`,
			`native.developerName: must not hold '<' or '>' (line 1:66)`,
			`native.developerEmail: "nobody" is not an address (line 1:91)`,
			`native.reviewerName: must not hold control characters (line 1:117)`,
			`native.path: must not be empty (line 2:9)`,
			`native.labels.ui: must differ from confirmWithUser (line 2:30)`,
			`native.states.redy: unknown role; did you mean "ready"? (line 2:79)`,
		}},
		{name: "agents", text: native(`"agents": {"Big One": {}, "developer": {"kind": "script"}, "reviewer": {"effort": "hihg", "model": "--x", "script": "s"}, "c": {"kind": "codex"}}`), want: []string{
			`agents.Big One: an agent's name is up to 40 of a-z, 0-9, '.', '_' and '-' (line 1:46)`,
			`agents.reviewer.effort: "hihg" is none of low, medium, high, xhigh, max; did you mean "high"? (line 1:106)`,
			`agents.reviewer.model: must not begin with '-' (line 1:123)`,
			`agents.reviewer.script: is only read by agents of kind script; add "kind": "script" (line 1:140)`,
			`agents.c.kind: "codex" is none of claude, script, command (line 1:160)`,
			`agents.developer.script: is required`,
		}},
		{name: "agents of any program", text: native(`"agents": {"a": {"kind": "command", "model": "m", "permissions": {}}, "b": {"command": "-x", "args": ["a\u0000"]},
"c": {"kind": "script", "script": "s", "args": ["x"]}, "d": {"env": ["A", "B_*", "gh_token", "*", "A-B", "D*", "LINEAR_API_KEY"]}}`), want: []string{
			`agents.a.model: is not read by agents of kind command; give the program its own options in args (line 1:69)`,
			`agents.a.permissions: is not read by agents of kind command; give the program its own options in args (line 1:89)`,
			`agents.b.command: must not begin with '-' (line 1:111)`,
			`agents.b.args[0]: must not hold control characters (line 1:126)`,
			`agents.c.args: is not read by agents of kind script (line 2:48)`,
			`agents.d.env[2]: "gh_token" would hand a credential of yours to the agent; workers write to the board and to GitHub through dispatcher (line 2:82)`,
			`agents.d.env[3]: "*" is not the name of a variable; for example NPM_CONFIG_REGISTRY or MYAPP_* (line 2:94)`,
			`agents.d.env[4]: "A-B" is not the name of a variable; for example NPM_CONFIG_REGISTRY or MYAPP_* (line 2:99)`,
			`agents.d.env[5]: "D*" would hand a credential of yours to the agent; workers write to the board and to GitHub through dispatcher (line 2:106)`,
			`agents.d.env[6]: "LINEAR_API_KEY" would hand a credential of yours to the agent; workers write to the board and to GitHub through dispatcher (line 2:112)`,
			`agents.a.command: is required`,
		}},
		{name: "agents and the keys of the Apps", text: native(`"agents": {"d": {"env": ["DEV_KEY", "rev_key", "REV*", "REV_KEY_ID"]}},
"githubApps": {"developer": {"appId": 1, "installationId": 2, "slug": "d", "botLogin": "d[bot]", "botUserId": 3, "keyEnvVar": "DEV_KEY"},
"reviewer": {"appId": 4, "installationId": 5, "slug": "r", "botLogin": "r[bot]", "botUserId": 6, "keyEnvVar": "REV_KEY"}}`), want: []string{
			`agents.d.env[0]: "DEV_KEY" would hand a credential of yours to the agent; workers write to the board and to GitHub through dispatcher (line 1:49)`,
			`agents.d.env[1]: "rev_key" would hand a credential of yours to the agent; workers write to the board and to GitHub through dispatcher (line 1:60)`,
			`agents.d.env[2]: "REV*" would hand a credential of yours to the agent; workers write to the board and to GitHub through dispatcher (line 1:71)`,
		}},
		{name: "permissions", text: native(`"agents": {"a": {"permissions": {"allow": ["Bash(npm publish *)", "mcp__db__query", "--x", "Bash("], "deny": [1], "askFor": ["Bash(x", "Bash(npm publish:*)"], "ask": "me", "timeoutMinutes": -1, "headless": "owner"}}}`), want: []string{
			`agents.a.permissions.allow[2]: "--x" is not a rule; for example WebFetch or Bash(npm test *) (line 1:108)`,
			`agents.a.permissions.allow[3]: "Bash(" is not a rule; for example WebFetch or Bash(npm test *) (line 1:115)`,
			`agents.a.permissions.deny[0]: must be a text, is a number (line 1:134)`,
			`agents.a.permissions.askFor[0]: "Bash(x" is not a rule; for example WebFetch or Bash(npm test *) (line 1:149)`,
			`agents.a.permissions.ask: "me" is none of owner, deny, allow (line 1:190)`,
			`agents.a.permissions.timeoutMinutes: must be between 0.01 and 10080, is -1 (line 1:214)`,
			`agents.a.permissions.headless: "owner" is none of deny, allow (line 1:230)`,
		}},
		{name: "pulls", text: native(`"pulls": {"kind": "gitlab", "base": "a..b", "checks": [{"name": "t", "command": []}, {"name": "t", "command": [" "], "timeoutSeconds": -1}, 3]}`), want: []string{
			`pulls.kind: "gitlab" is none of local, github; did you mean "github"? (line 1:42)`,
			`pulls.base: "a..b" cannot be the name of a branch (line 1:60)`,
			`pulls.checks[0].command: is required: the program and its arguments; for example ["go", "test", "./..."] (line 1:104)`,
			`pulls.checks[1].name: another check is called "t" (line 1:118)`,
			`pulls.checks[1].command[0]: must name a program (line 1:135)`,
			`pulls.checks[1].timeoutSeconds: must be between 1 and 86400, is -1 (line 1:159)`,
			`pulls.checks[2]: must be an object, is a number (line 1:164)`,
		}},
		{name: "pull requests on GitHub need the repository", text: native(`"pulls": {"kind": "github"}`), want: []string{
			`repository: is required by pulls.kind github; write it as "acme/widgets"`,
		}},
		{name: "retry and trust", text: native(`"retry": {"backoffSeconds": 20, "maxBackoffSeconds": 10}, "limits": {"maxCostPerDayUSD": -1}, "trust": {"authors": ["a b", ""]}`), want: []string{
			`retry.maxBackoffSeconds: must not be less than retry.backoffSeconds (line 1:77)`,
			`limits.maxCostPerDayUSD: must be at least 0, is -1 (line 1:113)`,
			`trust.authors[0]: must not hold spaces (line 1:140)`,
			`trust.authors[1]: must not be empty (line 1:147)`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c, violations := config.Parse([]byte(tt.text), tt.platform)
			if c != nil {
				t.Error("a configuration came beside violations")
			}
			var got []string
			for _, v := range violations {
				got = append(got, v.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseTakesOddButValid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"platform": "native", "$schema": "docs/config.schema.json", "limits": {"maxCostPerDayUSD": 0}}`,
		`{"platform": "native", "pulls": {"base": "release/1.x", "checks": []}, "trust": {"authors": []}}`,
		`{"platform": "native", "agents": {"developer": {"kind": "script", "script": "a.txt"}, "big.one": {"model": "x"}}}`,
		`{"platform": "native", "loop": {"pollSeconds": 0.05}, "repository": "a/b.c"}`,
		`{"platform": "native", "native": {"path": "../shared/board", "states": {"ready": "Todo"}}}`,
	} {
		if _, violations := config.Parse([]byte(text), ""); violations != nil {
			t.Errorf("%s: %v", text, violations)
		}
	}
}

func TestParseBoundsItsAnswer(t *testing.T) {
	t.Parallel()
	text := `{"platform": "native"` + strings.Repeat(`, "unknown": 1`, 60_000) + "}"
	_, violations := config.Parse([]byte(text), "")
	if n := len(violations); n != 201 || violations[n-1].Message != "has more faults than these 200" {
		t.Errorf("%d violations, the last %v", n, violations[n-1])
	}
}

// FuzzParse asks that any text is either a complete configuration or has at
// least one violation, whose place lies inside the text, and that what was
// read reads the same again.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		linear, config.Minimal, "", "{", "\xef\xbb\xbf{}", `{"platform": 1}`, `{"platform":"native","loop":{"pollSeconds":1e999}}`,
		`{"platform":"native","agents":{"":{},"a":{"kind":"script"}}}`, `{"pulls":{"checks":[null]}}`, "{}\x00", `{"\ud800":1}`,
		`{"platform":"native","platform":[[]]}`,
	} {
		f.Add([]byte(s), "")
	}
	f.Add([]byte(config.Minimal), "github")
	f.Fuzz(func(t *testing.T, data []byte, platform string) {
		c, violations := config.Parse(data, platform)
		if (c == nil) != (len(violations) > 0) {
			t.Fatalf("configuration %v beside violations %v", c, violations)
		}
		lines := strings.Count(string(data), "\n") + 1
		for _, v := range violations {
			if v.Message == "" || v.Line < 0 || v.Line > lines || v.Column > len(data)+1 || (v.Line > 0) != (v.Column > 0) {
				t.Errorf("violation %+v of a text of %d lines", v, lines)
			}
		}
		if c == nil {
			return
		}
		text, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, violations := config.Parse(text, "")
		if violations != nil {
			t.Fatalf("a complete configuration has violations: %v\n%s", violations, text)
		}
		if diff := cmp.Diff(c, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}
