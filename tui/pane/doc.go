// Package pane is what a pane of the control room and its root say to each
// other: what the keys act on, what an action came to, the menus, questions
// and fields that a pane asks the root to show.
//
// It is values only. A pane never sends, opens or asks by itself: it answers a
// Reply and the root carries it out, so that what a key opens takes the next
// key at once.
package pane
