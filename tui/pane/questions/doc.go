// Package questions is the view of what needs the owner: what running workers
// ask, questions on the board, given-up runs, pull requests to review, rows to
// confirm, stale claims, with the text of each in full, and what answering does.
//
// It promises that nothing is chosen beforehand where something is allowed or
// denied, that an option is sent in full and not as its number, that a draft
// and what could not be sent stay marked on their row, and that the next item
// is selected once one is answered. It sends nothing by itself: it answers the
// field or the menu that does.
package questions
