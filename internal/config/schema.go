package config

import (
	_ "embed"
	"slices"
)

// schema is generated from Config by `go generate`; a test keeps it fresh.
//
//go:embed schema.json
var schema []byte

// JSONSchema is the JSON schema of the file, for editors.
func JSONSchema() []byte { return slices.Clone(schema) }
