package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/internal/config"
	"github.com/backside4charter/dispatcher/themes"
)

// hours is one span of a day.
var hours = regexp.MustCompile(`^([01][0-9]|2[0-3]):([0-5][0-9])-([01][0-9]|2[0-3]):([0-5][0-9])$`)

// maxThemes is more than anybody chooses from.
const maxThemes = 100

// Loaded is a person's settings and every theme they can choose.
type Loaded struct {
	Room
	Themes []themes.Theme // built-in ones first
}

// Dir is the folder of a person's settings; empty where the environment does
// not tell. DISPATCHER_SETTINGS names another one.
func Dir(getenv func(string) string) string {
	if dir := getenv("DISPATCHER_SETTINGS"); dir != "" {
		return dir
	}
	base := getenv("XDG_CONFIG_HOME")
	switch {
	case base != "":
	case runtime.GOOS == "windows":
		base = getenv("AppData")
	case getenv("HOME") == "":
	case runtime.GOOS == "darwin":
		base = filepath.Join(getenv("HOME"), "Library", "Application Support")
	default:
		base = filepath.Join(getenv("HOME"), ".config")
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "dispatcher")
}

// Load reads the settings in a folder; an empty name or a folder that is not
// there is nobody's and answers the defaults. The error is a
// config.ViolationsError of the first file that has faults, or what the file
// system said.
func Load(dir string) (Loaded, error) {
	out := Loaded{Room: Default(), Themes: themes.All()}
	if dir == "" {
		return out, nil
	}
	own, err := loadThemes(filepath.Join(dir, "themes"))
	if err != nil {
		return out, err
	}
	out.Themes = append(out.Themes, own...)
	path := filepath.Join(dir, FileName)
	data, err := config.ReadBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err != nil {
		return out, fmt.Errorf("read your settings: %w", err)
	}
	room, violations := Parse(data, out.Themes)
	if len(violations) > 0 {
		return out, &config.ViolationsError{Path: path, Violations: violations}
	}
	out.Room = room
	return out, nil
}

func loadThemes(dir string) ([]themes.Theme, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read your themes: %w", err)
	}
	var out []themes.Theme
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || e.IsDir() {
			continue
		}
		path := filepath.Join(dir, e.Name())
		if err := themeName(name); err != nil {
			return nil, fmt.Errorf("read your theme %q: %w", path, err)
		}
		if len(out) == maxThemes {
			return nil, fmt.Errorf("read your themes: more than %d stand in %s", maxThemes, dir)
		}
		data, err := config.ReadBounded(path)
		if err != nil {
			return nil, fmt.Errorf("read your theme: %w", err)
		}
		t, violations := ParseTheme(name, data)
		if len(violations) > 0 {
			return nil, &config.ViolationsError{Path: path, Violations: violations}
		}
		out = append(out, t)
	}
	return out, nil
}

// Parse reads the text of room.json, for who can choose from these themes. The
// settings are whole exactly when there are no violations.
func Parse(data []byte, all []themes.Theme) (Room, []config.Violation) {
	r := Default()
	violations := config.Decode(data, &r, func(s *config.Strict) {
		known := names(all)
		for path, name := range map[string]string{"theme": r.Theme, "darkTheme": r.DarkTheme, "lightTheme": r.LightTheme} {
			auto := name == Auto && path == "theme"
			if s.Readable(path) && !auto && !slices.Contains(known, name) {
				s.Fault(path, s.Meant(name, known), "there is no theme %q", name)
			}
		}
		for i, span := range r.Attention.Quiet {
			path := fmt.Sprintf("attention.quiet[%d]", i)
			if _, _, err := Span(span); err != nil && s.Readable(path) {
				s.Fault(path, `write it as "22:00-07:00"`, "%v", err)
			}
		}
		for i, kind := range r.Attention.Mute {
			path := fmt.Sprintf("attention.mute[%d]", i)
			if s.Readable(path) && !slices.Contains(kinds, kind) {
				s.Fault(path, s.Meant(kind, kinds), "nothing called %q calls for you", kind)
			}
		}
	})
	return r, violations
}

// Span reads hours of the day as minutes after midnight; a span that ends
// before it begins goes over midnight.
func Span(text string) (from, to int, err error) {
	m := hours.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, fmt.Errorf("%q are no hours of the day", text)
	}
	n := make([]int, len(m))
	for i := range m[1:] {
		n[i+1], _ = strconv.Atoi(m[i+1]) // two digits
	}
	return n[1]*60 + n[2], n[3]*60 + n[4], nil
}
