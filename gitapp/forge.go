package gitapp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/go-github/v88/github"

	"github.com/backside4charter/dispatcher/internal/ghapi"
)

// requestWithin bounds one request to GitHub.
const requestWithin = 30 * time.Second

// Forge is GitHub as the Apps see it. Tokens are minted per call and never
// kept (dispatcher-system.md, Agent identities).
type Forge struct {
	API        string // base URL of the REST API; empty is github.com's
	Repository string // owner/name: the only one that tokens reach
	Keys       Keys
	Now        func() time.Time
	Transport  http.RoundTripper // nil is the default one
}

// Token is an installation token. Its text has no fixed length or form.
type Token struct {
	Text    string
	Expires time.Time
	// Permissions are what it may, by name: read, write or admin.
	Permissions map[string]string
}

// String keeps the token out of whatever is printed.
func (Token) String() string { return "a token (not shown)" }

// GoString is String.
func (t Token) GoString() string { return t.String() }

// Owner and Name are the two halves of the repository.
func (f *Forge) Owner() string { o, _, _ := strings.Cut(f.Repository, "/"); return o }

// Name is the repository without its owner.
func (f *Forge) Name() string { _, n, _ := strings.Cut(f.Repository, "/"); return n }

// Mint makes a token of the App that reaches the repository and lasts an hour
// at most.
func (f *Forge) Mint(ctx context.Context, a *App) (Token, error) {
	c, err := f.asApp(a)
	if err != nil {
		return Token{}, err
	}
	got, resp, err := c.Apps.CreateInstallationToken(ctx, a.InstallationID,
		&github.InstallationTokenOptions{Repositories: []string{f.Name()}})
	if err != nil {
		return Token{}, fmt.Errorf("get a token for the %s App %s: %w", a.Role, a.Slug, f.explain(a, resp, err))
	}
	if got.GetToken() == "" {
		return Token{}, fmt.Errorf("get a token for the %s App %s: GitHub answered without one", a.Role, a.Slug)
	}
	return Token{Text: got.GetToken(), Expires: got.GetExpiresAt().Time, Permissions: permissions(got.Permissions)}, nil
}

// Client is GitHub as the App, with a token minted for it.
func (f *Forge) Client(ctx context.Context, a *App) (*github.Client, Token, error) {
	t, err := f.Mint(ctx, a)
	if err != nil {
		return nil, Token{}, err
	}
	c, err := f.client(t.Text)
	return c, t, err
}

// asApp is GitHub as the App itself, which may little more than mint.
func (f *Forge) asApp(a *App) (*github.Client, error) {
	key, err := f.Keys.Key(a)
	if err != nil {
		return nil, err
	}
	proof, err := sign(a, key, f.Now())
	if err != nil {
		return nil, err
	}
	return f.client(proof)
}

func (f *Forge) client(token string) (*github.Client, error) {
	opts := []github.ClientOptionsFunc{
		github.WithTimeout(requestWithin), github.WithUserAgent("dispatcher"), github.WithAuthToken(token),
	}
	base := cmp.Or(strings.TrimSuffix(f.API, "/"), defaultAPI) + "/"
	home, err := url.Parse(base)
	if err != nil || home.Host == "" {
		return nil, fmt.Errorf("reach GitHub: %q is no URL of an API", f.API)
	}
	through := f.Transport
	if through == nil {
		through = http.DefaultTransport
	}
	opts = append(opts, github.WithURLs(&base, nil), github.WithTransport(homebound{home.Host, through}))
	c, err := github.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("reach GitHub at %s: %w", f.API, err)
	}
	return c, nil
}

// defaultAPI is github.com's REST API.
const defaultAPI = "https://api.github.com"

// homebound keeps a token from following a redirect to another host.
type homebound struct {
	host    string
	through http.RoundTripper
}

func (h homebound) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != h.host {
		r = r.Clone(r.Context())
		r.Header.Del("Authorization")
	}
	return h.through.RoundTrip(r)
}

// ForgeError is what GitHub refused, in words, with the way out.
type ForgeError struct {
	Status int
	Says   string // what GitHub said
	Means  string // what that means here; may be empty
	err    error
}

func (e *ForgeError) Error() string {
	if e.Says == "" {
		return e.Means
	}
	if e.Means == "" {
		return fmt.Sprintf("GitHub answered %d: %s", e.Status, e.Says)
	}
	return fmt.Sprintf("%s (GitHub answered %d: %s)", e.Means, e.Status, e.Says)
}

func (e *ForgeError) Unwrap() error { return e.err }

// explain turns a refused request of the App into words.
func (f *Forge) explain(a *App, resp *github.Response, err error) error {
	if resp != nil && resp.Response != nil {
		if limit := ghapi.Limited(resp.StatusCode, resp.Header, err.Error(), f.Now()); limit != nil {
			return limit
		}
	}
	refused, ok := errors.AsType[*github.ErrorResponse](err)
	if !ok || resp == nil || resp.Response == nil {
		return unreachable(err)
	}
	e := &ForgeError{Status: resp.StatusCode, Says: refused.Message, err: err}
	if e.Says == "" {
		e.Says = http.StatusText(e.Status)
	}
	switch {
	case e.Status >= http.StatusInternalServerError:
		e.Means, e.Says = ghapi.NoAnswer(resp.Status), "" // a page from in front of GitHub
	case e.Status == http.StatusUnauthorized && aboutClock(e.Says):
		e.Means = "this machine's clock is wrong" + skew(resp.Header.Get("Date"), f.Now())
	case e.Status == http.StatusUnauthorized:
		e.Means = fmt.Sprintf("the private key is not one of App %d: check githubApps.%s.appId and the key", a.AppID, a.Role)
	case e.Status == http.StatusNotFound:
		e.Means = fmt.Sprintf("App %s has no installation %d: install it on %s and take the id from the installation's URL (githubApps.%s.installationId)",
			a.Slug, a.InstallationID, f.Owner(), a.Role)
	case e.Status == http.StatusForbidden && strings.Contains(strings.ToLower(e.Says), "suspended"):
		e.Means = fmt.Sprintf("the installation of App %s is suspended: unsuspend it in the settings of %s", a.Slug, f.Owner())
	case e.Status == http.StatusUnprocessableEntity:
		e.Means = fmt.Sprintf("App %s is not installed on %s: give its installation access to the repository, or mend `repository` if it was renamed", a.Slug, f.Repository)
	}
	return e
}

// unreachable keeps the address of a failed request, and nothing of its header.
func unreachable(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return fmt.Errorf("GitHub cannot be reached: %s %s: %w", u.Op, u.URL, u.Err)
	}
	return err
}

// aboutClock recognises GitHub's words about the times in a JWT.
func aboutClock(says string) bool {
	return strings.Contains(says, "'Issued at' claim") || strings.Contains(says, "'Expiration time' claim")
}

// skew says how far the clock is off, from the date of an answer.
func skew(date string, now time.Time) string {
	theirs, err := http.ParseTime(date)
	if err != nil {
		return ": set it"
	}
	off := now.Sub(theirs).Round(time.Second)
	if off < 0 {
		return fmt.Sprintf(": it is %s behind GitHub's; set it", -off)
	}
	return fmt.Sprintf(": it is %s ahead of GitHub's; set it", off)
}
