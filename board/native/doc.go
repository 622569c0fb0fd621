// Package native is the board that needs no server: one file per issue in a
// folder, written by many processes at once (design.md, section 10).
//
// It promises:
//
//   - A write that returned nil is on disk, whole; a reader never sees half of
//     one. A claim is whole too, but a power cut within the next seconds may
//     bring the one before it back: its worker is gone with the power. The
//     issue's file is the truth and the only thing synced; its line in
//     events.jsonl follows it, and a line that a crash swallowed is put in later
//     and marked as filled.
//   - A file that is broken, or written by a newer version, is one unreadable
//     row. It hides no other row and is never rewritten.
//   - A file that was changed by hand and still parses is taken as the owner's
//     edit.
//
// Claims are fenced leases. Whoever writes a claim holds the lock, so
// exactly one of several claimers wins. A claim raises the epoch;
// renewing and releasing keep it. A worker's write is accepted while the
// issue's epoch is the one it was started under, whatever the lease says; an
// expired lease only permits a takeover. While the process that a claim names
// lives on this host, nobody takes the row over. Leases are judged by one
// clock, the claimer's; clocks that differ by more than a lease between two
// hosts on one folder shorten or lengthen it by as much.
//
// It never deletes an issue, never follows a link out of its folder, and never
// decides who may do what: that is board.Policy's.
package native
