package gitapp_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/internal/fake/github"
)

// forge is a fake GitHub with one App on acme/widgets, and the App's key.
type forge struct {
	fake *github.Server
	url  string
	key  string // PEM
	dir  string // of secrets
	now  time.Time
}

// appKey and strangersKey are made once: that takes a while.
var (
	appKey       = sync.OnceValue(makeKey)
	strangersKey = sync.OnceValue(makeKey)
)

func makeKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

func newForge(t *testing.T) *forge {
	t.Helper()
	key := appKey()
	f := &forge{dir: t.TempDir(), now: time.Date(2026, 8, 27, 14, 5, 0, 0, time.UTC)}
	f.fake = github.New(github.Options{Now: func() time.Time { return f.now }})
	f.fake.AddApp(github.App{
		ID: 111111, Slug: "acme-developer", Key: &key.PublicKey, Installation: 10000001, Account: "acme",
		Repositories: []string{"widgets"}, Permissions: map[string]string{"contents": "write", "pull_requests": "write", "metadata": "read"},
	}, 100000001)
	f.key = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
	if err := os.WriteFile(filepath.Join(f.dir, "acme-developer.private-key.pem"), []byte(f.key), 0o600); err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(f.fake)
	t.Cleanup(srv.Close)
	f.url = srv.URL
	return f
}

func (f *forge) at(off time.Duration, env map[string]string) *gitapp.Forge {
	return &gitapp.Forge{
		API: f.url, Repository: "acme/widgets", Now: func() time.Time { return f.now.Add(off) },
		Keys: gitapp.Keys{Getenv: func(n string) string { return env[n] }, Secrets: f.dir},
	}
}

func app() *gitapp.App {
	return &gitapp.App{
		Role: "developer", AppID: 111111, InstallationID: 10000001, Slug: "acme-developer",
		BotLogin: "acme-developer[bot]", BotUserID: 100000001,
		KeyEnvVar: "APP_KEY", KeyFile: "acme-developer.private-key.pem",
	}
}

// A token is minted per call, with the key from the variable before the file,
// and lasts an hour.
func TestMint(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	for name, env := range map[string]map[string]string{
		"from the file":      nil,
		"from the variable":  {"APP_KEY": f.key},
		"variable, one line": {"APP_KEY": strings.ReplaceAll(f.key, "\n", `\n`)},
	} {
		before := f.fake.Minted()
		token, err := f.at(0, env).Mint(t.Context(), app())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(token.Text) < 100 || !token.Expires.Equal(f.now.Add(time.Hour)) || f.fake.Minted() != before+1 {
			t.Errorf("%s: %d characters until %s, %d minted", name, len(token.Text), token.Expires, f.fake.Minted()-before)
		}
		if shown := fmt.Sprintf("%v %+v %#v %s", token, token, token, token); strings.Contains(shown, token.Text) {
			t.Errorf("%s: printing a token shows it", name)
		}
	}
}

