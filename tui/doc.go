// Package tui is the control room: the board, its workers and what needs the
// owner on one terminal.
//
// It is a client of snapshots and commands, nothing else: it keeps selection,
// scroll positions and drafts, and never decides what the loop does. It
// promises that nothing that arrives by itself moves the focus, the selection
// or the screen, that no text of an issue or an agent reaches the terminal
// unescaped, that no size breaks a border, and that the terminal is left as it
// was found, also after a panic.
//
// Panes are plain values with imperative methods; only the root is a
// tea.Model, and it only routes: size, overlay, global keys, then the pane with
// the focus. Update does no I/O; what waits or sends is a command that ends
// with the room.
package tui
