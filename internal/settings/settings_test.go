package settings_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/internal/settings"
	"github.com/backside4charter/dispatcher/themes"
)

func TestParse(t *testing.T) {
	t.Parallel()
	with := func(change func(*settings.Room)) settings.Room {
		r := settings.Default()
		change(&r)
		return r
	}
	for name, tc := range map[string]struct {
		text string
		want settings.Room
	}{
		"nothing": {`{}`, settings.Default()},
		"some": {
			`{"theme": "ember", "mouse": false, "attention": {"bell": false, "quiet": ["22:00-07:00"], "mute": ["finished"]}}`,
			with(func(r *settings.Room) {
				r.Theme, r.Mouse, r.Attention.Bell = "ember", false, false
				r.Attention.Quiet, r.Attention.Mute = []string{"22:00-07:00"}, []string{"finished"}
			}),
		},
		"keys": {`{"keys": {"answer": ["a", "f2"]}, "ambiguousWidth": "wide"}`, with(func(r *settings.Room) {
			r.Keys, r.AmbiguousWidth = map[string][]string{"answer": {"a", "f2"}}, "wide"
		})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, violations := settings.Parse([]byte(tc.text), themes.All())
			if len(violations) > 0 {
				t.Fatal(violations)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFaultsHaveTheirPlace(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text string
		want []string
	}{
		"unknown key":   {"{\n  \"themes\": \"dusk\"\n}", []string{`themes: unknown key; did you mean "theme"? (line 2:3)`}},
		"other section": {`{"bell": true}`, []string{`bell: unknown key; did you mean "attention.bell"? (line 1:2)`}},
		"wrong type":    {`{"mouse": "yes"}`, []string{`mouse: must be true or false, is a text (line 1:11)`}},
		"theme":         {`{"theme": "dark"}`, []string{`theme: there is no theme "dark"; did you mean "dusk"? (line 1:11)`}},
		"auto elsewhere": {`{"darkTheme": "auto"}`, []string{`darkTheme: there is no theme "auto"; known here: ` +
			`dawn, dusk, ember, frost, high-contrast, high-contrast-light, night, paper, slate (line 1:15)`}},
		"hours":     {`{"attention": {"quiet": ["22-7"]}}`, []string{`attention.quiet[0]: "22-7" are no hours of the day; write it as "22:00-07:00" (line 1:26)`}},
		"mute":      {`{"attention": {"mute": ["finish"]}}`, []string{`attention.mute[0]: nothing called "finish" calls for you; did you mean "finished"? (line 1:25)`}},
		"minutes":   {`{"attention": {"awayMinutes": 0}}`, []string{`attention.awayMinutes: must be between 1 and 1440, is 0 (line 1:31)`}},
		"twice":     {`{"slow": true, "slow": false}`, []string{`slow: the key stands here twice; keep one (line 1:16)`}},
		"all of it": {`{"a": 1, "mouse": 2}`, []string{`a: unknown key; known here: `, `mouse: must be true or false, is a number (line 1:19)`}},
		"empty":     {``, []string{`not JSON: unexpected end of JSON input; the file is empty; the smallest one is {} (line 1:1)`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, violations := settings.Parse([]byte(tc.text), themes.All())
			if len(violations) != len(tc.want) {
				t.Fatalf("got %v, want %v", violations, tc.want)
			}
			for i, v := range violations {
				if !strings.HasPrefix(v.String(), tc.want[i]) {
					t.Errorf("got  %s\nwant %s", v, tc.want[i])
				}
			}
		})
	}
}

// TestDefaultsAreThoseOfTheSchema holds Default to what the tags say.
func TestDefaultsAreThoseOfTheSchema(t *testing.T) {
	t.Parallel()
	def := settings.Default()
	for _, v := range []reflect.Value{reflect.ValueOf(def), reflect.ValueOf(def.Attention)} {
		for i := range v.NumField() {
			_, said, ok := strings.Cut(v.Type().Field(i).Tag.Get("jsonschema"), "default=")
			if !ok {
				if v.Field(i).Kind() != reflect.Struct && !v.Field(i).IsZero() {
					t.Errorf("%s has a default that its tag does not say", v.Type().Field(i).Name)
				}
				continue
			}
			if got, err := json.Marshal(v.Field(i).Interface()); err != nil || strings.Trim(string(got), `"`) != said {
				t.Errorf("%s is %s, its tag says %s", v.Type().Field(i).Name, got, said)
			}
		}
	}
}

func TestTheme(t *testing.T) {
	t.Parallel()
	got, violations := settings.ParseTheme("mine", []byte(`{"base": "paper", "colors": {"ground": "#101010", "accent": "#f80"}}`))
	if len(violations) > 0 {
		t.Fatal(violations)
	}
	accent, _ := themes.ParseColor("#ff8800")
	paper, _ := themes.ByName("paper")
	if got.Name != "mine" || !got.Dark || got.Palette.Accent != accent || got.Palette.Text != paper.Palette.Text {
		t.Errorf("got %+v", got)
	}
	_, violations = settings.ParseTheme("mine", []byte("{\n\"base\": \"dask\",\n\"colors\": {\"accent\": \"blue\", \"acent\": \"#fff\"}}"))
	want := []string{
		`base: there is no theme "dask"; did you mean "dusk"? (line 2:9)`,
		`colors.accent: "blue" is no colour; write it as "#7fb8ff" (line 3:22)`,
		`colors.acent: unknown key; did you mean "accent"? (line 3:30)`,
	}
	if len(violations) != len(want) {
		t.Fatalf("got %v", violations)
	}
	for i := range want {
		if violations[i].String() != want[i] {
			t.Errorf("got  %s\nwant %s", violations[i], want[i])
		}
	}
	if c, p := reflect.TypeFor[settings.Colors](), reflect.TypeFor[themes.Palette](); c.NumField() != p.NumField() {
		t.Errorf("a file has %d colours, a palette %d", c.NumField(), p.NumField())
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if got, err := settings.Load(filepath.Join(dir, "nobody")); err != nil || got.Theme != settings.Auto || len(got.Themes) != len(themes.All()) {
		t.Errorf("no folder: %+v, %v", got, err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("themes/mine.json", `{"colors": {"accent": "#ffffff"}}`)
	write("themes/readme.txt", `not a theme`)
	write(settings.FileName, `{"theme": "mine"}`)
	got, err := settings.Load(dir)
	if err != nil || got.Theme != "mine" {
		t.Fatalf("got %+v, %v", got.Room, err)
	}
	if _, ok := themes.Named(got.Themes, "mine"); !ok {
		t.Error("the theme of one's own can't be chosen")
	}
	write(settings.FileName, `{"theme": "mine`)
	if _, err := settings.Load(dir); !isViolations(err, settings.FileName) {
		t.Errorf("a torn file: %v", err)
	}
	write("themes/mine.json", `[]`)
	if _, err := settings.Load(dir); !isViolations(err, "mine.json") {
		t.Errorf("a theme that is a list: %v", err)
	}
	write("themes/MINE.json", `{}`)
	if _, err := settings.Load(dir); err == nil {
		t.Error("a theme's name in capitals is taken")
	}
}

func isViolations(err error, file string) bool {
	v, ok := errors.AsType[*config.ViolationsError](err)
	return ok && filepath.Base(v.Path) == file
}

func TestDir(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the folder is that of Linux")
	}
	for want, env := range map[string]map[string]string{
		"/h/.config/dispatcher": {"HOME": "/h"},
		"/x/dispatcher":         {"HOME": "/h", "XDG_CONFIG_HOME": "/x"},
		"/s":                    {"HOME": "/h", "XDG_CONFIG_HOME": "/x", "DISPATCHER_SETTINGS": "/s"},
		"":                      {},
	} {
		if got := settings.Dir(func(k string) string { return env[k] }); got != want {
			t.Errorf("%v: %q, want %q", env, got, want)
		}
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	if from, to, err := settings.Span("22:30-07:05"); from != 1350 || to != 425 || err != nil {
		t.Errorf("%d, %d, %v", from, to, err)
	}
	for _, bad := range []string{"", "22-7", "24:00-07:00", "22:00-07:60", "22:00 07:00", "22:00-07:00x", "2:000-07:00", "-1:00-07:00", "+2:00-07:00"} {
		if _, _, err := settings.Span(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// FuzzParse asks that no text panics, and that what is taken is whole.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `{"theme": "dusk", "attention": {"quiet": ["1:00-2:00"]}}`, `[`, `{"keys": {"a": ["b"]}}`, `{"colors": {"text": "#fff"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if r, violations := settings.Parse(data, themes.All()); len(violations) == 0 {
			for _, span := range r.Attention.Quiet {
				if _, _, err := settings.Span(span); err != nil {
					t.Error(err)
				}
			}
		}
		if th, violations := settings.ParseTheme("x", data); len(violations) == 0 && (th.Palette.Text == nil || th.Palette.Ground == nil) {
			t.Errorf("a theme without colours: %+v", th)
		}
	})
}
