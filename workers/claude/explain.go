package claude

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/backside4charter/dispatcher/workers"
)

var _ workers.Explainer = Agent{}

// Explain tells the troubles of Claude Code (claude/README.md, sections 3 to
// 5): what no second try can help, with the way out, and what only waiting can.
func (a Agent) Explain(e workers.Ending) (workers.Trouble, string) {
	if e.Result != nil {
		return explainResult(e.Result)
	}
	if e.Began || e.Code <= 0 {
		return workers.TroubleNone, "" // it ended in the middle, or was killed
	}
	words := e.Words
	for _, x := range startTroubles() {
		if found := x.form.FindString(words); found != "" {
			return x.trouble, fmt.Sprintf(x.text, oneLine(found))
		}
	}
	return workers.TroubleNone, ""
}

// startTrouble is a reason for which the program ends before its first turn,
// as it says so on standard error.
type startTrouble struct {
	form    *regexp.Regexp
	trouble workers.Trouble
	text    string // with what was found
}

var startTroubles = sync.OnceValue(func() []startTrouble {
	form := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?im)` + s) }
	return []startTrouble{
		{form(`no conversation found with session id.*$`), workers.TroubleSession, "the session is gone (%s)"},
		{form(`session id \S+ is already in use`), workers.TroubleSession, "%s"},
		{
			form(`^.*cannot be used with root.*$`), workers.TroubleSetup,
			"Claude Code refuses to run as root (%s): run dispatcher as another user, or set IS_SANDBOX=1 where that is safe",
		},
		{
			form(`^.*(?:not logged in|please run /login|invalid api key|oauth token).*$`), workers.TroubleSetup,
			"Claude Code is not logged in (%s): " + logIn,
		},
		{
			form(`^.*(?:error|invalid|cannot|failed).*settings.*$|^.*settings.*(?:not found|invalid|error).*$`), workers.TroubleSetup,
			"Claude Code does not take its settings (%s): mend the file that it names",
		},
		{
			form(`^.*(?:plugin|mcp-config|mcp config|not found\. available agents).*$`), workers.TroubleSetup,
			"Claude Code cannot load what it was told to (%s): mend its plugins, agents or MCP servers",
		},
		{
			form(`^.*(?:unknown option|option '[^']*' argument|missing required argument|too many arguments).*$`), workers.TroubleSetup,
			"this Claude Code does not know how it is started (%s): update it, `claude update`, and look at agents.<name> in the configuration",
		},
		{
			form(`^.*(?:command not found|no such file or directory.*(?:node|claude)|exec format error).*$`), workers.TroubleSetup,
			"Claude Code cannot be run (%s): install it, or name the program in agents.<name>.command",
		},
	}
})

const logIn = "log in with `claude /login` as the user who runs dispatcher, or set ANTHROPIC_API_KEY for it"

func explainResult(r *workers.Result) (workers.Trouble, string) {
	if !r.IsError {
		return workers.TroubleNone, ""
	}
	if r.Limited {
		return workers.TroubleLimit, ""
	}
	said := oneLine(r.Text)
	switch r.Subtype {
	case "error_max_budget_usd":
		return workers.TroubleSpent, fmt.Sprintf("it used up what one run may cost (%s): raise limits.maxCostPerRunUSD, or split the issue", firstError(r))
	case "error_max_turns":
		return workers.TroubleSpent, fmt.Sprintf("it used up its turns (%s): raise the limit of turns, or split the issue", firstError(r))
	case "error_during_execution":
		for _, e := range r.Errors {
			if strings.Contains(strings.ToLower(e), "no conversation found") {
				return workers.TroubleSession, "the session is gone (" + oneLine(e) + ")"
			}
		}
		return workers.TroubleNone, ""
	}
	if r.Terminal != "api_error" {
		return workers.TroubleNone, ""
	}
	return explainAPI(r.Status, r.Code, said)
}

// explainAPI tells what an answer of the model's service means. Status 0 is no
// answer at all.
func explainAPI(status int, code, said string) (workers.Trouble, string) {
	lower := strings.ToLower(said)
	switch {
	case strings.Contains(lower, "not logged in"), strings.Contains(lower, "/login"):
		return workers.TroubleSetup, fmt.Sprintf("Claude Code is not logged in (%s): %s", said, logIn)
	case strings.Contains(lower, "credit balance"), status == http.StatusPaymentRequired:
		return workers.TroubleSetup, fmt.Sprintf("the account cannot pay (%s): buy credit, or log in with another account", said)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return workers.TroubleSetup, fmt.Sprintf("the model's service refuses the login (%d: %s): %s", status, said, logIn)
	case status == http.StatusNotFound:
		return workers.TroubleSetup, fmt.Sprintf("there is no such model for this account (%s): name another one in agents.<name>.model", said)
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooManyRequests, status >= 500:
		return workers.TroubleBusy, fmt.Sprintf("the model's service does not keep up (%d: %s)", status, said)
	case status == 0 && (code == "connection_failed" || offline().MatchString(said)):
		return workers.TroubleBusy, fmt.Sprintf("the model's service cannot be reached (%s)", said)
	}
	return workers.TroubleNone, ""
}

// offline is what is said of a connection that failed.
var offline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|connection|timed out|timeout|network|socket|fetch failed)\b`)
})

func firstError(r *workers.Result) string {
	for _, e := range r.Errors {
		if e = oneLine(e); e != "" {
			return e
		}
	}
	return r.Terminal
}

// oneLine is a text as part of a sentence.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(workers.Clean(s, 300)), " ")
	return strings.TrimRight(s, ".")
}
