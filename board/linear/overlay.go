package linear

import (
	"maps"
	"slices"
	"time"
)

// How long what this process wrote is laid over what it reads.
const (
	// showsUp is how long a comment of ours may be missing from what is read. A
	// read that is provably newer than the comment is believed at once.
	showsUp = 3 * time.Second
	// forgotten is when a write is as good as everywhere.
	forgotten = 10 * time.Minute
)

// overlay is what this process wrote to an issue. A read straight after a
// write may be older than it (design.md, section 6): what the write's own
// answer said counts until the reads catch up.
type overlay struct {
	at       time.Time     // of this machine
	payload  *issuePayload // of the last update
	comments map[string]noted
	links    map[string]time.Time // URLs that were attached, when by this machine
}

// noted is a comment that was written or deleted.
type noted struct {
	comment commentWire
	deleted bool
	at      time.Time // of this machine
}

// over answers the overlay of an issue, made where there is none. b.mu is held.
func (b *Board) over(id string) *overlay {
	now := b.now()
	for old, o := range b.written {
		if now.Sub(o.at) > forgotten {
			delete(b.written, old)
		}
	}
	o := b.written[id]
	if o == nil {
		o = &overlay{comments: map[string]noted{}, links: map[string]time.Time{}}
		b.written[id] = o
	}
	maps.DeleteFunc(o.comments, func(_ string, n noted) bool { return now.Sub(n.at) > forgotten })
	o.at = now
	return o
}

// updated notes what an update confirmed.
func (b *Board) updated(p *issuePayload) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.over(p.Issue.ID)
	if o.payload == nil || p.Issue.UpdatedAt.After(o.payload.Issue.UpdatedAt) {
		o.payload = p
	}
}

// commented notes a comment that was written.
func (b *Board) commented(issue string, c *commentWire) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.over(issue)
	o.comments[c.ID] = noted{comment: *c, at: o.at}
}

// uncommented notes a comment that was deleted.
func (b *Board) uncommented(issue, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.over(issue)
	o.comments[id] = noted{deleted: true, at: o.at}
}

// linked notes an attachment that was made.
func (b *Board) linked(issue, url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.over(issue)
	o.links[url] = o.at
}

// patch lays over a row what this process wrote and the read did not see.
func (b *Board) patch(r *row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.written[r.ID]
	if o == nil {
		return
	}
	read := r.UpdatedAt
	if o.payload != nil && o.payload.Issue.UpdatedAt.After(read) {
		p := o.payload.Issue
		r.UpdatedAt, r.Description, r.State, r.Assignee, r.Delegate = p.UpdatedAt, p.Description, p.State, p.Assignee, p.Delegate
		r.labels, r.labelIDs = labelsOf(p.Labels.Nodes)
	}
	for url, at := range o.links {
		if !slices.Contains(r.links, url) && b.now().Sub(at) < showsUp {
			r.links = append(slices.Clone(r.links), url)
		}
	}
	r.comments = slices.Clone(r.comments)
	for id, n := range o.comments {
		at := slices.IndexFunc(r.comments, func(c commentWire) bool { return c.ID == id })
		switch {
		case n.deleted:
			if at >= 0 {
				r.comments = slices.Delete(r.comments, at, at+1)
			}
		case at >= 0:
			if n.comment.UpdatedAt.After(r.comments[at].UpdatedAt) {
				r.comments[at] = n.comment
			}
		case read.Before(n.comment.CreatedAt) && b.now().Sub(n.at) < showsUp:
			r.comments = append(r.comments, n.comment)
		}
	}
}
