package linear_test

import (
	"errors"
	"fmt"
	goast "go/ast"
	goparser "go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/rules"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/linear"
	fake "github.com/backside4charter/dispatcher/internal/fake/linear"
	"github.com/backside4charter/dispatcher/internal/fake/schematest"
)

// sites keeps from which lines of the client requests came: a request is sent
// by the goroutine that asks for it.
type sites struct {
	mu   sync.Mutex
	seen map[string]bool // as file.go:12
}

func (s *sites) RoundTrip(r *http.Request) (*http.Response, error) {
	pc := make([]uintptr, 64)
	frames := runtime.CallersFrames(pc[:runtime.Callers(1, pc)])
	s.mu.Lock()
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "/board/linear.") {
			s.seen[fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)] = true
		}
		if !more {
			break
		}
	}
	s.mu.Unlock()
	return http.DefaultTransport.RoundTrip(r)
}

// asked are the lines of the client that send a request.
func asked(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	ok(t, err)
	lines, set := map[string]bool{}, token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := goparser.ParseFile(set, name, nil, 0)
		ok(t, err)
		goast.Inspect(file, func(n goast.Node) bool {
			call, is := n.(*goast.CallExpr)
			if !is {
				return true
			}
			f, is := call.Fun.(*goast.SelectorExpr)
			if !is || f.Sel.Name != "query" && f.Sel.Name != "mutate" {
				return true
			}
			if of, is := f.X.(*goast.SelectorExpr); is && of.Sel.Name == "client" {
				lines[fmt.Sprintf("%s:%d", name, set.Position(call.Pos()).Line)] = true
			}
			return true
		})
	}
	return lines
}

// TestQueriesFitTheWholeSchema sends every query that the client can send, and
// validates them against Linear's whole schema, where that is at hand. Against
// our part of it the fake validates them anyway.
func TestQueriesFitTheWholeSchema(t *testing.T) {
	t.Parallel()
	p := newPlace(t, fake.Options{}, fake.Setup{})
	from := &sites{seen: map[string]bool{}}
	p.change = func(o *linear.Options) { o.Transport = from }
	everything(t, p)
	lines := asked(t)
	for line := range lines {
		if !from.seen[line] {
			t.Errorf("no query was sent by %s", line)
		}
	}
	queries := p.world.Queries()
	if len(lines) < 19 {
		t.Errorf("only %d places that send queries were found", len(lines))
	}
	schema := schematest.Whole(t, "linear.graphql")
	for _, s := range queries {
		if _, errs := gqlparser.LoadQueryWithRules(schema, s.Query, rules.NewDefaultRules()); errs != nil {
			t.Errorf("%v: %s", errs, s.Query)
		}
	}
	t.Logf("%d queries of %d places fit the whole schema", len(queries), len(lines))
}

