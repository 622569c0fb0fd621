package settings

import (
	"fmt"
	"image/color"
	"reflect"
	"strings"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/themes"
)

// Theme is a theme of one's own: a file in the folder themes, whose name is the
// theme's. What it leaves out is taken from its base.
type Theme struct {
	// Where an editor finds the JSON schema of this file.
	Schema string `json:"$schema,omitempty"`
	// The built-in theme whose colours stand where this file has none.
	Base string `json:"base,omitempty" jsonschema:"default=dusk"`
	// The colours, each as #rrggbb.
	Colors Colors `json:"colors,omitzero"`
}

// Colors are the colours of a theme, each named by what it means.
type Colors struct {
	// The terminal's background that the theme is made for. It is not drawn; it says whether the theme is a dark one.
	Ground string `json:"ground,omitempty"`
	// What is read.
	Text string `json:"text,omitempty"`
	// What may be skipped: ages, units, second lines.
	Muted string `json:"muted,omitempty"`
	// Lines between panes.
	Border string `json:"border,omitempty"`
	// Focus, keys, headings.
	Accent string `json:"accent,omitempty"`
	// A worker at work.
	Alive string `json:"alive,omitempty"`
	// Done, green checks.
	Good string `json:"good,omitempty"`
	// What waits for a person.
	Attention string `json:"attention,omitempty"`
	// Stale, behind, pending.
	Warn string `json:"warn,omitempty"`
	// Failed, conflict, refused.
	Danger string `json:"danger,omitempty"`
	// The ground of the selected row.
	Chosen string `json:"chosen,omitempty"`
}

// ParseTheme reads a theme's file. The theme is whole exactly when there are no
// violations.
func ParseTheme(name string, data []byte) (themes.Theme, []config.Violation) {
	in := Theme{Base: themes.NameDark}
	var out themes.Theme
	violations := config.Decode(data, &in, func(s *config.Strict) {
		base, ok := themes.ByName(in.Base)
		if !ok && s.Readable("base") {
			s.Fault("base", s.Meant(in.Base, names(themes.All())), "there is no theme %q", in.Base)
		}
		out = base
		out.Name = name
		paint(s, &in.Colors, &out.Palette)
		out.Dark = dark(out.Palette.Ground)
	})
	return out, violations
}

// paint puts the file's colours over those of the base. Both structs have the
// same fields; a test holds them to it.
func paint(s *config.Strict, in *Colors, p *themes.Palette) {
	from, to := reflect.ValueOf(in).Elem(), reflect.ValueOf(p).Elem()
	for i := range from.NumField() {
		f := from.Type().Field(i)
		path := "colors." + strings.TrimSuffix(f.Tag.Get("json"), ",omitempty")
		text := from.Field(i).String()
		if !s.Readable(path) {
			continue
		}
		c, ok := themes.ParseColor(text)
		if !ok {
			s.Fault(path, `write it as "#7fb8ff"`, "%q is no colour", text)
			continue
		}
		to.FieldByName(f.Name).Set(reflect.ValueOf(&c).Elem())
	}
}

// dark says whether a ground is nearer to black than to white, as the eye
// weighs colours.
func dark(c color.Color) bool {
	if c == nil {
		return true
	}
	r, g, b, _ := c.RGBA()
	return 299*r+587*g+114*b < 500*0xffff
}

func names(all []themes.Theme) []string {
	out := make([]string, len(all))
	for i := range all {
		out[i] = all[i].Name
	}
	return out
}

// themeName refuses what a palette could not show or a person not type.
func themeName(name string) error {
	if name == "" || len(name) > 40 || name == Auto || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return fmt.Errorf("%q is no name for a theme: lower-case letters, digits and hyphens, at most 40", name)
	}
	return nil
}
