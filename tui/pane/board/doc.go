// Package board is the board as a pane: columns by role, or one grouped list.
//
// It promises that every row says on its second line (in the list, at its
// right) why it stands where it stands, that the selection belongs to the
// issue and follows it to another column, and that what it costs to draw does
// not depend on how many issues there are. Backlog and Done stay folded until
// they have the focus or a filter looks into them.
//
// It reads snapshots and keys; it sends nothing and opens nothing.
package board
