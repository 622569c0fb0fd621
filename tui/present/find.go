package present

import (
	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/state"
)

// RowOf is the row of an issue, nil if the snapshot has none.
func RowOf(s *state.Snapshot, ref board.Ref) *state.Row {
	if s == nil || ref == "" {
		return nil
	}
	for i := range s.Rows {
		if s.Rows[i].Issue.Ref == ref {
			return &s.Rows[i]
		}
	}
	return nil
}

// WorkerOf is the live worker on a row, nil without one.
func WorkerOf(s *state.Snapshot, row *state.Row) *state.Worker {
	if s == nil || row == nil || row.Run == "" {
		return nil
	}
	return WorkerByRun(s, row.Run)
}

// WorkerByRun is the worker of a run, nil if the snapshot has none.
func WorkerByRun(s *state.Snapshot, run string) *state.Worker {
	for i := range s.Workers {
		if s.Workers[i].Run.ID == run {
			return &s.Workers[i]
		}
	}
	return nil
}

// LastWorker is the worker that concerns an issue: its live one, else the one
// that ended last, nil without either.
func LastWorker(s *state.Snapshot, ref board.Ref) *state.Worker {
	if s == nil || ref == "" {
		return nil
	}
	for i := range s.Workers {
		if s.Workers[i].Run.Ref == ref {
			return &s.Workers[i]
		}
	}
	return nil
}

// PullOf is the open pull request of an issue, nil without one.
func PullOf(s *state.Snapshot, ref board.Ref) *state.Pull {
	if s == nil || ref == "" {
		return nil
	}
	for i := range s.Pulls {
		if s.Pulls[i].Ref == ref {
			return &s.Pulls[i]
		}
	}
	return nil
}

// NeedOf is what waits for a person on an issue, nil if nothing does.
func NeedOf(s *state.Snapshot, ref board.Ref) *state.Need {
	if s == nil || ref == "" {
		return nil
	}
	for i := range s.Needs {
		if s.Needs[i].Ref == ref {
			return &s.Needs[i]
		}
	}
	return nil
}

// Live counts the runs that hold a slot.
func Live(s *state.Snapshot) int {
	n := 0
	for i := range s.Workers {
		if s.Workers[i].Run.Alive() && s.Workers[i].Outcome == "" {
			n++
		}
	}
	return n
}

// RequestOf is what a run waits for its owner to say, nil if it waits for
// nothing.
func RequestOf(s *state.Snapshot, run string) *state.Request {
	if s == nil || run == "" {
		return nil
	}
	for i := range s.Requests {
		if s.Requests[i].Run == run {
			return &s.Requests[i]
		}
	}
	return nil
}

// Request is the request of that id, nil if it is not open.
func Request(s *state.Snapshot, id string) *state.Request {
	if s == nil || id == "" {
		return nil
	}
	for i := range s.Requests {
		if s.Requests[i].ID == id {
			return &s.Requests[i]
		}
	}
	return nil
}
