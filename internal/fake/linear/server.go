package linear

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/backside4charter/dispatcher/internal/fake/gql"
)

// SDL is the part of Linear's schema that the fake answers.
//
//go:embed schema.graphql
var SDL string

var schema = sync.OnceValue(func() *ast.Schema {
	return gqlparser.MustLoadSchema(&ast.Source{Name: "schema.graphql", Input: SDL})
})

// Seen is one query that reached the fake.
type Seen struct {
	Query string
	Write bool
	Cost  float64
	Vars  map[string]any
}

// Counts are what was asked since the last Reset.
type Counts struct {
	Requests int     `json:"requests"`
	Writes   int     `json:"writes"`
	Refused  int     `json:"refused"` // answered RATELIMITED
	Points   float64 `json:"points"`
}

// Counts tells what was asked; ResetCounts starts anew.
func (w *World) Counts() Counts {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.counts
}

// ResetCounts starts counting anew.
func (w *World) ResetCounts() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts = Counts{}
}

// Queries are the distinct queries that were seen, in the order of their first
// coming.
func (w *World) Queries() []Seen {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// request is one GraphQL request, read.
type request struct {
	text  string
	vars  map[string]any
	op    *ast.OperationDefinition
	write bool
	cost  float64
}

// maxRequest bounds what is read of a request.
const maxRequest = 4 << 20

func (w *World) ServeHTTP(out http.ResponseWriter, in *http.Request) {
	if in.URL.Path != "/graphql" {
		w.control(out, in)
		return
	}
	var body struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}
	if err := json.NewDecoder(io.LimitReader(in.Body, maxRequest)).Decode(&body); err != nil || in.Method != http.MethodPost {
		http.Error(out, "POST a GraphQL request as JSON", http.StatusBadRequest)
		return
	}
	req := &request{text: body.Query, vars: body.Variables}
	req.write = strings.HasPrefix(strings.TrimSpace(req.text), "mutation")
	f := w.fault(req)
	if f.before(out, in) {
		return
	}
	status, answer := w.answer(req, in.Header.Get("Authorization"), f, out.Header())
	f.after(out, in, status, answer)
}

// answer carries a request out and says what to send.
func (w *World) answer(req *request, key string, f Fault, h http.Header) (int, []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts.Requests++
	if req.write {
		w.counts.Writes++
	}
	w.bucket.refill(&w.o, w.o.Now())
	w.mergeAll()
	data, err := w.carryOut(req, key, f)
	w.headers(h, req.cost)
	status, answer := http.StatusOK, map[string]any{"data": data}
	if err != nil {
		answer["errors"] = []any{errorJSON(err)}
		if lim, ok := errors.AsType[*fault](err); ok && lim.code == "RATELIMITED" {
			w.counts.Refused++
			status = http.StatusBadRequest
		}
		if req.op == nil || req.cost > w.o.QueryPoints {
			status = http.StatusBadRequest
		}
		if errors.Is(err, errKey) {
			status = http.StatusUnauthorized
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return http.StatusInternalServerError, []byte(err.Error())
	}
	return status, text
}

// carryOut holds a request to the rules in the order in which Linear does. The
// lock is held.
func (w *World) carryOut(req *request, key string, f Fault) (map[string]any, error) {
	me := w.d.user(w.d.Keys[key])
	if me == nil && w.o.AnyKey && key != "" && len(w.d.Users) > 0 {
		me = w.d.Users[0]
	}
	if me == nil || slices.Contains(w.d.Expired, key) || f.Kind == FaultKey {
		return nil, errKey
	}
	if f.Kind == FaultRateLimit || w.bucket.requests < 1 {
		return nil, rateLimited(w.o.Requests, "requests")
	}
	w.bucket.requests--
	if f.Kind == FaultLock {
		return nil, errLock
	}
	x, err := req.check()
	if err != nil {
		return nil, err
	}
	w.note(req)
	if req.cost > w.o.QueryPoints {
		return nil, invalid("Query too complex", fmt.Sprintf("The query is too complex. Complexity: %.2f. Maximum allowed complexity: %.0f.", req.cost, w.o.QueryPoints))
	}
	if req.cost > w.bucket.points {
		return nil, rateLimited(w.o.Points, "complexity points")
	}
	w.bucket.points -= req.cost
	w.counts.Points += req.cost
	if req.write {
		w.remember()
		return w.write(x, req, me, f)
	}
	r := &reader{o: &w.o, d: w.d, me: me}
	if f.Kind == FaultStale && w.old != nil {
		r.d = w.old
	}
	return x.root(req.op.SelectionSet, func(field string, args map[string]any) (any, error) {
		if field == "rateLimitStatus" {
			return w.status(), nil
		}
		return r.query(field, args)
	})
}

// write carries a mutation out, or says in its payload that it did not. The lock
// is held.
func (w *World) write(x *exec, req *request, me *User, f Fault) (map[string]any, error) {
	if f.Kind == FaultRefused {
		kept := w.d
		w.d = w.copied()
		defer func() { w.d = kept }()
	}
	m := &writer{reader: reader{o: &w.o, d: w.d, me: me}, w: w}
	data, err := x.root(req.op.SelectionSet, m.mutation)
	if f.Kind != FaultRefused {
		return data, errors.Join(err, w.save())
	}
	for _, payload := range data {
		if p, ok := payload.(map[string]any); ok && p["success"] != nil {
			p["success"] = false
		}
	}
	return data, err
}

// check parses and validates a request and counts what it costs.
func (req *request) check() (*exec, error) {
	if strings.Contains(req.text, "__schema") || strings.Contains(req.text, "__type(") {
		req.cost = 262_144 // what introspection is charged
		return nil, invalid("Query too complex", "The query is too complex. Complexity: 262144. Maximum allowed complexity: 10000.")
	}
	doc, errs := gql.Parse(schema(), req.text)
	if errs != nil {
		return nil, fmt.Errorf("%s", errs.Error())
	}
	req.op = doc.Operations[0]
	vars, err := validator.VariableValues(schema(), req.op, req.vars)
	if err != nil {
		req.op = nil
		return nil, err
	}
	x := &exec{vars: vars}
	req.cost = x.costOf(req.op.SelectionSet)
	return x, nil
}

func (w *World) note(req *request) {
	if !slices.ContainsFunc(w.seen, func(s Seen) bool { return s.Query == req.text }) {
		w.seen = append(w.seen, Seen{Query: req.text, Write: req.write, Cost: req.cost, Vars: req.vars})
	}
}
