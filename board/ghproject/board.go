package ghproject

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shurcooL/graphql"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/moves"
	"github.com/backside4charter/dispatcher/internal/ghapi"
	"github.com/backside4charter/dispatcher/internal/gqlanswer"
)

// Options say where a board lies and what its owner named things.
type Options struct {
	URL   string                                    // of the GraphQL API; empty is github.com's
	Token func(ctx context.Context) (string, error) // the caller's own login

	Owner         string
	ProjectNumber int
	ProjectID     string
	Repository    string                // owner/name: only its issues are rows
	States        map[board.Role]string // option of each role; question may be missing
	StaleWindow   time.Duration

	StateDir  string            // where processes of this checkout tell each other what they moved
	Transport http.RoundTripper // nil is the default one
	Now       func() time.Time
	// Pause waits before a look at what became of a write: whether a claim
	// stands, or a comment is there; nil waits a random moment.
	Pause func(ctx context.Context) error
	// Spread is how much longer than GitHub asks for requests are held back, at
	// most the given time; nil is a random part of it.
	Spread func(time.Duration) time.Duration
	Log    *slog.Logger // nil logs nothing
}

// Board is one project. It is safe for use by several goroutines.
type Board struct {
	board.Telling

	o     Options
	gql   *graphql.Client
	gate  *ghapi.Gate
	moves *moves.Log

	mirror mirror
}

var _ board.Backend = (*Board)(nil)

// DefaultURL is where GitHub answers.
const DefaultURL = "https://api.github.com/graphql"

