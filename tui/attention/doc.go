// Package attention decides when the room calls for its owner, and with what:
// bell, notification, title, progress, and the line about what happened while
// they were away.
//
// It promises that one thing calls once however often a picture shows it, that
// what already stood there when the room was opened does not call, that a
// storm is one call, and that no text of an issue or an agent leaves it with a
// control character. It knows no clock and writes nothing: it answers values.
package attention
