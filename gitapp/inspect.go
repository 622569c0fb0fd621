package gitapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/go-github/v88/github"
)

// Needed are the permissions that the work of an App takes
// (dispatcher-system.md, Platform setup facts, GitHub Apps).
func Needed(role string) map[string]string {
	if role == "reviewer" {
		return map[string]string{"pull_requests": "write"}
	}
	return map[string]string{"contents": "write", "pull_requests": "write"}
}

// Missing lists what of the needed permissions is not granted, sorted.
func Missing(role string, granted map[string]string) []string {
	var out []string
	for name, want := range Needed(role) {
		if got := granted[name]; got != want && got != "admin" {
			out = append(out, name+": "+want)
		}
	}
	slices.Sort(out)
	return out
}

// Advised are the permissions, by the names that GitHub's settings use, without
// which an App does its work and the state of checks cannot be seen.
func Advised() []string { return []string{"checks", "statuses"} }

// advisedWords are they as GitHub's pages write them.
var advisedWords = map[string]string{"checks": "Checks (read)", "statuses": "Commit statuses (read)"}

// Unadvised says in GitHub's words which of the advised permissions are not
// granted, in their order: `Checks (read)`.
func Unadvised(granted map[string]string) []string {
	var out []string
	for _, name := range Advised() {
		if granted[name] == "" {
			out = append(out, advisedWords[name])
		}
	}
	return out
}

// Inspection is what can be told of an App and its installation.
type Inspection struct {
	Role        string            `json:"role"`
	Slug        string            `json:"slug"`
	AppID       int64             `json:"appId"`
	Account     string            `json:"account"`      // where it is installed
	Selection   string            `json:"repositories"` // all or selected
	Permissions map[string]string `json:"permissions"`
	Missing     []string          `json:"missing"` // permissions that the work takes and that are not there
	Advised     []string          `json:"advised"` // those that are not there and without which checks are unknown
	BotLogin    string            `json:"botLogin"`
	BotUserID   int64             `json:"botUserId"` // as GitHub has it; 0 when it was not told
	Email       string            `json:"email"`     // of its commits
	Expires     time.Time         `json:"tokenExpires"`
	// Faults are contradictions between the configuration and GitHub.
	Faults []string `json:"faults"`
}

// Inspect asks GitHub about an App: who it is, where it is installed, what it
// may, and whether the configuration says the same.
func (f *Forge) Inspect(ctx context.Context, a *App) (Inspection, error) {
	in := Inspection{
		Role: a.Role, Slug: a.Slug, AppID: a.AppID, BotLogin: a.BotLogin, Email: a.Identity().Email,
		Missing: []string{}, Advised: []string{}, Faults: []string{},
	}
	c, err := f.asApp(a)
	if err != nil {
		return in, err
	}
	app, resp, err := c.Apps.Get(ctx, "")
	if err != nil {
		return in, fmt.Errorf("ask GitHub who the %s App is: %w", a.Role, f.explain(a, resp, err))
	}
	if slug := app.GetSlug(); slug != a.Slug {
		in.Faults = append(in.Faults, fmt.Sprintf("App %d is %s, and githubApps.%s.slug says %s", a.AppID, slug, a.Role, a.Slug))
	}
	inst, resp, err := c.Apps.GetInstallation(ctx, a.InstallationID)
	if err != nil {
		return in, fmt.Errorf("ask GitHub for the installation of %s: %w", a.Slug, f.explain(a, resp, err))
	}
	in.Account, in.Selection = inst.GetAccount().GetLogin(), inst.GetRepositorySelection()
	in.Permissions = permissions(inst.Permissions)
	in.Missing = append(in.Missing, Missing(a.Role, in.Permissions)...)
	in.Advised = append(in.Advised, Unadvised(in.Permissions)...)
	if !strings.EqualFold(in.Account, f.Owner()) {
		in.Faults = append(in.Faults, fmt.Sprintf("it is installed on %s, and the repository is %s", in.Account, f.Repository))
	}
	client, token, err := f.Client(ctx, a)
	if err != nil {
		return in, err
	}
	in.Expires = token.Expires
	return in, f.inspectBot(ctx, client, a, &in)
}

// inspectBot compares the account of the App. GET /user is closed to Apps, so
// the account is asked for by name.
func (f *Forge) inspectBot(ctx context.Context, c *github.Client, a *App, in *Inspection) error {
	user, resp, err := c.Users.Get(ctx, a.BotLogin)
	if err != nil && resp != nil && resp.StatusCode == http.StatusNotFound {
		in.Faults = append(in.Faults, fmt.Sprintf("GitHub knows no account %s (githubApps.%s.botLogin)", a.BotLogin, a.Role))
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask GitHub for the account %s: %w", a.BotLogin, f.explain(a, resp, err))
	}
	in.BotUserID = user.GetID()
	if in.BotUserID != a.BotUserID {
		in.Faults = append(in.Faults, fmt.Sprintf("the id of %s is %d, and githubApps.%s.botUserId says %d: commits are attributed to somebody else",
			a.BotLogin, in.BotUserID, a.Role, a.BotUserID))
	}
	return nil
}

// permissions are the granted ones by the names that GitHub's settings use.
func permissions(p *github.InstallationPermissions) map[string]string {
	out := map[string]string{}
	if p == nil {
		return out
	}
	data, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return map[string]string{}
	}
	return out
}

// Denied says that GitHub refused for want of a permission, and which would do
// where GitHub tells.
func Denied(err error) (string, bool) {
	refused, ok := errors.AsType[*github.ErrorResponse](err)
	if !ok || refused.Response == nil || refused.Response.StatusCode != http.StatusForbidden ||
		!strings.Contains(refused.Message, "Resource not accessible by") {
		return "", false
	}
	return refused.Response.Header.Get("X-Accepted-Github-Permissions"), true
}
