package claude

import (
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/workers"
)

// EnvOptions are what a worker's environment is made from.
type EnvOptions = workers.EnvOptions

// Env is the environment of a worker that runs Claude Code: that of every
// worker, and the model's credential and settings, which nothing but an agent
// gets. What marks a process as part of another session of Claude Code is left
// out, so that a dispatcher started from inside of one works.
func Env(o EnvOptions) []string {
	o.Allow = append(slices.Clone(o.Allow), isModelVariable)
	// An update in the middle of a run would replace the program under it.
	o.Set = append([]string{"DISABLE_AUTOUPDATER=1"}, o.Set...)
	return workers.Env(o)
}

// modelPrefixes begin the names of variables that choose a model, say where it
// is, or pay for it.
var modelPrefixes = []string{
	"ANTHROPIC_",
	"CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_DISABLE_", "CLAUDE_CODE_ENABLE_", "CLAUDE_CODE_MAX_", "CLAUDE_CODE_OAUTH_",
	"DISABLE_", // telemetry and error reports
	"AWS_", "GOOGLE_", "CLOUD_ML_", "VERTEX_", "AZURE_",
}

// modelNames are such variables by their whole name.
var modelNames = []string{
	"CLAUDE_CONFIG_DIR", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS", "CLAUDE_CODE_SUBAGENT_MODEL",
	"API_TIMEOUT_MS", "BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS", "BASH_MAX_OUTPUT_LENGTH",
	"MAX_THINKING_TOKENS", "MAX_MCP_OUTPUT_TOKENS", "MCP_TIMEOUT", "MCP_TOOL_TIMEOUT", "GCLOUD_PROJECT",
	"IS_SANDBOX", // lets the program work as root
}

// isModelVariable says whether the agent gets the variable. A cloud's own
// credentials are let through only where the model is reached through it.
func isModelVariable(name string, all func(string) string) bool {
	if slices.Contains(modelNames, name) {
		return true
	}
	for _, p := range modelPrefixes {
		if !strings.HasPrefix(name, p) {
			continue
		}
		switch p {
		case "AWS_":
			return all("CLAUDE_CODE_USE_BEDROCK") != ""
		case "GOOGLE_", "CLOUD_ML_", "VERTEX_":
			return all("CLAUDE_CODE_USE_VERTEX") != ""
		case "AZURE_":
			return all("CLAUDE_CODE_USE_FOUNDRY") != ""
		}
		return true
	}
	return false
}
