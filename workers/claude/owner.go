package claude

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// owner is what the owner's own settings files of Claude Code say that matters
// to a worker. The zero value is an owner without any.
//
// A developer and a cleaner work under the owner's settings, hooks and all:
// what those allow is done without a word, as if the profile allowed it, and
// what the profile denies or asks for stays so (measured with 2.1.332: a rule to
// deny or ask wins over a rule to allow, and over a hook that allows).
//
// A reviewer reads none of the files. A rule to allow, a hook that allows, and a
// further directory would each open what its list of allowed tools keeps shut,
// and no rule of ours could shut it again. It keeps what it cannot log in or
// reach its model without, and the owner's denials.
type owner struct {
	kept map[string]json.RawMessage
	env  map[string]envValue
	deny []string
}

// envValue is what the files set a variable to. One that is neither a text nor
// a number nor a truth value is set all the same, to what only Claude Code knows.
type envValue struct {
	text  string
	known bool
}

// Prepare answers the environment and the settings file's text of a run in dir,
// of which both hold a part of what its owner's files say. withheld names the
// variables that a worker may not have of its owner; nil is none.
func Prepare(o Options, from EnvOptions, dir string, withheld func(name string) bool) (env []string, text string) {
	w := readOwner(func(name string) string { return lastValue(from.Environ, name) }, dir)
	if o.Kind == board.KindReviewer {
		from.Environ = slices.Concat(from.Environ, w.environ())
	}
	env = Env(from)
	return env, settings(o, w, withheld, env)
}

// keptKeys are the settings by which the model is logged in to and chosen, and
// two whose absence a reviewer's run would show elsewhere: without
// cleanupPeriodDays it would delete the owner's own transcripts after Claude
// Code's default of 30 days, and without otelHeadersHelper the telemetry that
// the environment turns on would be sent without its login.
var keptKeys = []string{
	"apiKeyHelper", "proxyAuthHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh", "otelHeadersHelper",
	"forceLoginMethod", "forceLoginOrgUUID", "modelOverrides", "cleanupPeriodDays",
}

// readOwner reads the settings that Claude Code would take in dir: the
// person's, the project's, and those of this checkout, of which the later wins.
// A file that is not there, or not valid, says nothing, as it says nothing to
// Claude Code.
func readOwner(getenv func(string) string, dir string) owner {
	home := getenv("CLAUDE_CONFIG_DIR")
	if home == "" {
		for _, name := range []string{"HOME", "USERPROFILE"} {
			if h := getenv(name); h != "" {
				home = filepath.Join(h, ".claude")
				break
			}
		}
	}
	w := owner{kept: map[string]json.RawMessage{}, env: map[string]envValue{}}
	for _, path := range []string{
		filepath.Join(home, "settings.json"),
		filepath.Join(dir, ".claude", "settings.json"),
		filepath.Join(dir, ".claude", "settings.local.json"),
	} {
		if data, err := os.ReadFile(path); err == nil && filepath.IsAbs(path) {
			w.add(data)
		}
	}
	return w
}

// add takes one file's text. It takes each value and each rule for itself, as
// Claude Code does: one in a form of its own takes no other away.
func (w *owner) add(data []byte) {
	all := valuesOf(bytes.TrimPrefix(data, []byte("\ufeff"))) // the mark that some editors put first
	for _, key := range keptKeys {
		if v, ok := all[key]; ok {
			w.kept[key] = v
		}
	}
	for name, raw := range valuesOf(all["env"]) {
		w.env[name] = envValueOf(raw)
	}
	var rules []json.RawMessage
	if json.Unmarshal(valuesOf(all["permissions"])["deny"], &rules) != nil {
		return
	}
	for _, raw := range rules {
		var rule string
		if json.Unmarshal(raw, &rule) == nil && rule != "" {
			w.deny = append(w.deny, rule)
		}
	}
}

// valuesOf is a JSON object's values; of anything else there are none.
func valuesOf(data []byte) map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return nil
	}
	return all
}

// envValueOf is a variable's value as Claude Code makes a text of it.
func envValueOf(raw json.RawMessage) envValue {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return envValue{}
	}
	switch v := v.(type) {
	case string:
		return envValue{v, true}
	case float64:
		return envValue{strconv.FormatFloat(v, 'f', -1, 64), true}
	case bool:
		return envValue{strconv.FormatBool(v), true}
	}
	return envValue{}
}

// environ are the variables that the files set, as NAME=value. Claude Code sets
// them itself for a run that reads the files; for one that does not they belong
// to what its environment is made from, and pass the same list.
func (w owner) environ() []string {
	out := make([]string, 0, len(w.env))
	for _, name := range slices.Sorted(maps.Keys(w.env)) {
		if v := w.env[name]; v.known {
			out = append(out, name+"="+v.text)
		}
	}
	return out
}

// settings is the text of the settings file of a run (Options.SettingsFile).
// It keeps the program's own lines out of commits and pull requests, which are
// signed by our identities, and holds the denials, which win over everything,
// and what is asked, which wins over what is allowed. A variable that withheld
// means is what it is in env, the worker's environment, or empty, whatever the
// files say: Claude Code puts theirs over the environment that it is given.
func settings(o Options, w owner, withheld func(name string) bool, env []string) string {
	v := map[string]any{"attribution": map[string]string{"commit": "", "pr": ""}}
	rules := map[string][]string{}
	if o.Kind == board.KindReviewer {
		for key, value := range w.kept {
			v[key] = value
		}
		rules["deny"] = slices.Concat(reviewerMayNot(), o.Deny, o.AskFor, w.deny)
	} else {
		rules["deny"], rules["ask"] = o.Deny, o.AskFor
		if own := ownValues(w.env, withheld, env); len(own) > 0 {
			v["env"] = own
		}
	}
	maps.DeleteFunc(rules, func(_ string, r []string) bool { return len(r) == 0 })
	if len(rules) > 0 {
		v["permissions"] = rules
	}
	return string(bytes.TrimSpace(line(v)))
}

// ownValues are the worker's own values of what the files set and may not.
func ownValues(set map[string]envValue, withheld func(string) bool, env []string) map[string]string {
	out := map[string]string{}
	for name := range set {
		if withheld != nil && withheld(name) {
			out[name] = lastValue(env, name)
		}
	}
	return out
}

// lastValue is a variable's value in env, empty if it has none.
func lastValue(env []string, name string) string {
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}
