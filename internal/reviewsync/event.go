package reviewsync

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// Event is a delivery of GitHub's event pull_request_review, as far as review
// sync needs it.
type Event struct {
	Action string `json:"action"`
	Review struct {
		State string `json:"state"` // in lower case here, in upper case elsewhere
		User  struct {
			ID    int64  `json:"id"`
			Login string `json:"login"`
		} `json:"user"`
		// Association is what the reviewer is to the repository. Every delivery
		// has it; without it the event is not of GitHub's making but of whoever
		// runs this, who may as well move the row.
		Association string `json:"author_association"`
	} `json:"review"`
	PullRequest struct {
		Number   int        `json:"number"`
		URL      string     `json:"html_url"`
		Title    string     `json:"title"`
		Body     string     `json:"body"`
		MergedAt *time.Time `json:"merged_at"` // `merged` is absent from these deliveries
		Head     struct {
			Ref string `json:"ref"`
		} `json:"head"`
	} `json:"pull_request"`
}

// maxEvent is more than GitHub delivers, in bytes.
const maxEvent = 32 << 20

// ReadEvent reads a delivery.
func ReadEvent(r io.Reader) (Event, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxEvent+1))
	if err != nil {
		return Event{}, fmt.Errorf("read the event: %w", err)
	}
	if len(data) > maxEvent {
		return Event{}, errors.New("read the event: it is larger than any delivery of GitHub's")
	}
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return Event{}, fmt.Errorf("read the event: it is no delivery of GitHub's: %w", err)
	}
	if e.Action == "" || e.Review.State == "" || e.PullRequest.Number < 1 {
		return Event{}, errors.New("read the event: it is no pull_request_review; run this in a workflow on that event")
	}
	return e, nil
}

// The reasons why an event is not for the board.
const (
	NotSubmitted  = "not-submitted"
	NoRequest     = "not-a-change-request"
	BotReviewer   = "bot-reviewer"
	AlreadyMerged = "already-merged"
	Outsider      = "not-a-trusted-reviewer"
)

// Passes answers why an event sends nothing back; empty is that it does. bots
// are the user ids of the agents; trusts says whose word counts: on a public
// repository anybody may ask for changes, and only its owner sends work back.
func (e *Event) Passes(bots []int64, trusts func(login, association string) bool) string {
	switch {
	case e.Action != "submitted":
		return NotSubmitted
	case !strings.EqualFold(e.Review.State, string(board.ReviewChangesRequested)):
		return NoRequest
	case slices.Contains(bots, e.Review.User.ID):
		return BotReviewer
	case e.PullRequest.MergedAt != nil:
		return AlreadyMerged
	case e.Review.Association != "" && !trusts(e.Review.User.Login, e.Review.Association):
		return Outsider
	}
	return ""
}
