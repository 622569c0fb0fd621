// Package linear is a Linear of our own on loopback: a stateful model of
// teams, projects, states, issues, comments and attachments behind the same
// GraphQL that Linear answers.
//
// It promises to be as strict as the real one where that matters to a client:
// every query is parsed, held against a schema (schema.graphql, a part of
// Linear's own) and against the complexity that Linear charges, requests and
// points run out by the hour, labelIds replaces all labels, delegating sets
// the assignee, an archived issue is out of every list, and a merged pull
// request moves its issues by the team's automation. It can be told to fail in
// the ways that were seen of the real one (Fault), and it can keep its state in
// a folder, so that another process goes on with it.
//
// It never reaches beyond the listener it is given, and it is no authority on
// Linear: what is unknown of Linear is an option here, so that tests run both
// ways.
package linear
