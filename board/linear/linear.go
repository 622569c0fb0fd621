package linear

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/moves"
)

// Options say where a board lies and what its owner named things.
type Options struct {
	URL string // empty is Linear's own
	Key string // API key

	TeamID, TeamKey, ProjectID string
	States                     map[board.Role]string // name of each role's state
	Developer, Reviewer        string                // user ids of the two agents
	StaleWindow                time.Duration         // after which a claim is stale

	// Repository is owner/name. With LocalPulls pull requests are records of
	// this machine, whose names become links that lead nowhere.
	Repository string
	LocalPulls bool

	// StateDir is where processes of this checkout tell each other what they
	// wrote and what is left of the hour; empty keeps both to this process.
	StateDir string

	Transport http.RoundTripper // nil is the default one
	Now       func() time.Time  // nil is the real clock
	NewID     func() string     // ids of comments, version 4 UUIDs; nil makes them
	// Pause waits before something is asked again; nil waits by the real clock.
	Pause func(ctx context.Context, d time.Duration) error
	Log   *slog.Logger // nil logs nothing
}

// Board is one project of one team. It is safe for use by several goroutines.
type Board struct {
	board.Telling

	o      Options
	client *client
	budget *budget
	moves  *moves.Log

	polling sync.Mutex // one synchronisation at a time
	mirror  mirror     // under polling

	mu      sync.Mutex
	written map[string]*overlay // what this process wrote, by issue id
}

var _ board.Backend = (*Board)(nil)

// Open makes the client. It asks nothing: what is wrong with the key, the team
// or the project shows with the first read.
func Open(o Options) (*Board, error) {
	if o.Key == "" {
		return nil, fmt.Errorf("open the board: no API key for Linear")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = uuid.NewString
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.TeamKey = strings.ToUpper(o.TeamKey)
	b := &Board{o: o, budget: newBudget(o.Now, o.StateDir), moves: moves.Open(o.StateDir, "linear-moves.jsonl"), written: map[string]*overlay{}}
	b.client = newClient(&b.o, b.budget)
	return b, nil
}

// Limits asks what is left of the hour's budget. While nothing may be asked it
// answers until when.
func (b *Board) Limits(ctx context.Context) (Left, error) {
	var q struct {
		Viewer struct{ ID string }
	}
	err := b.client.query(ctx, toRead, &q, nil)
	left := b.budget.current()
	if _, limited := errors.AsType[*LimitError](err); limited && !left.At.IsZero() {
		return left, nil
	}
	if err != nil {
		return Left{}, fmt.Errorf("ask what is left of the hour: %w", err)
	}
	return left, nil
}

// RoleState is the configured name of the role's state.
func (b *Board) RoleState(r board.Role) (string, bool) {
	name, ok := b.o.States[r]
	return name, ok && name != ""
}

var refForm = regexp.MustCompile(`^([A-Z][A-Z0-9]*)-([1-9][0-9]{0,8})$`)

// ParseRef answers the canonical form of a ref in any case.
func (b *Board) ParseRef(s string) (board.Ref, error) {
	up := strings.ToUpper(strings.TrimSpace(s))
	m := refForm.FindStringSubmatch(up)
	switch {
	case m == nil:
		return "", fmt.Errorf("%w: %s is no issue of this board; they look like %s-12", board.ErrNotFound, strconv.Quote(s), b.o.TeamKey)
	case m[1] != b.o.TeamKey:
		return "", fmt.Errorf("%w: %s is an issue of another team; this board's look like %s-12", board.ErrNotFound, up, b.o.TeamKey)
	}
	return board.Ref(up), nil
}

func (b *Board) now() time.Time { return b.o.Now().UTC() }

// agent is the user id of the agent that has a phase.
func (b *Board) agent(d board.Delegate) string {
	switch d {
	case board.DelegateDeveloper:
		return b.o.Developer
	case board.DelegateReviewer:
		return b.o.Reviewer
	case board.DelegateNone:
	}
	return ""
}
