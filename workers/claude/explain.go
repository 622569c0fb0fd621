package claude

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/limit"
)

var _ workers.Explainer = Agent{}

// Explain tells the troubles of Claude Code (claude/README.md, sections 3 to
// 5): what no second try can help, with the way out, and what only waiting can.
func (a Agent) Explain(e workers.Ending) workers.Meaning {
	if e.Result != nil {
		return explainResult(e.Result)
	}
	if e.Code <= 0 {
		return workers.Meaning{} // it was killed, or says that all is well
	}
	// A line of the protocol that a crash cut off quotes whatever a tool said.
	e.Said = outsideProtocol(e.Said)
	for _, words := range []string{e.Words, e.Said} {
		if until, ok := limit.Last(words, e.At); ok {
			return workers.Meaning{Trouble: workers.TroubleLimit, Until: until}
		}
	}
	if e.Began {
		return workers.Meaning{}
	}
	for _, x := range startTroubles() {
		if found := x.form.FindString(e.Words + "\n" + e.Said); found != "" {
			return workers.Meaning{Trouble: x.trouble, Text: fmt.Sprintf(x.text, oneLine(found))}
		}
	}
	return workers.NotRunnable(e)
}

// outsideProtocol is a text without the lines that are of the protocol, or were
// to be.
func outsideProtocol(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "{") {
			b.WriteString(line)
		}
	}
	return b.String()
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
	}
})

const logIn = "log in with `claude /login` as the user who runs dispatcher, or set ANTHROPIC_API_KEY for it"

func explainResult(r *workers.Result) workers.Meaning {
	if !r.IsError {
		return workers.Meaning{}
	}
	if r.Limited {
		return workers.Meaning{Trouble: workers.TroubleLimit, Until: r.LimitUntil}
	}
	said := oneLine(r.Text)
	switch r.Subtype {
	case "error_max_budget_usd":
		return workers.Meaning{Trouble: workers.TroubleSpent, Text: fmt.Sprintf("it used up what one run may cost (%s): raise limits.maxCostPerRunUSD, or split the issue", firstError(r))}
	case "error_max_turns":
		return workers.Meaning{Trouble: workers.TroubleSpent, Text: fmt.Sprintf("it used up its turns (%s): raise the limit of turns, or split the issue", firstError(r))}
	case "error_during_execution":
		for _, e := range r.Errors {
			if strings.Contains(strings.ToLower(e), "no conversation found") {
				return workers.Meaning{Trouble: workers.TroubleSession, Text: "the session is gone (" + oneLine(e) + ")"}
			}
		}
		return workers.Meaning{}
	}
	if r.Terminal != "api_error" {
		return workers.Meaning{}
	}
	trouble, text := explainAPI(r.Status, r.Code, said)
	return workers.Meaning{Trouble: trouble, Text: text}
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
