package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	gogithub "github.com/google/go-github/v88/github"
	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/gitapp"
	"github.com/backside4charter/dispatcher/gitapp/pulls"
	"github.com/backside4charter/dispatcher/internal/ghapi"
	"github.com/backside4charter/dispatcher/internal/gqlanswer"
)

// Options are what the pull requests of a repository are opened with.
type Options struct {
	Forge     *gitapp.Forge
	GraphQL   string // URL; beside the REST API if empty
	Developer *gitapp.App
	Reviewer  *gitapp.App
	// AsReviewer is set in a reviewer's process, which may have no other key: it
	// reads as the reviewer App too. Every other one reads as the developer App.
	AsReviewer bool
	BotIDs     []int64 // further accounts that are no persons
	// Trusts says whether a person's review counts; association is what GitHub
	// says they are to the repository. Nil is ghapi.Insider's rule.
	Trusts  func(login, association string) bool
	History pulls.History
	Remote  string // name of the remote; empty where there is none
	Base    string // default branch
	// Owner answers a token of the person's own login, for a review of theirs;
	// nil where there is none.
	Owner func(ctx context.Context) (string, error)
	Now   func() time.Time
	// Pause waits between two looks at something that GitHub does later.
	Pause func(ctx context.Context, d time.Duration) error
}

// Store is the pull requests of one repository on GitHub.
type Store struct {
	pulls.ByName
	o    Options
	gate *ghapi.Gate
	dev  *api
	rev  *api
	read *api // one of both

	mu        sync.Mutex
	known     map[string]known // by node id
	apart     map[pair]int     // how far behind a head is
	settled   []markWire       // those that ended, what changed last first
	settledAt time.Time        // when the first of them had changed

	noChecks atomic.Bool // the App may not list check runs
	unseen   unseen
}

// api is GitHub as one App.
type api struct {
	app  *gitapp.App
	rest *gogithub.Client
	gql  *graphql.Client
}

// Open makes a store; nothing is asked before the first call.
func Open(o Options) (*Store, error) {
	if o.Trusts == nil {
		o.Trusts = func(_, association string) bool { return ghapi.Insider(association) }
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	s := &Store{
		o: o, gate: &ghapi.Gate{Now: o.Now},
		known: map[string]known{}, apart: map[pair]int{},
	}
	s.ByName = pulls.NewByName(o.History, s.at)
	var err error
	if s.dev, err = s.as(o.Developer); err != nil {
		return nil, err
	}
	if s.rev, err = s.as(o.Reviewer); err != nil {
		return nil, err
	}
	s.read = s.dev
	if o.AsReviewer {
		s.read = s.rev
	}
	return s, nil
}

func (s *Store) as(a *gitapp.App) (*api, error) {
	return s.client(a, &ghapi.Session{Now: s.o.Now, Mint: func(ctx context.Context) (ghapi.Token, error) {
		t, err := s.o.Forge.Mint(ctx, a)
		if err == nil && (a == s.o.Reviewer) == s.o.AsReviewer {
			s.granted(t.Permissions)
		}
		return ghapi.Token{Text: t.Text, Expires: t.Expires}, err
	}})
}

func (s *Store) client(a *gitapp.App, ses *ghapi.Session) (*api, error) {
	base := strings.TrimSuffix(s.o.Forge.API, "/")
	if base == "" {
		base = "https://api.github.com"
	}
	home, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("reach GitHub at %q: %w", base, err)
	}
	next := s.o.Forge.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	t := &ghapi.Transport{Host: home.Host, Session: ses, Gate: s.gate, Next: next}
	slash := base + "/"
	again := &ghapi.Again{Suffix: "/check-runs", Most: checksKept, Next: t}
	rest, err := gogithub.NewClient(gogithub.WithTransport(again), gogithub.WithURLs(&slash, nil), gogithub.WithTimeout(time.Minute),
		gogithub.WithDisableRateLimitCheck()) // the gate is ours, for both APIs
	if err != nil {
		return nil, fmt.Errorf("reach GitHub at %q: %w", base, err)
	}
	gql := s.o.GraphQL
	if gql == "" {
		gql = strings.TrimSuffix(base, "/v3") + "/graphql" // an Enterprise Server has both below /api
	}
	return &api{app: a, rest: rest, gql: graphql.NewClient(gql, &http.Client{Transport: &gqlanswer.Transport{Next: t}, Timeout: time.Minute})}, nil
}