// everything uses the board in every way there is, so that every query of the
// client is sent.
func everything(t *testing.T, p *place) {
	t.Helper()
	b := p.open(t)
	p.fill(t, 3, "Ready")
	p.world.AddUser(fake.User{Name: "gwen", DisplayName: "gwen"})
	ctx := t.Context()
	firing(t, b)
	_, err := b.Poll(ctx, board.Query{AllMilestones: true, Closed: true})
	ok(t, err)
	_, err = b.Milestones(ctx)
	ok(t, err)
	_, err = b.States(ctx)
	ok(t, err)
	_, err = b.Claim(ctx, theLoop, "ACM-1", dev("s1"))
	ok(t, err)
	p.clock.Advance(20 * time.Minute)
	renew := dev("s1")
	renew.Renew = true
	_, err = b.Claim(ctx, theLoop, "ACM-1", renew)
	ok(t, err)
	ok(t, b.SetState(ctx, theLoop, "ACM-1", "In Progress", board.RoleReady))
	ok(t, b.Tick(ctx, theOwner, "ACM-1", board.Box{N: 1, Set: true}))
	ok(t, b.Label(ctx, theOwner, "ACM-1", "Kind/Bug", true))
	ok(t, b.Label(ctx, theOwner, "ACM-1", "Kind/Bug", false))
	ok(t, b.LinkPR(ctx, theOwner, "ACM-1", "#3"))
	ok(t, b.LinkPR(ctx, theOwner, "ACM-1", "https://github.com/acme/widgets/pull/3"))
	_, err = b.Comment(ctx, theLoop, "ACM-1", board.ActorDispatcher, "a word")
	ok(t, err)
	rows, err := b.IssuesOf(ctx, board.PullRequest{URL: "https://github.com/acme/widgets/pull/3", Title: "acm-2", Body: "Fixes #4"})
	ok(t, err)
	if len(rows) != 2 || rows[0].Ref != "ACM-1" || rows[1].Ref != "ACM-2" {
		t.Fatalf("the pull request belongs to %+v", rows)
	}
	_, err = b.Limits(ctx)
	ok(t, err)
	ok(t, b.Assign(ctx, theLoop, "ACM-1", board.DelegateReviewer))
	ok(t, b.Release(ctx, theLoop, "ACM-1", ""))
	firing(t, b)
	// A write whose answer is lost is looked for.
	p.world.Inject(fake.Fault{Kind: fake.FaultLost, Writes: true})
	_, err = b.Comment(ctx, theLoop, "ACM-1", board.ActorDispatcher, "another")
	ok(t, err)
	// What is wrong with an id is looked up.
	for _, wrong := range []func(*linear.Options){
		func(o *linear.Options) { o.TeamID = "nosuch" }, func(o *linear.Options) { o.ProjectID = "nosuch" },
	} {
		if _, err := p.open(t, wrong).Poll(ctx, board.Query{AllMilestones: true}); !errors.Is(err, board.ErrNotFound) {
			t.Fatalf("a wrong id: %v", err)
		}
	}
	thread(t, p)
	pages(t, p)
}

// thread reads an issue whose comments and attachments do not fit a page.
func thread(t *testing.T, p *place) {
	t.Helper()
	d := fake.Draft{Title: "long", State: "Ready", Milestone: "m1"}
	for n := range 230 {
		d.Comments = append(d.Comments, fake.Comment{Body: fmt.Sprint("word ", n), User: p.made.Owner})
	}
	for n := range 120 {
		d.PullRequests = append(d.PullRequests, fmt.Sprintf("https://github.com/acme/widgets/pull/%d", n+1))
	}
	ref := p.add(t, d)
	b := p.open(t)
	i, err := b.Issue(t.Context(), ref)
	ok(t, err)
	rows := firing(t, b)
	at := slices.IndexFunc(rows, func(r board.Issue) bool { return r.Ref == ref })
	if len(i.Comments) != 230 || i.Comments[0].Body != "word 0" || at < 0 || len(i.PRs) != 120 || !strings.HasSuffix(i.PRs[0], "/pull/1") || len(rows[at].Comments) != 230 || len(rows[at].PRs) != 120 {
		t.Fatalf("read %d comments and pull requests %q, polled %+v", len(i.Comments), i.PRs, rows[at])
	}
}

// pages reads more milestones than one page holds, and more rows than their
// comments need pages.
func pages(t *testing.T, p *place) {
	t.Helper()
	ok(t, p.world.Change(func(d *fake.Data) { d.Comments = nil }))
	for n := range 110 {
		p.add(t, fake.Draft{Title: "t", State: "Ready", Milestone: fmt.Sprintf("more %d", n)})
	}
	rows, err := p.open(t).Poll(t.Context(), board.Query{AllMilestones: true})
	ok(t, err)
	if len(rows) < 110 {
		t.Fatalf("%d rows", len(rows))
	}
}

// connections calls fn for every field of a query that is a connection.
func connections(t *testing.T, query string, fn func(f *ast.Field)) {
	t.Helper()
	doc, err := parser.ParseQuery(&ast.Source{Input: query})
	if err != nil {
		t.Fatal(err)
	}
	var walk func(ast.SelectionSet)
	walk = func(set ast.SelectionSet) {
		for _, s := range set {
			f, ok := s.(*ast.Field)
			if !ok {
				t.Fatalf("an unexpected selection in %s", query)
			}
			if slices.ContainsFunc(f.SelectionSet, func(s ast.Selection) bool { f, ok := s.(*ast.Field); return ok && f.Name == "nodes" }) {
				fn(f)
			}
			walk(f.SelectionSet)
		}
	}
	walk(doc.Operations[0].SelectionSet)
}
