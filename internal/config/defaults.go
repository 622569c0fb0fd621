package config

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// Defaults that depend on the board.
const (
	pollNative = 5  // seconds
	pollRemote = 60 // seconds
)

// The two homes of pull requests.
const (
	PullsLocal  = "local"
	PullsGitHub = "github"
)

// bounds are the limits and the default that a field's jsonschema tag states;
// the schema, the document, the defaults and the validation all read them
// there.
type bounds struct {
	min, max       float64
	hasMin, hasMax bool
	enum           []string
	def            string
	hasDef         bool
}

func boundsOf(f *reflect.StructField) bounds {
	var b bounds
	for part := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		k, v, _ := strings.Cut(part, "=")
		switch k {
		case "minimum":
			b.min, b.hasMin = number(v), true
		case "maximum":
			b.max, b.hasMax = number(v), true
		case "enum":
			b.enum = append(b.enum, v)
		case "default":
			b.def, b.hasDef = v, true
		}
	}
	return b
}

func number(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic("config: a field's tag has a limit that is no number: " + s)
	}
	return f
}

// fillTags gives every empty field below v the default of its tag. It does not
// enter nil pointers: an absent section stays absent.
func fillTags(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillTags(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillTags(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if b := boundsOf(&f); b.hasDef && v.Field(i).IsZero() {
				setDefault(v.Field(i), b.def)
			}
			fillTags(v.Field(i))
		}
	default:
		// Scalars have their default from their struct; maps are filled by hand.
	}
}

func setDefault(v reflect.Value, def string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(def)
	case reflect.Float64:
		v.SetFloat(number(def))
	default:
		v.SetInt(int64(number(def)))
	}
}

// fill completes a configuration: the defaults of the tags, and those that
// depend on the board or on a name.
func (c *Config) fill() {
	fillTags(reflect.ValueOf(c).Elem())
	local := c.Platform == PlatformNative
	if c.Loop.PollSeconds == 0 {
		c.Loop.PollSeconds = pollRemote
		if local {
			c.Loop.PollSeconds = pollNative
		}
	}
	if c.Pulls.Kind == "" {
		c.Pulls.Kind = PullsGitHub
		if local {
			c.Pulls.Kind = PullsLocal
		}
	}
	c.fillStates()
	c.fillAgents()
	c.fillApps()
}

func (c *Config) fillStates() {
	if c.Native.States == nil {
		c.Native.States = map[string]string{}
	}
	for _, r := range board.Roles() {
		if c.Native.States[string(r)] == "" {
			c.Native.States[string(r)] = r.DefaultName()
		}
	}
}

func (c *Config) fillApps() {
	if c.GitHubApps == nil {
		return
	}
	for _, a := range []struct {
		role string
		app  *GitHubApp
	}{{"DEVELOPER", &c.GitHubApps.Developer}, {"REVIEWER", &c.GitHubApps.Reviewer}} {
		a.app.KeyFile = orElse(a.app.KeyFile, a.app.Slug+".private-key.pem")
		a.app.KeyEnvVar = orElse(a.app.KeyEnvVar, "DISPATCHER_GITHUB_APP_KEY_"+a.role)
	}
}

func orElse(s, otherwise string) string {
	if s != "" {
		return s
	}
	return otherwise
}
