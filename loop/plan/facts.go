package plan

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// Settings are the numbers and names that the rules depend on.
type Settings struct {
	StaleWindow  time.Duration
	Caps         Caps
	Retry        Retry
	VerifyWindow time.Duration // how long checks may stay pending
	ConfirmLabel string
	DefaultBase  string            // the branch a pull request must target
	Agents       map[string]bool   // names of the agent profiles that exist
	AgentKinds   map[string]string // how each profile is run
	Sessionless  map[string]bool   // kinds of agents that cannot go on in a session
	Stall        Stall
	Limits       Limits
}

// Caps bound how many workers run at once (dispatcher-system.md, One firing).
type Caps struct{ Developers, Reviewers, Cleaners, Total int }

// Of is the cap of one kind.
func (c Caps) Of(k board.Kind) int {
	switch k {
	case board.KindDeveloper:
		return c.Developers
	case board.KindReviewer:
		return c.Reviewers
	case board.KindCleaner:
		return c.Cleaners
	}
	return 0
}

// Retry says how often a failed run is tried and how long it waits
// (design.md, section 4, retry).
type Retry struct {
	MaxAttempts int
	First, Max  time.Duration
}

// Wait is the pause after failed attempt n, counted from 1:
// min(First·2^(n-1), Max).
func (r Retry) Wait(n int) time.Duration {
	d := min(r.First, r.Max)
	for ; n > 1 && d < r.Max && d > 0; n-- {
		d = min(2*d, r.Max)
	}
	return d
}

// Facts are what one firing read.
type Facts struct {
	Now      time.Time
	Mode     state.Mode
	Rows     []board.Issue // of the loop's milestones, in board order
	Pulls    []board.PullRequest
	Runs     []state.Run // the journal
	Settings Settings
	// Others are the open rows of the whole project, those of other milestones
	// included: what the stranded scan looks at.
	Others []board.Issue
	// Lives names the rows whose stale claim belongs to a worker that still
	// shows a sign of life (design.md, section 6).
	Lives map[board.Ref]bool
	// CheckedOut are the branches that a worktree of this repository has; nil
	// when that is not known, and then no branch is touched.
	CheckedOut map[string]bool
	// Touched are the rows that the owner has just touched in the room.
	Touched map[board.Ref]Touch
	// First are the rows that the owner wants worked before all others.
	First map[board.Ref]bool
	// Refused are the updates of pull requests that failed, by name.
	Refused map[string]Refusal
	Spent   Spent                // what was spent, running workers included
	Limited map[string]time.Time // until when no agent of a kind may start, for its usage limit
	Pauses  Pauses               // what else keeps everything waiting
	// LastRuns are the last runs that are not over, or cannot be read, of rows
	// that are not ours.
	LastRuns map[board.Ref]LastRun
	// Skip are the rows that this firing has tried and could not start: they
	// take no slot from the others.
	Skip map[board.Ref]bool
}

// RunOn is our run on an issue. While a retry takes over the claim of the try
// before it, both stand in the journal, and the newer one is the run.
func (f *Facts) RunOn(ref board.Ref) (*state.Run, bool) {
	for i := len(f.Runs) - 1; i >= 0; i-- {
		if f.Runs[i].Ref == ref {
			return &f.Runs[i], true
		}
	}
	return nil, false
}

// Free says whether one more worker of a kind may start now. A row that names
// an agent of its own asks for that, too.
func (f *Facts) Free(k board.Kind) bool {
	if f.Bar(k, string(k)).Why != "" {
		return false
	}
	return f.Mode == state.ModeRunning && f.liveAll() < f.Settings.Caps.Total && f.live(k) < f.Settings.Caps.Of(k)
}

// live counts the runs of a kind that hold a slot.
func (f *Facts) live(k board.Kind) int {
	n := 0
	for i := range f.Runs {
		if f.Runs[i].Kind == k && f.Runs[i].Alive() {
			n++
		}
	}
	return n
}

// liveAll counts all runs that hold a slot.
func (f *Facts) liveAll() int {
	n := 0
	for i := range f.Runs {
		if f.Runs[i].Alive() {
			n++
		}
	}
	return n
}

