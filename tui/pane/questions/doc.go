// Package questions is the view of what needs the owner: questions, given-up
// runs, pull requests to review, rows to confirm, stale claims, with the text
// of each in full and a field for the answer.
//
// It promises that a draft is kept until it is sent, whatever else happens: a
// closed field, another selection, a question that was answered elsewhere. It
// sends nothing by itself: its owner asks for the answer and sends it.
package questions