// checksKept is how much of GitHub's lists of check runs is kept, in bytes: a
// run is about 4 kB of JSON.
const checksKept = 8 << 20

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (s *Store) owner() string { return s.o.Forge.Owner() }
func (s *Store) name() string  { return s.o.Forge.Name() }

// number is the pull request's, by its name, number or URL.
func (s *Store) number(name string) (int, error) {
	if u, err := url.Parse(name); err == nil && u.Host != "" {
		if rest, ours := strings.CutPrefix(u.Path, "/"+s.o.Forge.Repository+"/pull/"); ours {
			name, _, _ = strings.Cut(rest, "/")
		}
	}
	return pulls.ParseName(name)
}

// plain turns what a client library says into words of ours: what was refused,
// for want of what, or why nothing was asked.
func (s *Store) plain(err error) error {
	if err == nil {
		return nil
	}
	if l, ok := errors.AsType[*ghapi.LimitError](err); ok {
		return l
	}
	if err := s.gate.Open(); err != nil {
		return err // this answer shut it
	}
	if t, ok := errors.AsType[*ghapi.TokenError](err); ok {
		return t.Err
	}
	if needed, ok := gitapp.Denied(err); ok {
		if needed == "" {
			return &said{lacksSome, err}
		}
		return &said{"the App lacks the permission " + needed + "; grant it in the App's settings and accept it in the installation", err}
	}
	if strings.Contains(err.Error(), notAccessible) { // GraphQL does not say for want of which
		return &said{lacksSome, err}
	}
	if status, page := ghapi.Page(err.Error()); page {
		return &said{ghapi.NoAnswer(status), err}
	}
	if e, ok := errors.AsType[*gogithub.ErrorResponse](err); ok && e.Response != nil {
		if e.Response.StatusCode >= http.StatusInternalServerError {
			return &said{ghapi.NoAnswer(e.Response.Status), err}
		}
		return &said{fmt.Sprintf("GitHub answered %d: %s%s", e.Response.StatusCode, e.Message, details(e)), err}
	}
	if errors.Is(err, gqlanswer.ErrNone) || errors.Is(err, errNoAnswer) {
		return &said{ghapi.NoAnswer("200 OK"), err}
	}
	if _, torn := errors.AsType[*url.Error](err); torn {
		return fmt.Errorf("GitHub cannot be reached: %w", err)
	}
	return fmt.Errorf("ask GitHub: %w", err)
}

const lacksSome = "the App lacks a permission for it (GitHub: " + notAccessible + "); `dispatcher identity` lists them"

// errNoAnswer is what the REST API answered with status 200 and without what its
// answer always holds: a proxy's own JSON.
var errNoAnswer = errors.New("the answer is not GitHub's")

// said is an error of a client library in our words alone.
type said struct {
	text string
	err  error
}

func (e *said) Error() string { return e.text }

func (e *said) Unwrap() error { return e.err }

func details(e *gogithub.ErrorResponse) string {
	var all []string
	for _, d := range e.Errors {
		if d.Message != "" {
			all = append(all, d.Message)
		} else if d.Field != "" {
			all = append(all, d.Field+" is "+d.Code)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return " (" + strings.Join(all, "; ") + ")"
}

// status is the code of a refused REST request; 0 for any other error.
func status(err error) int {
	if e, ok := errors.AsType[*gogithub.ErrorResponse](err); ok && e.Response != nil {
		return e.Response.StatusCode
	}
	return 0
}

// isAgent says whether an account is one of those that are configured as no
// person's.
func (s *Store) isAgent(a *actorWire) bool {
	return a.User.DatabaseID != nil && slices.Contains(s.o.BotIDs, *a.User.DatabaseID)
}

var _ pulls.Forge = (*Store)(nil)
