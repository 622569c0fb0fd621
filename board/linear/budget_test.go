package linear_test

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// says answers everything alike, with its own headers and status.
type says struct {
	status  int
	body    string
	headers map[string]string
	sent    int
}

func (s *says) RoundTrip(*http.Request) (*http.Response, error) {
	s.sent++
	h := http.Header{}
	for name, value := range s.headers {
		h.Set(name, value)
	}
	return &http.Response{StatusCode: s.status, Header: h, Body: io.NopCloser(strings.NewReader(s.body)), ContentLength: int64(len(s.body))}, nil
}

const rateLimited = `{"data":null,"errors":[{"message":"Rate limit exceeded","extensions":{"type":"ratelimited","code":"RATELIMITED"}}]}`

// TestRefusedUntil: after a refusal nothing is asked until the reset of what is
// used up, nor before Retry-After; not for an hour for what is not used up; and
// every shape of a refusal is known.
func TestRefusedUntil(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	in := func(d time.Duration) string { return strconv.FormatInt(now.Add(d).UnixMilli(), 10) }
	const rate = "X-RateLimit-"
	plenty := map[string]string{
		rate + "Requests-Limit": "2500", rate + "Requests-Remaining": "700", rate + "Requests-Reset": in(50 * time.Minute),
		rate + "Complexity-Limit": "30000", rate + "Complexity-Remaining": "9000", rate + "Complexity-Reset": in(40 * time.Minute),
	}
	cases := map[string]struct {
		status int
		body   string
		with   map[string]string
		want   time.Duration
	}{
		"nothing is used up":      {400, rateLimited, nil, time.Minute},
		"no header at all":        {400, rateLimited, map[string]string{rate + "Requests-Remaining": "", rate + "Complexity-Remaining": ""}, time.Minute},
		"requests":                {400, rateLimited, map[string]string{rate + "Requests-Remaining": "0"}, 50 * time.Minute},
		"requests, nearly":        {400, rateLimited, map[string]string{rate + "Requests-Remaining": "3"}, time.Minute},
		"points":                  {400, rateLimited, map[string]string{rate + "Complexity-Remaining": "0"}, 40 * time.Minute},
		"points, too few":         {400, rateLimited, map[string]string{rate + "Complexity-Remaining": "329"}, 40 * time.Minute},
		"both":                    {400, rateLimited, map[string]string{rate + "Requests-Remaining": "0", rate + "Complexity-Remaining": "0"}, 50 * time.Minute},
		"the query's own":         {400, rateLimited, map[string]string{rate + "Endpoint-Requests-Remaining": "0", rate + "Endpoint-Requests-Reset": in(5 * time.Minute)}, 5 * time.Minute},
		"the query's own, fresh":  {400, rateLimited, map[string]string{rate + "Endpoint-Requests-Remaining": "9", rate + "Endpoint-Requests-Reset": in(5 * time.Minute)}, time.Minute},
		"a wait":                  {400, rateLimited, map[string]string{"Retry-After": "600"}, 10 * time.Minute},
		"a wait of no length":     {400, rateLimited, map[string]string{"Retry-After": "0"}, time.Minute},
		"a reset out of reach":    {400, rateLimited, map[string]string{rate + "Requests-Remaining": "0", rate + "Requests-Reset": in(30 * time.Hour)}, time.Hour},
		"a reset that is over":    {400, rateLimited, map[string]string{rate + "Requests-Remaining": "0", rate + "Requests-Reset": in(-time.Hour)}, time.Minute},
		"by its type":             {200, `{"data":null,"errors":[{"message":"no","extensions":{"type":"ratelimited"}}]}`, nil, time.Minute},
		"429 with an error of it": {429, `{"errors":[{"message":"no"}]}`, nil, time.Minute},
		"429 as JSON":             {429, `{"error":"slow down"}`, map[string]string{"Retry-After": "120"}, 2 * time.Minute},
		"429 as a page":           {429, "<html>slow down</html>", nil, time.Minute},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, fake.Options{}, fake.Setup{})
			server := &says{status: c.status, body: c.body, headers: maps.Clone(plenty)}
			maps.Copy(server.headers, c.with)
			b := p.open(t, func(o *linear.Options) { o.Transport = server })
			_, err := b.Comment(t.Context(), theOwner, "ACM-1", board.ActorOwner, "a word")
			lim, limited := errors.AsType[*linear.LimitError](err)
			if !limited || !lim.Until.Equal(now.Add(c.want)) {
				t.Fatalf("until %v (%v), want %v", lim, err, now.Add(c.want))
			}
			p.clock.Advance(c.want - time.Second)
			server.sent = 0
			if _, err := b.Issue(t.Context(), "ACM-1"); !errors.As(err, &lim) || server.sent != 0 {
				t.Errorf("before it: %d requests, %v", server.sent, err)
			}
			p.clock.Advance(time.Second)
			if _, err := b.Issue(t.Context(), "ACM-1"); !errors.As(err, &lim) || server.sent != 1 {
				t.Errorf("after it: %d requests, %v", server.sent, err)
			}
		})
	}
}

