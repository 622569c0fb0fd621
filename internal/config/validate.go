package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// ownerName is a GitHub repository as `owner/name`.
var ownerName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})/[A-Za-z0-9._-]{1,100}$`)

// refKey is the prefix of a native board's refs.
var refKey = regexp.MustCompile(`^[A-Z][A-Z0-9]{0,9}$`)

// validate walks everything that the file states, before defaults are filled
// in, and what it must state and does not.
func (d *decoder) validate(c *Config) {
	d.checkBounds(reflect.ValueOf(c).Elem(), "")
	d.checkPlatform(c)
	d.checkRepository(c)
	d.checkApps(c)
	d.checkLinear(c)
	d.checkGitHub(c)
	d.checkNative(c)
	d.checkRetry(c)
	d.checkAgents(c)
	d.checkPulls(c)
	d.checkHooks(c)
	for i, a := range c.Trust.Authors {
		d.word(fmt.Sprintf("trust.authors[%d]", i), a)
	}
}

// checkBounds holds every stated value against the limits of its field's tag.
func (d *decoder) checkBounds(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			d.checkBounds(v.Elem(), path)
		}
	case reflect.Slice:
		for i := range v.Len() {
			d.checkBounds(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Map:
		for _, k := range slices.Sorted(maps.Keys(stringKeys(v))) {
			d.checkBounds(v.MapIndex(reflect.ValueOf(k)), join(path, k))
		}
	case reflect.Struct:
		for name, i := range fieldsOf(v.Type()) {
			f := v.Type().Field(i)
			p := join(path, name)
			if b := boundsOf(&f); d.readable(p) {
				d.checkValue(v.Field(i), p, &b)
			}
			d.checkBounds(v.Field(i), p)
		}
	default:
		// A scalar is checked with its field.
	}
}

func (d *decoder) checkValue(v reflect.Value, path string, b *bounds) {
	var n float64
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		n = float64(v.Int())
	case reflect.Float64:
		n = v.Float()
	case reflect.String:
		if b.enum != nil && !slices.Contains(b.enum, v.String()) {
			d.fault(path, maybe(v.String(), b.enum), "%q is none of %s", v.String(), strings.Join(b.enum, ", "))
		}
		return
	default:
		return
	}
	switch {
	case b.hasMin && n < b.min && b.hasMax, b.hasMax && n > b.max:
		d.fault(path, "", "must be between %g and %g, is %g", b.min, b.max, n)
	case b.hasMin && n < b.min:
		d.fault(path, "", "must be at least %g, is %g", b.min, n)
	}
}

func stringKeys(v reflect.Value) map[string]struct{} {
	out := make(map[string]struct{}, v.Len())
	for _, k := range v.MapKeys() {
		out[k.String()] = struct{}{}
	}
	return out
}

// readable says whether the file states a value here that could be read.
func (d *decoder) readable(path string) bool { return d.stated(path) && !d.bad[path] }

// required asks for a text that is there and not blank.
func (d *decoder) required(path, value string) {
	switch {
	case d.bad[path]:
	case !d.stated(path):
		d.fault(path, "", "is required")
	case strings.TrimSpace(value) == "":
		d.fault(path, "", "must not be empty")
	default:
		d.line(path, value)
	}
}

// requiredNumber asks for a number that is there; its limits are the tag's.
func (d *decoder) requiredNumber(path string) {
	if !d.stated(path) {
		d.fault(path, "", "is required")
	}
}

// optional asks that a stated text is not blank.
func (d *decoder) optional(path, value string) {
	if d.stated(path) {
		d.required(path, value)
	}
}

// line refuses control characters: these texts reach screens, commands and
// commits.
func (d *decoder) line(path, value string) {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		d.fault(path, "", "must not hold control characters")
	}
}

// word is a text that must be one word.
func (d *decoder) word(path, value string) {
	d.required(path, value)
	if strings.ContainsAny(value, " \t") {
		d.fault(path, "", "must not hold spaces")
	}
}

func (d *decoder) checkPlatform(c *Config) {
	switch {
	case !d.stated("platform"):
		d.fault("platform", `the smallest file is `+Minimal, "is required: native, linear or github")
	case c.Platform == PlatformLinear && c.Linear == nil && !d.bad["linear"]:
		d.fault("linear", "add the section, or choose another platform", "is required by platform linear")
	case c.Platform == PlatformGitHub && c.GitHub == nil && !d.bad["github"]:
		d.fault("github", "add the section, or choose another platform", "is required by platform github")
	}
}

func (d *decoder) checkRepository(c *Config) {
	needs := ""
	switch {
	case c.Platform == PlatformLinear || c.Platform == PlatformGitHub:
		needs = "platform " + string(c.Platform)
	case c.Pulls.Kind == PullsGitHub:
		needs = "pulls.kind github"
	}
	switch {
	case d.bad["repository"]:
	case d.stated("repository") && !ownerName.MatchString(c.Repository):
		d.fault("repository", `write it as "acme/widgets"`, "%q is not owner/name", c.Repository)
	case needs != "" && !d.stated("repository"):
		d.fault("repository", `write it as "acme/widgets"`, "is required by %s", needs)
	}
	for i, id := range c.BotUserIDs {
		if p := fmt.Sprintf("botUserIds[%d]", i); id < 1 && !d.bad[p] {
			d.fault(p, "", "must be at least 1, is %d", id)
		}
	}
}

func (d *decoder) checkApps(c *Config) {
	if c.GitHubApps == nil || d.bad["githubApps"] {
		return
	}
	for _, a := range []struct {
		role string
		app  GitHubApp
	}{{"developer", c.GitHubApps.Developer}, {"reviewer", c.GitHubApps.Reviewer}} {
		p := "githubApps." + a.role
		if d.bad[p] {
			continue
		}
		if !d.stated(p) {
			d.fault(p, "", "is required beside the other app")
			continue
		}
		d.requiredNumber(p + ".appId")
		d.requiredNumber(p + ".installationId")
		d.required(p+".slug", a.app.Slug)
		d.required(p+".botLogin", a.app.BotLogin)
		d.requiredNumber(p + ".botUserId")
		d.optional(p+".keyFile", a.app.KeyFile)
		if strings.ContainsAny(a.app.KeyFile, `/\`) {
			d.fault(p+".keyFile", "it is looked for in .secrets/", "must be a file name without a folder")
		}
		d.optional(p+".keyEnvVar", a.app.KeyEnvVar)
	}
}

func (d *decoder) checkRetry(c *Config) {
	if c.Retry.MaxBackoff > 0 && c.Retry.BackoffSeconds > c.Retry.MaxBackoff {
		d.fault("retry.maxBackoffSeconds", "", "must not be less than retry.backoffSeconds")
	}
}

// argument is a text that becomes the value of a flag.
func (d *decoder) argument(path, value string) {
	d.optional(path, value)
	if strings.HasPrefix(value, "-") {
		d.fault(path, "", "must not begin with '-'")
	}
}

func (d *decoder) checkPulls(c *Config) {
	d.optional("pulls.base", c.Pulls.Base)
	if d.readable("pulls.base") && !branchName(c.Pulls.Base) {
		d.fault("pulls.base", "", "%q cannot be the name of a branch", c.Pulls.Base)
	}
	seen := map[string]bool{}
	for i, k := range c.Pulls.Checks {
		p := fmt.Sprintf("pulls.checks[%d]", i)
		if d.bad[p] {
			continue
		}
		d.required(p+".name", k.Name)
		if k.Name != "" && seen[k.Name] {
			d.fault(p+".name", "", "another check is called %q", k.Name)
		}
		seen[k.Name] = true
		d.program(p+".command", k.Command)
	}
}

// program asks for a command as a list.
func (d *decoder) program(path string, command []string) {
	switch {
	case d.bad[path]:
	case len(command) == 0:
		d.fault(path, `for example ["go", "test", "./..."]`, "is required: the program and its arguments")
	case strings.TrimSpace(command[0]) == "" && !d.bad[path+"[0]"]:
		d.fault(path+"[0]", "", "must name a program")
	}
}

func (d *decoder) checkHooks(c *Config) {
	for _, h := range []struct {
		name string
		hook *Hook
	}{
		{"afterCreate", c.Hooks.AfterCreate},
		{"beforeRun", c.Hooks.BeforeRun},
		{"afterRun", c.Hooks.AfterRun},
		{"beforeRemove", c.Hooks.BeforeRemove},
	} {
		if p := "hooks." + h.name; h.hook != nil && !d.bad[p] {
			d.program(p+".command", h.hook.Command)
		}
	}
}

// branchName applies the rules of git check-ref-format that matter for a
// branch.
func branchName(s string) bool {
	if strings.HasPrefix(s, "-") || strings.HasSuffix(s, ".") || strings.Contains(s, "..") ||
		strings.Contains(s, "@{") || strings.ContainsAny(s, " ~^:?*[\\\x7f") || s == "@" {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return false
		}
	}
	return true
}

// roleNames lists the keys of a states map.
func roleNames() []string {
	out := make([]string, 0, len(board.Roles()))
	for _, r := range board.Roles() {
		out = append(out, string(r))
	}
	return out
}