// What is refused says which setting to mend, and holds nothing secret
// (issue list of bad input; SYMPTOMS.md, GitHub 29).
func TestMintRefused(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		clock  time.Duration
		env    map[string]string
		change func(*forge, *gitapp.App)
		want   string
	}{
		"clock early":     {clock: 3 * time.Minute, want: "3m0s ahead of GitHub's"},
		"clock late":      {clock: -12 * time.Minute, want: "12m0s behind GitHub's"},
		"a minute is ok":  {clock: 59 * time.Second},
		"late a bit":      {clock: -8 * time.Minute},
		"no key":          {change: func(_ *forge, a *gitapp.App) { a.KeyFile = "gone.pem" }, want: "into $APP_KEY"},
		"key is a folder": {change: func(_ *forge, a *gitapp.App) { a.KeyFile = "." }, want: "a folder"},
		"no PEM":          {env: map[string]string{"APP_KEY": "hunter2"}, want: "$APP_KEY: it is no RSA private key"},
		"another key": {change: func(f *forge, _ *gitapp.App) {
			f.fake.Change(111111, func(a *github.App) { a.Key = &strangersKey().PublicKey })
		}, want: "githubApps.developer.appId"},
		"another App":          {change: func(_ *forge, a *gitapp.App) { a.AppID = 5 }, want: "not one of App 5"},
		"another installation": {change: func(_ *forge, a *gitapp.App) { a.InstallationID = 5 }, want: "githubApps.developer.installationId"},
		"not on the repository": {change: func(f *forge, _ *gitapp.App) {
			f.fake.Change(111111, func(a *github.App) { a.Repositories = nil })
		}, want: "not installed on acme/widgets"},
		"suspended": {change: func(f *forge, _ *gitapp.App) {
			f.fake.Change(111111, func(a *github.App) { a.Suspended = true })
		}, want: "unsuspend"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, a := newForge(t), app()
			if tc.change != nil {
				tc.change(f, a)
			}
			_, err := f.at(tc.clock, tc.env).Mint(t.Context(), a)
			switch {
			case tc.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Errorf("err = %v, want %q", err, tc.want)
			}
			if err != nil && (strings.Contains(err.Error(), "PRIVATE KEY-----M") || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "eyJ")) {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

// TestSymptom29ClockSkew: AmadeusITGroup/gh-app-auth#58,
// actions/create-github-app-token#178. What proves the App was made a minute
// ago and lasts nine more, so that a clock that is a little off does not
// matter; one that is further off is said to be.
func TestSymptom29ClockSkew(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	proof := make(chan string, 1)
	spy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proof <- strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		f.fake.ServeHTTP(w, r)
	}))
	t.Cleanup(spy.Close)
	f.url = spy.URL
	if _, err := f.at(0, nil).Mint(t.Context(), app()); err != nil {
		t.Fatal(err)
	}
	var c jwt.RegisteredClaims
	if _, _, err := jwt.NewParser().ParseUnverified(<-proof, &c); err != nil {
		t.Fatal(err)
	}
	if back, ahead := f.now.Sub(c.IssuedAt.Time), c.ExpiresAt.Sub(f.now); back != time.Minute || ahead != 9*time.Minute || c.Issuer != "111111" {
		t.Errorf("issued %s ago by %s, lasts %s", back, c.Issuer, ahead)
	}
	_, err := f.at(90*time.Second, nil).Mint(t.Context(), app())
	<-proof
	if err == nil || !strings.Contains(err.Error(), "this machine's clock is wrong: it is 1m30s ahead of GitHub's; set it") {
		t.Errorf("err = %v", err)
	}
}

func TestMintWithoutNetwork(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	f.url = "http://127.0.0.1:1"
	_, err := f.at(0, nil).Mint(t.Context(), app())
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") || strings.Contains(err.Error(), "eyJ") {
		t.Errorf("err = %v", err)
	}
}

// A redirect to another host does not take the token along.
func TestTokenStaysHome(t *testing.T) {
	t.Parallel()
	f := newForge(t)
	carried := make(chan string, 1)
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		carried <- r.Header.Get("Authorization")
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(other.Close)
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(home.Close)
	f.url = home.URL
	if _, err := f.at(0, nil).Mint(t.Context(), app()); err == nil {
		t.Error("a token came from somewhere")
	}
	if got := <-carried; got != "" {
		t.Errorf("the other host got %.10q…", got)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	f, a := newForge(t), app()
	in, err := f.at(0, nil).Inspect(t.Context(), a)
	if err != nil || len(in.Missing)+len(in.Faults) != 0 {
		t.Fatalf("%+v, %v", in, err)
	}
	if in.Email != "100000001+acme-developer[bot]@users.noreply.github.com" || in.Account != "acme" || in.Permissions["contents"] != "write" {
		t.Errorf("%+v", in)
	}
	f.fake.Change(111111, func(a *github.App) {
		a.Slug, a.Account, a.Permissions = "acme-dev", "acme-fork", map[string]string{"contents": "read", "pull_requests": "write"}
	})
	a.BotUserID = 7
	in, err = f.at(0, nil).Inspect(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Join(in.Missing, ";") != "contents: write" {
		t.Errorf("missing %q", in.Missing)
	}
	all := strings.Join(in.Faults, "\n")
	for _, want := range []string{"githubApps.developer.slug", "installed on acme-fork", "githubApps.developer.botUserId says 7"} {
		if !strings.Contains(all, want) {
			t.Errorf("faults lack %q: %s", want, all)
		}
	}
	if _, err := f.at(0, nil).Inspect(t.Context(), &gitapp.App{Role: "reviewer", KeyEnvVar: "X", KeyFile: "gone"}); !errors.Is(err, gitapp.ErrNoKey) {
		t.Errorf("err = %v", err)
	}
}
