package linear

import "strconv"

// ForeignBlockers counts the issues of other teams that are looked at of a row
// that so many of them hold back.
func ForeignBlockers(many int) int {
	r := &row{}
	for n := range many {
		w := blockerWire{Type: "blocks"}
		w.Issue.ID, w.Issue.Identifier = strconv.Itoa(n), "OTH-"+strconv.Itoa(n)
		r.blockers = append(r.blockers, w)
	}
	m := mirror{rows: map[string]*row{"row": r}}
	return len(m.foreignBlockers("ACM"))
}

// Noted counts the issues of which writes are remembered, and the comments that
// are.
func (b *Board) Noted() (issues, comments int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.written {
		comments += len(o.comments)
	}
	return len(b.written), comments
}
