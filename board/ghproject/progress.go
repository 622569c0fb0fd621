package ghproject

import "github.com/backside4charter/dispatcher/board"

// itemsAPage is how many items a page of a sweep has.
const itemsAPage = 100

// pages count the requests of a look: which one is under way, and how many
// there are going to be.
type pages struct{ at, of int }

func pagesOf(n, size int) int { return (n + size - 1) / size }

// swept is told after each page of a sweep but the last: how many items there
// are in all, and how many of those seen so far are going to be read in full,
// as the rest will be in proportion.
func (b *Board) swept(page, total, unread int) {
	seen := page * itemsAPage
	b.mirror.pages = pages{page, pagesOf(total, itemsAPage) + pagesOf(unread*total/seen, atOnce)}
	b.nextPage()
}

// nextPage says that the next request is under way.
func (b *Board) nextPage() {
	p := &b.mirror.pages
	p.at++
	p.of = max(p.of, p.at)
	b.Told(board.Progress{Board: "GitHub", Page: p.at, Pages: p.of})
}

// unread are the open ones that the copy does not know.
func (m *mirror) unread(items []*slimItem) (n int) {
	for _, it := range items {
		if _, known := m.full[it.Content.Issue.ID]; !known && it.Content.Issue.State != "CLOSED" {
			n++
		}
	}
	return n
}
