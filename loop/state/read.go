package state

import (
	"time"

	"github.com/backside4charter/dispatcher/board"
)

// What follows is read on demand, by a room or a command, and is in no
// snapshot: it is too large, or only of interest for one row.

// Detail is one issue in full.
type Detail struct {
	Issue   board.Issue `json:"issue"`
	Rules   []Rule      `json:"rules"`            // every rule that was asked, in order
	History []Entry     `json:"history"`          // oldest first, what the loop and the board have written down of it
	Resume  string      `json:"resume,omitempty"` // the line with which a person resumes its last session
}

// Rule is one rule and its answer about a row.
type Rule struct {
	Ask    string `json:"ask"`
	Says   string `json:"says"`
	Held   bool   `json:"held"`
	Source string `json:"source"`
}

// Transcript is a window of a run's stream.
type Transcript struct {
	Run   string `json:"run"`
	From  int    `json:"from"`  // number of the first line here; 0 is the run's first
	Total int    `json:"total"` // lines in all
	Lines []Line `json:"lines"`
	Next  int    `json:"next,omitempty"` // with a search: number of the line found, -1 when there is none
}

// DiffQuery names a diff: of a pull request, or of a worktree against its base.
type DiffQuery struct {
	PR  string    `json:"pr,omitempty"`
	Ref board.Ref `json:"ref,omitempty"`
}

// Diff is a change as files of hunks.
type Diff struct {
	Title string     `json:"title"`
	Base  string     `json:"base"`
	Head  string     `json:"head"`
	Dirty bool       `json:"dirty,omitempty"` // of a worktree: uncommitted changes are in it
	Files []DiffFile `json:"files"`
	Cut   bool       `json:"cut,omitempty"` // too large: some files have no lines here
}

// DiffFile is one file of a diff.
type DiffFile struct {
	Path    string     `json:"path"`
	From    string     `json:"from,omitempty"` // renamed from
	Kind    string     `json:"kind"`           // added, deleted, modified, renamed, binary
	Added   int        `json:"added"`
	Removed int        `json:"removed"`
	Lines   []DiffLine `json:"lines,omitempty"`
	Cut     bool       `json:"cut,omitempty"`
}

// DiffLine is one line: Op is ' ', '+', '-' or '@' for the head of a hunk.
type DiffLine struct {
	Op   string `json:"op"`
	Old  int    `json:"old,omitempty"`
	New  int    `json:"new,omitempty"`
	Text string `json:"text"`
}

// Money is what runs have cost, in USD.
type Money struct {
	Today    float64     `json:"today"`
	Cap      float64     `json:"cap,omitempty"`
	ByDay    []MoneyLine `json:"byDay"`
	ByIssue  []MoneyLine `json:"byIssue"`
	ByKind   []MoneyLine `json:"byKind"`
	Unpriced int64       `json:"unpriced,omitempty"` // tokens of runs whose price is unknown
}

// MoneyLine is one sum.
type MoneyLine struct {
	Name   string  `json:"name"`
	USD    float64 `json:"usd"`
	Tokens int64   `json:"tokens"`
	Runs   int     `json:"runs"`
}

// Preview is what the next firing would do.
type Preview struct {
	At    time.Time     `json:"at"`
	Lines []PreviewLine `json:"lines"`
}

// PreviewLine is what it would do with one row, or why nothing.
type PreviewLine struct {
	Ref   board.Ref `json:"ref"`
	Does  string    `json:"does,omitempty"`
	Waits string    `json:"waits,omitempty"`
}
