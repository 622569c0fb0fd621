package linear_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
)

// TestLeftInWords: what Linear did not say is not made up.
func TestLeftInWords(t *testing.T) {
	t.Parallel()
	now := newClock().Now()
	at := now.Add(time.Minute)
	cases := []struct {
		left linear.Left
		want string
	}{
		{linear.Left{}, "Linear did not say what is left of this hour"},
		{linear.Left{Requests: 7, Limit: 2500, Points: 30, Reset: at, At: now}, "7 of 2500 requests are left of this hour, 30 points; all of it is back at 08:01:30Z"},
		{linear.Left{Requests: 7, Limit: 2500, Points: -1, At: now}, "7 of 2500 requests are left of this hour"},
		{linear.Left{Until: at}, "nothing is asked before 08:01:30Z: Linear's hourly limit was reached"},
	}
	for _, c := range cases {
		if got := c.left.Text(now); got != c.want {
			t.Errorf("%+v: %q, want %q", c.left, got, c.want)
		}
	}
}

// TestManyNames: what somebody writes into a pull request costs a bounded
// number of requests, and what its link, branch and title say comes first.
func TestManyNames(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 3, "Human Review")
	b := p.open(t)
	const url = "https://github.com/acme/widgets/pull/3"
	ok(t, b.LinkPR(t.Context(), theOwner, "ACM-1", url))
	var body strings.Builder
	for n := range 500 {
		fmt.Fprintf(&body, "Fixes #%d, see ACM-%d\n", n+1, n+100)
	}
	p.world.ResetCounts()
	rows, err := b.IssuesOf(t.Context(), board.PullRequest{URL: url, Head: "task/acm-2-x", Title: "acm-3", Body: body.String()})
	ok(t, err)
	if len(rows) != 3 || rows[0].Ref != "ACM-1" || rows[1].Ref != "ACM-2" || rows[2].Ref != "ACM-3" {
		t.Errorf("the pull request belongs to %+v", rows)
	}
	if n := p.world.Counts().Requests; n > 45 {
		t.Errorf("%d requests", n)
	}
}

// biggest keeps how long the longest request was.
type biggest struct{ bytes int64 }

func (g *biggest) RoundTrip(r *http.Request) (*http.Response, error) {
	g.bytes = max(g.bytes, r.ContentLength)
	return http.DefaultTransport.RoundTrip(r)
}

// TestManyClosedBlockers: a look for changes does not list every issue of the
// team that once held a row back, and sees it reopened all the same.
func TestManyClosedBlockers(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	var closed []board.Ref
	for n := range 150 {
		closed = append(closed, p.add(t, fake.Draft{Title: fmt.Sprint("old ", n), State: "Done", Milestone: "m1"}))
	}
	for n := range closed {
		p.add(t, fake.Draft{Title: fmt.Sprint("new ", n), State: "Ready", Milestone: "m1", Blockers: []string{string(closed[n])}})
	}
	sizes := &biggest{}
	b := p.open(t, func(o *linear.Options) { o.Transport = sizes })
	held := func() (n int) {
		t.Helper()
		p.clock.Advance(time.Minute)
		rows, err := b.Poll(t.Context(), board.Query{AllMilestones: true})
		ok(t, err)
		for i := range rows {
			n += len(rows[i].OpenBlockers())
		}
		return n
	}
	if n := held(); n != 0 {
		t.Fatalf("%d rows are held back", n)
	}
	ready := p.world.StateID("Ready")
	sizes.bytes = 0
	ok(t, p.world.Edit(string(closed[7]), p.made.Owner, func(i *fake.Issue) { i.State = ready }))
	if n := held(); n != 1 {
		t.Errorf("%d rows are held back by the one that was reopened", n)
	}
	if sizes.bytes > 4000 {
		t.Errorf("a look for changes is %d bytes long", sizes.bytes)
	}
}

