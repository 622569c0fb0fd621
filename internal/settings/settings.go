package settings

import (
	_ "embed"
	"slices"
)

// FileName is the name of the file in the person's configuration folder.
const FileName = "room.json"

// Room is how a person likes the control room. A key that is left out keeps
// its default.
type Room struct {
	// Where an editor finds the JSON schema of this file.
	Schema string `json:"$schema,omitempty"`
	// A theme by name, built in or a file of yours under themes/; auto asks the terminal whether it is dark, and takes the dark one until it answers.
	Theme string `json:"theme,omitempty" jsonschema:"default=auto"`
	// The theme that auto takes on a dark terminal.
	DarkTheme string `json:"darkTheme,omitempty" jsonschema:"default=dusk"`
	// The theme that auto takes on a light terminal.
	LightTheme string `json:"lightTheme,omitempty" jsonschema:"default=dawn"`
	// How wide the terminal draws characters of ambiguous width; wide draws signs and borders in plain ASCII.
	AmbiguousWidth string `json:"ambiguousWidth,omitempty" jsonschema:"enum=narrow,enum=wide,default=narrow"`
	// Click, double click and wheel; shift still selects text.
	Mouse bool `json:"mouse" jsonschema:"default=true"`
	// Signs that move while something is under way.
	Motion bool `json:"motion" jsonschema:"default=true"`
	// For slow lines: four frames a second, no motion, clocks by the minute. --slow is the same for once.
	Slow bool `json:"slow" jsonschema:"default=false"`
	// For screen readers: one column of lines, words for signs, each change a new line. --plain is the same for once, and so is TERM=dumb.
	Plain bool `json:"plain" jsonschema:"default=false"`
	// How the room calls for you.
	Attention Attention `json:"attention,omitzero"`
	// Keys of your own: the name of an action, as docs/keys.md lists it, to all of its keys. A key that two actions have is refused.
	Keys map[string][]string `json:"keys,omitempty"`
	// Where letters lie on your keyboard, for terminals that do not tell the place of a key: the key on the place of a Latin letter counts as that letter.
	Keyboard string `json:"keyboard,omitempty" jsonschema:"enum=latin,enum=cyrillic,enum=greek,enum=hebrew,default=latin"`
}

// Attention is how the room calls for its owner.
type Attention struct {
	// Ring the terminal's bell.
	Bell bool `json:"bell" jsonschema:"default=true"`
	// How the terminal shows a notification: auto finds it out, osc9 and osc777 are the two sequences in use.
	Notify string `json:"notify,omitempty" jsonschema:"enum=auto,enum=osc9,enum=osc777,enum=off,default=auto"`
	// What needs you in the terminal's title.
	Title bool `json:"title" jsonschema:"default=true"`
	// The done share of the issues as the terminal's progress, where it shows one.
	Progress bool `json:"progress" jsonschema:"default=true"`
	// Hours of your day without bell and notification, each as 22:00-07:00.
	Quiet []string `json:"quiet,omitempty"`
	// What does not call: question, permission, finished, gave-up, limit.
	Mute []string `json:"mute,omitempty"`
	// Minutes without a key after which you count as away, and are told what happened.
	AwayMinutes int `json:"awayMinutes,omitempty" jsonschema:"minimum=1,maximum=1440,default=10"`
}

// Auto asks the terminal which theme suits it.
const Auto = "auto"

// Default is the settings of who has no file.
func Default() Room {
	return Room{
		Theme: Auto, DarkTheme: "dusk", LightTheme: "dawn", AmbiguousWidth: "narrow", Keyboard: "latin", Mouse: true, Motion: true,
		Attention: Attention{Bell: true, Notify: Auto, Title: true, Progress: true, AwayMinutes: 10},
	}
}

// kinds are what can call for a person.
var kinds = []string{"question", "permission", "finished", "gave-up", "limit"}

// schema and themeSchema are generated from the structs by `go generate`; a
// test keeps them fresh.
//
//go:embed room.schema.json
var schema []byte

//go:embed theme.schema.json
var themeSchema []byte

// JSONSchema is the JSON schema of room.json, for editors.
func JSONSchema() []byte { return slices.Clone(schema) }

// ThemeJSONSchema is the JSON schema of a theme's file.
func ThemeJSONSchema() []byte { return slices.Clone(themeSchema) }
