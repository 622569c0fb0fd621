package linear

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
)

// control is what the fake offers beside GraphQL, as a person or another
// service would act on the real one:
//
//	POST /fake/merged {"urls": [...]}  pull requests were merged
//	POST /fake/fault  {"kind": ...}    the next requests fail so
//	POST /fake/mend                    no more failures
//	GET  /fake/counts                  what was asked so far
func (w *World) control(out http.ResponseWriter, in *http.Request) {
	switch in.Method + " " + in.URL.Path {
	case "POST /fake/merged":
		var m struct {
			URLs []string `json:"urls"`
		}
		if !decode(out, in, &m) {
			return
		}
		fmt.Fprintln(out, w.Merge(m.URLs...))
	case "POST /fake/fault":
		var f Fault
		if decode(out, in, &f) {
			w.Inject(f)
		}
	case "POST /fake/mend":
		w.Mend()
	case "GET /fake/counts":
		_ = json.NewEncoder(out).Encode(w.Counts()) // a client that has gone misses nothing of ours
	default:
		http.NotFound(out, in)
	}
}

func decode(out http.ResponseWriter, in *http.Request, v any) bool {
	if err := json.NewDecoder(io.LimitReader(in.Body, maxRequest)).Decode(v); err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return false
	}
	return true
}

// Merge is what the team's automation does when pull requests are merged: it
// moves the open issues that they are attached to, and says which.
func (w *World) Merge(urls ...string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.merge(urls)
}

// mergeAll looks for merges that nobody told of. The lock is held.
func (w *World) mergeAll() {
	if w.o.Merged != nil {
		w.merge(w.o.Merged())
	}
}

func (w *World) merge(urls []string) []string {
	var moved []string
	for _, a := range w.d.Attachments {
		i := w.d.issue(a.Issue)
		to := w.d.team(i.Team).MergeState
		if !slices.Contains(urls, a.URL) || to == "" || closed(w.d.state(i.State)) || w.told(a) {
			continue
		}
		next := *i
		next.State = to
		w.changed(i, next, &History{Issue: i.ID, Bot: "github", FromState: i.State, ToState: to})
		moved = append(moved, w.d.identifier(i))
	}
	if len(moved) > 0 {
		// What cannot be kept now is kept with the next write.
		_ = w.save()
	}
	return moved
}

// told says whether the automation has moved the issue for this pull request
// before: a merge is told once, and an issue that is reopened stays open.
func (w *World) told(a *Attachment) bool {
	return slices.ContainsFunc(w.d.History, func(h *History) bool {
		return h.Issue == a.Issue && h.Bot == "github" && h.Created.After(a.Created)
	})
}

// Edit changes an issue as a person does on Linear's own pages; by is a user's
// id.
func (w *World) Edit(ref, by string, change func(i *Issue)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.d.issue(ref)
	if i == nil {
		return fmt.Errorf("no issue %s", ref)
	}
	w.remember()
	next := *i
	next.Labels = slices.Clone(i.Labels)
	change(&next)
	h := &History{Issue: i.ID, Actor: by}
	if next.State != i.State {
		h.FromState, h.ToState = i.State, next.State
	}
	w.changed(i, next, h)
	return w.save()
}

// StateID is the id of a state by its name; empty where there is none.
func (w *World) StateID(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := slices.IndexFunc(w.d.States, func(s *State) bool { return s.Name == name })
	if n < 0 {
		return ""
	}
	return w.d.States[n].ID
}

// Change lets a test or a demo change anything at all: what a workspace's
// administrator does.
func (w *World) Change(change func(d *Data)) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.remember()
	change(&Data{w.d})
	return w.save()
}

// Data is the whole workspace, under its lock.
type Data struct{ *data }

// AddComment writes a comment as a user.
func (w *World) AddComment(ref string, c Comment) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := w.d.issue(ref)
	if i == nil {
		return fmt.Errorf("no issue %s", ref)
	}
	w.remember()
	at := w.now()
	c.ID, c.Issue, c.Created, c.Updated = w.d.newID(), i.ID, at, at
	w.d.Comments = append(w.d.Comments, &c)
	if !w.o.QuietComments {
		i.Updated = at
	}
	return w.save()
}
