package ghapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Budget is what is left of one of GitHub's two budgets until its reset.
type Budget struct {
	Left  int       `json:"left"`
	Limit int       `json:"limit"`
	Reset time.Time `json:"reset"`
}

// Left is what is left of one login's hour. Where GitHub has asked to wait it
// holds until when, and no budget.
type Left struct {
	Login     string    `json:"login"`
	REST      Budget    `json:"rest"`
	GraphQL   Budget    `json:"graphql"` // in points
	Until     time.Time `json:"until,omitzero"`
	Secondary bool      `json:"secondary,omitempty"`
}

const clock = "15:04:05Z"

// Text says it to a person.
func (l Left) Text() string {
	if !l.Until.IsZero() {
		return l.Login + ": " + (&LimitError{Until: l.Until, Secondary: l.Secondary}).Error()
	}
	return fmt.Sprintf("%s: %d of %d requests (REST) are left until %s, %d of %d points (GraphQL) until %s", l.Login,
		l.REST.Left, l.REST.Limit, l.REST.Reset.UTC().Format(clock), l.GraphQL.Left, l.GraphQL.Limit, l.GraphQL.Reset.UTC().Format(clock))
}

// Ask asks GitHub what is left of a login's hour, which costs nothing of it.
func (t *Transport) Ask(ctx context.Context, api, login string) (Left, error) {
	l := Left{Login: login}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(api, "/")+"/rate_limit", http.NoBody)
	if err != nil {
		return l, fmt.Errorf("ask what is left of the hour: %w", err)
	}
	req.Header.Set("Accept", "application/vnd.github+json")
	resp, err := t.RoundTrip(req)
	if err == nil {
		defer resp.Body.Close() // RoundTrip has read it whole
		err = l.read(resp)
	} else if _, noToken := errors.AsType[*TokenError](err); !noToken {
		err = fmt.Errorf("GitHub cannot be reached: %w", err)
	}
	if shut := t.Gate.Open(); shut != nil {
		err = shut // by this answer
	}
	if limit, waits := errors.AsType[*LimitError](err); waits {
		l.Until, l.Secondary = limit.Until, limit.Secondary
		return l, nil
	}
	if err != nil {
		return l, fmt.Errorf("ask what is left of the hour of %s: %w", login, err)
	}
	return l, nil
}

func (l *Left) read(resp *http.Response) error {
	type wire struct {
		Limit     int   `json:"limit"`
		Remaining int   `json:"remaining"`
		Reset     int64 `json:"reset"`
	}
	var got struct {
		Resources struct {
			Core    wire `json:"core"`
			GraphQL wire `json:"graphql"`
		} `json:"resources"`
	}
	switch {
	case resp.StatusCode == http.StatusUnauthorized:
		return errors.New("GitHub refuses the login: `gh auth login`, or a fresh token in GH_TOKEN")
	case resp.StatusCode == http.StatusNotFound:
		return errors.New("this GitHub counts no requests (HTTP 404)") // an Enterprise Server without limits
	case resp.StatusCode != http.StatusOK:
		return errors.New(NoAnswer(resp.Status))
	}
	if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
		return fmt.Errorf("read GitHub's answer: %w", err)
	}
	budget := func(w wire) Budget {
		return Budget{Left: w.Remaining, Limit: w.Limit, Reset: time.Unix(w.Reset, 0).UTC()}
	}
	l.REST, l.GraphQL = budget(got.Resources.Core), budget(got.Resources.GraphQL)
	return nil
}
