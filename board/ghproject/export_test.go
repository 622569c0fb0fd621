package ghproject

// Kept counts the rows that are kept in full.
func (b *Board) Kept() int {
	b.mirror.turn <- struct{}{}
	defer func() { <-b.mirror.turn }()
	return len(b.mirror.full)
}
