// Package settings is what one person likes: room.json and themes of their own
// in their configuration folder, for every repository on this machine.
//
// It promises that settings which are answered are whole and valid, that every
// fault of a file is reported at once with its line, and that a file which is
// not there changes nothing. It is not the repository's configuration, holds
// nothing that decides what the loop does, and no secret belongs into it.
package settings