// TestHourRunsOut: polls leave the last tenth of the hour to others, writes use
// it, and what is left is told (coleam00/Linear-Coding-Agent-Harness#1).
func TestHourRunsOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{Requests: 100}, fake.Setup{})
	ref := p.fill(t, 1, "Ready")[0]
	folder := t.TempDir()
	b := p.open(t, func(o *linear.Options) { o.StateDir = folder })
	var lim *linear.LimitError
	for range 100 {
		if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
			if !errors.As(err, &lim) {
				t.Fatal(err)
			}
			break
		}
	}
	if lim == nil || lim.Left < 8 || lim.Left > 10 {
		t.Fatalf("polling ended with %+v", lim)
	}
	if left, err := b.Limits(t.Context()); err != nil || left.Limit != 100 || left.Requests != lim.Left-1 {
		t.Errorf("left: %+v, %v", left, err)
	}
	if _, err := b.Comment(t.Context(), board.Actor{}, ref, board.ActorDispatcher, "still written"); err != nil {
		t.Errorf("a write: %v", err)
	}
	p.clock.Advance(5 * time.Minute) // a twelfth of the hour has come back
	if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
		t.Errorf("after a while: %v", err)
	}

	// Another process of the checkout does not find out for itself.
	p.world.Inject(fake.Fault{Kind: fake.FaultRateLimit})
	if _, err := b.Issue(t.Context(), ref); !errors.As(err, &lim) {
		t.Fatal(err)
	}
	p.world.ResetCounts()
	other := p.open(t, func(o *linear.Options) { o.StateDir = folder })
	if _, err := other.Issue(t.Context(), ref); !errors.As(err, &lim) || p.world.Counts().Requests != 0 {
		t.Errorf("another process: %v, %+v", err, p.world.Counts())
	}
}

// TestPointsRunOut: polls leave the last tenth of the hour's points to others
// as well, and writes go on.
func TestPointsRunOut(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{Points: 30_000}, fake.Setup{})
	ref := p.fill(t, 1, "Ready")[0]
	b := p.open(t)
	var lim *linear.LimitError
	for range 100 {
		if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
			if !errors.As(err, &lim) {
				t.Fatal(err)
			}
			break
		}
	}
	if lim == nil || lim.Points < 2000 || lim.Points >= 3000 || p.world.Counts().Refused > 0 {
		t.Fatalf("polling ended with %+v after %+v", lim, p.world.Counts())
	}
	if want := " points that are left of this hour are kept for your other tools"; !strings.Contains(lim.Error(), want) {
		t.Errorf("%v", lim)
	}
	if wait := lim.Until.Sub(p.clock.Now()); wait <= 0 || wait > 6*time.Minute {
		t.Errorf("it waits for %v", wait)
	}
	if _, err := b.Comment(t.Context(), theLoop, ref, board.ActorDispatcher, "still written"); err != nil {
		t.Errorf("a write: %v", err)
	}
	p.clock.Advance(12 * time.Minute) // a fifth of the hour has come back
	if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
		t.Errorf("after a while: %v", err)
	}
}