// Open makes the client. It asks nothing: what is wrong with the login, the
// project or its fields shows with the first read.
func Open(o Options) (*Board, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	home, err := url.Parse(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open the board: %w", err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Pause == nil {
		o.Pause = shortly
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	next := o.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	gate := &ghapi.Gate{Now: o.Now, Spread: o.Spread}
	t := &ghapi.Transport{Host: home.Host, Gate: gate, Next: next, Session: &ghapi.Session{
		Now: o.Now, Mint: func(ctx context.Context) (ghapi.Token, error) {
			text, err := o.Token(ctx)
			return ghapi.Token{Text: text}, err
		},
	}}
	return &Board{
		o: o, gate: gate, mirror: mirror{turn: make(chan struct{}, 1)}, moves: moves.Open(o.StateDir, "github-moves.jsonl"),
		gql: graphql.NewClient(o.URL, &http.Client{Transport: &gqlanswer.Transport{Next: t}, Timeout: time.Minute}),
	}, nil
}

// shortly waits a random moment: long enough for a rival's write to be seen.
func shortly(ctx context.Context) error {
	t := time.NewTimer(300*time.Millisecond + rand.N(700*time.Millisecond)) //nolint:gosec // it spreads, it hides nothing
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// virtualQuestion is the name of the question state where the project has no
// option for it.
const virtualQuestion = "Question"

// RoleState is the configured name of the role's option.
func (b *Board) RoleState(r board.Role) (string, bool) {
	name := b.o.States[r]
	if r == board.RoleQuestion && name == "" {
		name = virtualQuestion
	}
	return name, name != ""
}

func (b *Board) virtual() bool { return b.o.States[board.RoleQuestion] == "" }

var refForm = regexp.MustCompile(`^#?([1-9][0-9]{0,8})$`)

// ParseRef answers the canonical form of a ref: #480.
func (b *Board) ParseRef(s string) (board.Ref, error) {
	m := refForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return "", fmt.Errorf("%w: %s is no issue of this board; they look like #12", board.ErrNotFound, strconv.Quote(board.OneLine(s)))
	}
	return board.Ref("#" + m[1]), nil
}

func number(ref board.Ref) (int, error) { return strconv.Atoi(strings.TrimPrefix(string(ref), "#")) }

func (b *Board) now() time.Time { return b.o.Now().UTC() }

func (b *Board) owner() string { o, _, _ := strings.Cut(b.o.Repository, "/"); return o }

func (b *Board) repo() string { _, n, _ := strings.Cut(b.o.Repository, "/"); return n }

// query reads.
func (b *Board) query(ctx context.Context, q any, vars map[string]any) error {
	return b.plain(b.gql.Query(ctx, q, vars), false)
}

// mutate writes once. An answer that was lost is board.ErrUnknownOutcome.
func (b *Board) mutate(ctx context.Context, m any, vars map[string]any) error {
	b.mirror.writes.Add(1)
	defer b.mirror.writes.Add(1)
	return b.plain(b.gql.Mutate(ctx, m, vars), true)
}

// twice is mutate for what may be carried out twice: it is sent again, once, when
// its answer was lost.
func (b *Board) twice(ctx context.Context, m any, vars map[string]any) error {
	err := b.mutate(ctx, m, vars)
	if errors.Is(err, board.ErrUnknownOutcome) {
		err = board.StillUnknown(err, b.mutate(ctx, m, vars))
	}
	return err
}

// plain turns what the client library says into words, with the way out.
func (b *Board) plain(err error, write bool) error {
	if err == nil {
		return nil
	}
	if l, ok := errors.AsType[*ghapi.LimitError](err); ok {
		return l
	}
	if limit := b.gate.Open(); limit != nil {
		return limit
	}
	if t, ok := errors.AsType[*ghapi.TokenError](err); ok {
		return t.Err // nothing was sent
	}
	text := err.Error()
	if status, page := ghapi.Page(text); page {
		text = board.OneLine(status)
		err = errors.New(ghapi.NoAnswer(text))
	}
	_, torn := errors.AsType[*url.Error](err)
	if errors.Is(err, gqlanswer.ErrNone) {
		err = fmt.Errorf("%s: %w", ghapi.NoAnswer("200 OK"), gqlanswer.ErrNone)
		text, torn = err.Error(), false
	}
	switch {
	case strings.Contains(text, "required scopes"):
		return fmt.Errorf("your GitHub login lacks the scope for projects: `gh auth refresh -s project`: %w", err)
	case strings.Contains(text, "Resource not accessible by"):
		return fmt.Errorf("this token may not use the project; it takes your own login with the scope project (`gh auth refresh -s project`), or a token with it in GH_TOKEN: %w", err)
	case strings.HasPrefix(text, "401"), strings.Contains(text, "Bad credentials"):
		return fmt.Errorf("GitHub refuses the login: `gh auth login`, or a fresh token in GH_TOKEN: %w", err)
	case strings.Contains(text, "Could not resolve to a node with the global id of '"+b.o.ProjectID+"'"):
		return b.noProject()
	case strings.Contains(text, "Could not resolve to"):
		return fmt.Errorf("%w: %s", board.ErrNotFound, board.OneLine(text))
	case write && unknown(err, text):
		return fmt.Errorf("%w: %w", board.ErrUnknownOutcome, err)
	case torn:
		return fmt.Errorf("GitHub cannot be reached: %w", err)
	}
	return err
}

func (b *Board) noProject() error {
	return fmt.Errorf("%w: your login sees no project %s (github.projectId); look at https://github.com/orgs/%s/projects/%d",
		board.ErrNotFound, board.OneLine(b.o.ProjectID), b.o.Owner, b.o.ProjectNumber)
}

// unknown says whether an answer to a write leaves open whether it happened:
// one that did not come or came in part, a gateway's, and GitHub's own word for
// what took too long.
func unknown(err error, text string) bool {
	_, torn := errors.AsType[*url.Error](err)
	_, cut := errors.AsType[*json.SyntaxError](err)
	return torn || cut || errors.Is(err, gqlanswer.ErrNone) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) ||
		strings.HasPrefix(text, "5") || strings.HasPrefix(text, "Something went wrong while executing your query")
}
