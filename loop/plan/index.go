package plan

import (
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// index finds the pull request and the parent of a row without searching the
// whole of the facts: a board has thousands of rows. Its pull is PullOf.
type index struct {
	*Facts
	byRef    map[string][]int // lower-case ref of a `Fixes` line
	byLink   map[string][]int // name and address
	byBranch map[string][]int // everything before a dash of a task branch
	rows     map[board.Ref]int
	waiting  map[board.Ref][]board.Ref // open blockers of every row that has some
	runs     map[board.Ref]int         // the newest run: while a retry takes over a claim there are two
}

// newIndex reads the facts once; it is good for as long as they stay as they
// are.
func newIndex(f *Facts) *index {
	x := &index{
		Facts: f, byRef: map[string][]int{}, byLink: map[string][]int{}, byBranch: map[string][]int{}, runs: map[board.Ref]int{},
	}
	for n := range f.Pulls {
		x.add(n)
	}
	for n := range f.Runs {
		x.runs[f.Runs[n].Ref] = n
	}
	return x
}

func (x *index) add(n int) {
	p := &x.Pulls[n]
	for _, r := range p.Issues {
		put(x.byRef, strings.ToLower(string(r)), n)
	}
	put(x.byLink, p.Name, n)
	if p.URL != "" {
		put(x.byLink, p.URL, n)
	}
	if !strings.HasPrefix(p.Head, taskBranch) {
		return
	}
	for at, c := range []byte(p.Head) {
		if c == '-' {
			put(x.byBranch, p.Head[:at+1], n)
		}
	}
}

func put(m map[string][]int, key string, n int) { m[key] = append(m[key], n) }

// pull is the pull request of an issue, as PullOf.
func (x *index) pull(i *board.Issue) *board.PullRequest {
	var best *board.PullRequest
	x.each(i, func(n int) {
		if p := &x.Pulls[n]; best == nil || better(p, best) {
			best = p
		}
	})
	return best
}

// each visits every pull request that belongs to an issue, some of them twice.
func (x *index) each(i *board.Issue, visit func(n int)) {
	if len(x.Pulls) == 0 {
		return
	}
	for _, n := range x.byRef[strings.ToLower(string(i.Ref))] {
		visit(n)
	}
	for _, l := range i.PRs {
		for _, n := range x.byLink[l] {
			visit(n)
		}
	}
	if len(x.byBranch) > 0 {
		for _, n := range x.byBranch[BranchPrefix(i.Ref)] {
			visit(n)
		}
	}
}

// row finds a row by its ref.
func (x *index) row(ref board.Ref) (*board.Issue, bool) {
	if x.rows == nil {
		x.rows = make(map[board.Ref]int, len(x.Rows))
		for n := range x.Rows {
			x.rows[x.Rows[n].Ref] = n
		}
	}
	n, ok := x.rows[ref]
	if !ok {
		return nil, false
	}
	return &x.Rows[n], true
}

// judge applies the rules to one row.
func (x *index) judge(i *board.Issue) Judgement {
	pr := x.pull(i)
	for _, r := range rules {
		if j, held := r.judge(x, i, pr); held {
			j.PR = pr
			return j
		}
	}
	j := queue(x, i, pr)
	if j.Hold == "" {
		if rest, held := ruleTouched(x.Facts, i); held {
			j = rest
		}
	}
	j.PR = pr
	return j
}

// judgeAll judges every row, in board order.
func (x *index) judgeAll() []Judgement {
	out := make([]Judgement, len(x.Rows))
	for n := range x.Rows {
		out[n] = x.judge(&x.Rows[n])
	}
	return out
}

// blockers are the open blockers of a row, anywhere in the project.
func (x *index) blockers(ref board.Ref) []board.Ref {
	if x.waiting == nil {
		x.waiting = map[board.Ref][]board.Ref{}
		for _, rows := range [][]board.Issue{x.Others, x.Rows} {
			for n := range rows {
				if open := rows[n].OpenBlockers(); len(open) > 0 {
					x.waiting[rows[n].Ref] = open
				}
			}
		}
	}
	return x.waiting[ref]
}

// circle finds a way along open blockers that leads from a row back to itself,
// and answers it from the row to the row. A board refuses to make one, but a
// hand edit or another tool may have.
func circle(x *index, i *board.Issue) []string {
	seen := map[board.Ref]bool{}
	var walk func(ref board.Ref) []string
	walk = func(ref board.Ref) []string {
		for _, b := range x.blockers(ref) {
			if b == i.Ref {
				return []string{string(ref), string(b)}
			}
			if seen[b] {
				continue
			}
			seen[b] = true
			if rest := walk(b); rest != nil {
				return append([]string{string(ref)}, rest...)
			}
		}
		return nil
	}
	return walk(i.Ref)
}
