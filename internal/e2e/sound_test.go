//go:build unix

package e2e

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// processes are the living ones whose program or working directory lies in the
// play's folder. Only Linux tells; elsewhere there are none.
func (p *play) processes() []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var out []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		for _, link := range []string{"exe", "cwd"} {
			if path, err := os.Readlink(filepath.Join("/proc", e.Name(), link)); err == nil && strings.HasPrefix(path, p.dir+"/") {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}

// wantNothingLeft fails if a process of the play lives on, or the journal still
// holds a run.
func (p *play) wantNothingLeft() {
	p.t.Helper()
	p.eventually("no process of the play lives", func() bool { return len(p.processes()) == 0 })
	var journal struct{ Runs []json.RawMessage }
	text, err := os.ReadFile(filepath.Join(p.stateDir(), "claims.json"))
	if err != nil {
		p.t.Fatal(err)
	}
	p.decode(string(text), &journal)
	if len(journal.Runs) > 0 {
		p.t.Errorf("the journal still holds %s", text)
	}
}

// stretch is when a run's agent lived.
type stretch struct {
	run        string
	began, end time.Time
}

// wantNoneTwice fails if two agents were at work on one issue at once, by what
// their supervisors wrote down, or if the board let two sessions have one
// claim.
func (p *play) wantNoneTwice() {
	p.t.Helper()
	byRef := map[board.Ref][]stretch{}
	for _, f := range p.folders() {
		s, ok, err := f.Supervisor()
		if err != nil {
			p.t.Fatal(err)
		}
		if !ok {
			continue // it was cut before an agent could start
		}
		spec, err := f.Spec()
		if err != nil {
			p.t.Fatal(err)
		}
		one := stretch{run: f.Run(), began: s.StartedAt, end: time.Now()}
		exit, err := f.Exit()
		if err != nil {
			p.t.Fatal(err)
		}
		if exit != nil {
			one.end = exit.Ended
		}
		byRef[spec.Ref] = append(byRef[spec.Ref], one)
	}
	for ref, all := range byRef {
		slices.SortFunc(all, func(a, b stretch) int { return a.began.Compare(b.began) })
		for i := 1; i < len(all); i++ {
			if all[i].began.Before(all[i-1].end) {
				p.t.Errorf("%s was worked twice at once: %+v and %+v", ref, all[i-1], all[i])
			}
		}
	}
	p.wantClaimsInTurn()
}

// boardEvent is a line of the board's event log.
type boardEvent struct {
	Seq    int64
	Type   string
	Ref    board.Ref
	Run    string
	Fields struct {
		Epoch   int64
		Session string
		Kind    string
	}
}

// events are what the board's log holds.
func (p *play) events() []boardEvent {
	p.t.Helper()
	return readEvents(p, filepath.Join(p.repo, ".dispatcher", "board", "events.jsonl"))
}

func readEvents(p *play, path string) []boardEvent {
	p.t.Helper()
	f, err := os.Open(path)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	var out []boardEvent
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e boardEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			p.t.Fatalf("%v in %s", err, lines.Text())
		}
		out = append(out, e)
	}
	if err := lines.Err(); err != nil {
		p.t.Fatal(err)
	}
	slices.SortStableFunc(out, func(a, b boardEvent) int { return cmp.Compare(a.Seq, b.Seq) })
	return out
}

func (p *play) wantClaimsInTurn() {
	p.t.Helper()
	p.wantFenced(p.events())
}

// wantFenced fails if a fence was given twice, or to two sessions.
func (p *play) wantFenced(events []boardEvent) {
	p.t.Helper()
	last := map[board.Ref]int64{}
	for _, e := range events {
		if e.Type != "claim" {
			continue
		}
		if e.Fields.Epoch <= last[e.Ref] {
			p.t.Errorf("event %d: %s was claimed at epoch %d after %d", e.Seq, e.Ref, e.Fields.Epoch, last[e.Ref])
		}
		last[e.Ref] = e.Fields.Epoch
	}
	if len(last) == 0 {
		p.t.Error("the log knows of no claim")
	}
}

// picture is what a play comes to, without what time and chance decide.
type picture struct {
	Rows     map[board.Ref]string // column, delegate, labels, reason, comments
	Pulls    map[string]string    // by branch
	Branches map[string]string    // by name: what the remote's branch holds
}

func (p *play) picture() picture {
	p.t.Helper()
	out := picture{map[board.Ref]string{}, map[string]string{}, map[string]string{}}
	name := map[string]string{} // of each pull request: its branch
	for _, pr := range p.pulls() {
		name[pr.Name] = pr.Head
		reviews := make([]string, 0, len(pr.Reviews))
		for _, r := range pr.Reviews {
			reviews = append(reviews, string(r.State)+" by "+r.Author)
		}
		out.Pulls[pr.Head] = fmt.Sprintf("%q %s, draft %v, into %s, %s, %s, for %v, reviews %q",
			pr.Title, pr.State, pr.Draft, pr.Base, pr.Mergeable, pr.Checks, pr.Issues, reviews)
	}
	for ref, r := range p.rows() {
		var issue struct{ Comments []board.Comment }
		p.decode(p.own("board", "issue", string(ref), "--comments", "100", "--json"), &issue)
		by := map[board.ActorKind]int{}
		var tries []string // that failed, and in which order
		for _, c := range issue.Comments {
			if c.Role != board.ActorDispatcher {
				by[c.Role]++
			} else if m, ok := board.ParseMark(c.Body); ok && m.Try > 0 {
				tries = append(tries, fmt.Sprintf("%s %d", m.Kind, m.Try))
			}
		}
		waits := r.Waits
		for pr, branch := range name {
			waits = strings.ReplaceAll(waits, pr+" ", branch+" ")
		}
		out.Rows[ref] = fmt.Sprintf("%s, delegate %q, claimed %v, labels %q, waits %q, comments %v, failed tries %q",
			r.Role, r.Delegate, r.Claim != nil, r.Labels, waits, by, tries)
	}
	for line := range strings.Lines(p.gitIn(p.remote, "for-each-ref", "--format=%(refname:short) %(tree)", "refs/heads")) {
		branch, tree, _ := strings.Cut(strings.TrimSpace(line), " ")
		own := p.gitIn(p.remote, "rev-list", "--count", "--no-merges", "main.."+branch)
		out.Branches[branch] = tree + " in commits: " + own
	}
	return out
}