// TestIssuesOfALocalPull: a pull request of this machine has no URL but the
// one that stands for it, and is found without a look at the closed rows.
func TestIssuesOfALocalPull(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 3, "Ready")
	p.fill(t, 90, "Done")
	b := p.open(t, func(o *linear.Options) { o.LocalPulls = true })
	ok(t, b.LinkPR(t.Context(), theOwner, "ACM-1", "#3"))
	p.world.ResetCounts()
	rows, err := b.IssuesOf(t.Context(), board.PullRequest{Name: "#3", Head: "x", Issues: []board.Ref{"acm-2"}, Body: "Fixes ACM-2"})
	ok(t, err)
	if len(rows) != 2 || rows[0].Ref != "ACM-1" || rows[1].Ref != "ACM-2" {
		t.Errorf("the pull request belongs to %+v", rows)
	}
	if n := p.world.Counts().Requests; n > 3 {
		t.Errorf("%d requests", n)
	}
}

// TestPageWithoutCursor: a next page that is announced without a cursor is not
// asked for over and over.
func TestPageWithoutCursor(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	p.fill(t, 2, "Ready")
	lies := &endless{}
	b := p.open(t, func(o *linear.Options) { o.Transport = lies })
	firing(t, b)
	p.clock.Advance(time.Minute)
	lies.sent, lies.lied = 0, 0
	if rows := firing(t, b); len(rows) != 2 || lies.sent > 3 || lies.lied == 0 {
		t.Errorf("%d rows with %d requests, %d of them lies", len(rows), lies.sent, lies.lied)
	}
}

// endless promises a next page in every answer and names none. It ends what
// does not end by itself.
type endless struct{ sent, lied int }

func (e *endless) RoundTrip(r *http.Request) (*http.Response, error) {
	if e.sent++; e.sent > 50 {
		return nil, fmt.Errorf("request %d", e.sent)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	said := lastPage.ReplaceAll(body, []byte(`"hasNextPage":true,"endCursor":null`))
	if !bytes.Equal(said, body) {
		e.lied++
	}
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(said)), int64(len(said))
	return resp, nil
}

var lastPage = regexp.MustCompile(`"hasNextPage":false,"endCursor":("[^"]*"|null)|"endCursor":("[^"]*"|null),"hasNextPage":false`)

// TestManyMilestones: a project has as many as it likes.
func TestManyMilestones(t *testing.T) {
	t.Parallel()
	const many = 230
	p := newPlace(t, fake.Options{}, fake.Setup{})
	for n := range many {
		p.add(t, fake.Draft{Title: "t", State: "Ready", Milestone: fmt.Sprintf("m%d", n)})
	}
	b := p.open(t)
	list, err := b.Milestones(t.Context())
	ok(t, err)
	if last := list[len(list)-2]; len(list) != many+1 || last.Name != fmt.Sprintf("m%d", many-1) || last.Open != 1 {
		t.Errorf("%d milestones, the last %+v", len(list), last)
	}
	rows, err := b.Poll(t.Context(), board.Query{Milestones: []string{fmt.Sprintf("m%d", many-1)}})
	ok(t, err)
	if len(rows) != 1 {
		t.Errorf("%d rows of the last one", len(rows))
	}
}

// TestTwoTakeOneClaimOver: of two that reword the same claim one gets the row,
// and the other is told.
func TestTwoTakeOneClaimOver(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	ref := p.add(t, fake.Draft{Title: "t", State: "Ready"})
	dispatcher := board.Actor{Kind: board.ActorDispatcher}
	take := func(b *linear.Board, session string, steal bool) error {
		_, err := b.Claim(t.Context(), dispatcher, ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: session, Run: session, Steal: steal})
		return err
	}
	ok(t, take(p.open(t), "old", false))
	quicker := &afterReword{then: func() { ok(t, take(p.open(t), "second", true)) }}
	first := p.open(t, func(o *linear.Options) { o.Transport = quicker })
	if err := take(first, "first", true); !errors.Is(err, board.ErrClaimConflict) || !strings.Contains(err.Error(), "second") {
		t.Errorf("the first to write got %v", err)
	}
	i, err := first.Issue(t.Context(), ref)
	ok(t, err)
	if i.Claim == nil || i.Claim.Session != "second" {
		t.Errorf("the row is %+v's", i.Claim)
	}
}

// afterReword does something when the first comment has been reworded, before
// that is answered.
type afterReword struct{ then func() }

func (a *afterReword) RoundTrip(r *http.Request) (*http.Response, error) {
	sent, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(sent))
	resp, err := http.DefaultTransport.RoundTrip(r)
	if then := a.then; then != nil && bytes.Contains(sent, []byte("commentUpdate(")) {
		a.then = nil
		then()
	}
	return resp, err
}