// PullOf is the pull request of an issue: an open one before a merged one
// before a closed one, of those that are open one of ours before a stranger's,
// and the newest of its kind. A pull request belongs to an
// issue that it says it fixes, that links it, or whose task branch it comes
// from (dispatcher-system.md, One task, one PR).
func PullOf(issue *board.Issue, pulls []board.PullRequest) *board.PullRequest {
	var best *board.PullRequest
	for i := range pulls {
		if Belongs(issue, &pulls[i]) == "" {
			continue
		}
		if best == nil || better(&pulls[i], best) {
			best = &pulls[i]
		}
	}
	return best
}

// better orders the pull requests of one issue.
func better(a, b *board.PullRequest) bool {
	if ra, rb := pullRank(a), pullRank(b); ra != rb {
		return ra > rb
	}
	return a.Number > b.Number
}

func pullRank(p *board.PullRequest) int {
	switch p.State {
	case board.PullOpen:
		if p.ByAgent {
			return 3 // anybody can say that theirs fixes an issue
		}
		return 2
	case board.PullMerged:
		return 1
	case board.PullClosed:
		return 0
	}
	return 0
}

// Via says what makes a pull request an issue's; empty is that nothing does.
type Via string

// What may name it.
const (
	ViaLink   Via = "link"   // the board's row
	ViaBody   Via = "body"   // the pull request, as what it fixes
	ViaBranch Via = "branch" // the task branch that it comes from

	ViaTitle   Via = "title"   // its title: it speaks of the issue and is not its
	ViaMention Via = "mention" // another branch, or a word of its body: likewise
)

// Belongs says whether a pull request is the issue's, and by what.
func Belongs(issue *board.Issue, p *board.PullRequest) Via {
	if Linked(issue, p) {
		return ViaLink
	}
	for _, r := range p.Issues {
		if strings.EqualFold(string(r), string(issue.Ref)) {
			return ViaBody
		}
	}
	if strings.HasPrefix(p.Head, BranchPrefix(issue.Ref)) {
		return ViaBranch
	}
	return ""
}

// Named says whether a pull request is the issue's or only speaks of it, and by
// what: what review sync looks for (dispatcher-system.md, Review sync).
func Named(issue *board.Issue, p *board.PullRequest) Via {
	if via := Belongs(issue, p); via != "" {
		return via
	}
	switch {
	case speaksOf(p.Title, issue.Ref):
		return ViaTitle
	case speaksOf(p.Head, issue.Ref), speaksOf(p.Body, issue.Ref):
		return ViaMention
	}
	return ""
}

// speaksOf says whether a ref stands in a text, in any case and as a word of its
// own: ACM-1 is not in ACM-12.
func speaksOf(text string, ref board.Ref) bool {
	text, word := strings.ToLower(text), strings.ToLower(string(ref))
	for from := 0; word != ""; {
		at := strings.Index(text[from:], word)
		if at < 0 {
			return false
		}
		at, from = from+at, from+at+len(word)
		last, _ := utf8.DecodeLastRuneInString(text[:at])
		next, _ := utf8.DecodeRuneInString(text[from:])
		if !inWord(last) && !inWord(next) {
			return true
		}
	}
	return false
}

// inWord says whether a letter goes on with the word beside it; a text that
// ends has utf8.RuneError there.
func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Linked says whether the board's row carries a link to the pull request.
func Linked(issue *board.Issue, p *board.PullRequest) bool {
	for _, l := range issue.PRs {
		if l == p.Name || (p.URL != "" && l == p.URL) {
			return true
		}
	}
	return false
}

// taskBranch begins every branch of ours.
const taskBranch = "task/"

// BranchPrefix is what every task branch of an issue begins with:
// `task/<identifier-lowercased>-` (dispatcher-system.md, One task, one PR).
func BranchPrefix(ref board.Ref) string {
	id := strings.TrimPrefix(strings.ToLower(string(ref)), "#")
	return taskBranch + id + "-"
}
