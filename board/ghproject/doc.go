// Package ghproject is the board on GitHub Projects v2: the issues of one
// repository in one project, whose Status field is the column and whose text
// field Claimed By holds the claim, or the phase of a row that waits.
//
// It promises that columns are found by their names on each write, so that a
// renamed or renumbered option fails loudly and writes nothing; that items
// which are archived, hidden from the token, drafts or of another repository
// are no rows; and that of two sessions that claim a row at once the one whose
// value stands has it (design.md, section 6). A claim there is advisory: there
// is no fence.
//
// A poll looks at all rows at once and reads in full what is open and has
// changed; of closed rows it tells no comments and, where they have no relations
// to other issues, asks for neither. A row is read again before it is written to.
//
// The field holds
//
//	dev:<session>@2026-08-27T14:05Z                a claim
//	cleanup:<session>@2026-08-27T14:05Z · from human-review
//	dev:-  review:-                                a phase: queued for a developer, a reviewer
//	question:-                                     a question, where the board has no such column
//
// and nothing on a row of nobody. Any other text is another agent's claim.
package ghproject
