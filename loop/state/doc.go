// Package state is the plain values of the loop: what it keeps (runs,
// settings), what a firing read (facts), what was decided (decisions), what an
// operator may ask (commands), and the picture that readers get (snapshots).
//
// Nothing in it does work. A Snapshot is immutable once published: readers
// keep it as long as they like and never change it.
package state
