// Package github is pull requests on GitHub, behind the same methods as local
// ones: read by GraphQL, written by REST as the two Apps.
//
// It promises that a sweep over 50 open pull requests with nothing changed
// costs one request, and two when something did; that a refused update is asked
// again what it means and never guessed; that knowledge is not lost to an
// UNKNOWN; that it sends nothing while GitHub has asked it to wait; and that a
// reviewer's review is only ever a comment. Tokens stay in memory, are renewed
// before they end, and follow no redirect to another host.
//
// It never merges, never forces, and writes no board.
package github
