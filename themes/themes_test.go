package themes

import (
	"image/color"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func luminance(c color.Color) float64 {
	r, g, b, _ := c.RGBA()
	f := func(v uint32) float64 {
		x := float64(v) / 0xffff
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*f(r) + 0.7152*f(g) + 0.0722*f(b)
}

func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

func TestContrast(t *testing.T) {
	t.Parallel()
	for _, th := range All() {
		want := 4.5
		if strings.HasPrefix(th.Name, "high-contrast") {
			want = 7
		}
		p := th.Palette
		v := reflect.ValueOf(p)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if name == "Ground" || name == "Chosen" || name == "Border" {
				continue
			}
			c, ok := v.Field(i).Interface().(color.Color)
			if !ok || c == nil {
				t.Fatalf("%s: %s has no colour", th.Name, name)
			}
			if got := contrast(c, p.Ground); got < want {
				t.Errorf("%s: %s on the ground has contrast %.1f, want %.1f", th.Name, name, got, want)
			}
			// The selected row keeps 4.5 to 1 in every theme.
			if got := contrast(c, p.Chosen); got < 4.5 {
				t.Errorf("%s: %s on the selected row has contrast %.1f, want 4.5", th.Name, name, got)
			}
		}
		if got := contrast(p.Border, p.Ground); got < 2.4 {
			t.Errorf("%s: borders have contrast %.1f", th.Name, got)
		}
	}
}

// deuteranopia maps a colour to what a person without green cones sees
// (Viénot, Brettel and Mollon 1999), in linear light.
func deuteranopia(c color.Color) [3]float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint32) float64 { return math.Pow(float64(v)/0xffff, 2.2) }
	R, G, B := lin(r), lin(g), lin(b)
	return [3]float64{0.29275*R + 0.70725*G, 0.29275*R + 0.70725*G, -0.02234*R + 0.02234*G + B}
}

func TestStatesStayApartWithoutGreen(t *testing.T) {
	t.Parallel()
	for _, th := range All() {
		p := th.Palette
		pairs := map[string][2]color.Color{
			"alive and failed": {p.Alive, p.Danger},
			"done and failed":  {p.Good, p.Danger},
			"alive and stale":  {p.Alive, p.Warn},
		}
		for name, pair := range pairs {
			a, b := deuteranopia(pair[0]), deuteranopia(pair[1])
			d := math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
			if d < 0.1 {
				t.Errorf("%s: %s look alike without green cones (%.3f)", th.Name, name, d)
			}
		}
	}
}

func TestSignsAreOneCell(t *testing.T) {
	t.Parallel()
	for _, set := range []any{drawnSigns, asciiSigns, plainSigns, plainBorders.Thin, drawnBorders.Thin, drawnBorders.Thick, asciiBorders.Thin, asciiBorders.Thick} {
		v := reflect.ValueOf(set)
		for i := range v.NumField() {
			s := v.Field(i).String()
			if ansi.StringWidth(s) != 1 || ansi.StringWidthWc(s) != 1 {
				t.Errorf("%s of %T: %q is not one cell", v.Type().Field(i).Name, set, s)
			}
		}
	}
	for _, set := range []any{asciiSigns, asciiBorders.Thin, asciiBorders.Thick} {
		v := reflect.ValueOf(set)
		for i := range v.NumField() {
			if s := v.Field(i).String(); len(s) != 1 {
				t.Errorf("%q is not ASCII", s)
			}
		}
	}
}

// TestFewerColours holds the themes to being read where the renderer samples
// them down to 256 colours, and to their signs where there are sixteen.
func TestFewerColours(t *testing.T) {
	t.Parallel()
	for _, th := range All() {
		v := reflect.ValueOf(th.Palette)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if name == "Ground" || name == "Chosen" || name == "Border" {
				continue
			}
			c := colorprofile.ANSI256.Convert(v.Field(i).Interface().(color.Color))
			for _, ground := range []color.Color{th.Palette.Ground, colorprofile.ANSI256.Convert(th.Palette.Chosen)} {
				if got := contrast(c, ground); got < 4 {
					t.Errorf("%s: %s has contrast %.1f in 256 colours", th.Name, name, got)
				}
			}
		}
		th.Basic = true
		s := th.Styles()
		for tone := ToneMuted; tone <= ToneDanger; tone++ {
			if got := s.Tone(tone).Prefix(); strings.Contains(got, "38;") {
				t.Errorf("%s: tone %d asks sixteen colours for %q", th.Name, tone, got)
			}
		}
		if s.Chosen != nil {
			t.Errorf("%s: the selected row has a ground in sixteen colours", th.Name)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	grounds := map[bool]int{}
	for _, th := range All() {
		if seen[th.Name] {
			t.Errorf("two themes are named %s", th.Name)
		}
		seen[th.Name] = true
		grounds[th.Dark]++
		if dark := luminance(th.Palette.Ground) < 0.2; dark != th.Dark {
			t.Errorf("%s says dark: %v, its ground is not", th.Name, th.Dark)
		}
	}
	if grounds[true] < 3 || grounds[false] < 3 {
		t.Errorf("there are %d dark and %d light themes", grounds[true], grounds[false])
	}
	own := append(All(), Theme{Name: NameDark, ASCII: true})
	if got, ok := Named(own, NameDark); !ok || !got.ASCII {
		t.Error("a theme of the user's own does not go before the built-in one")
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	if n := reflect.TypeFor[Signs]().NumField(); n != len(spoken) {
		t.Fatalf("%d signs have %d words", n, len(spoken))
	}
	th := For(true)
	th.Plain = true
	s := th.Styles()
	b := s.Borders.Thin
	for want, in := range map[string]string{
		"ACM-12 Cache, alive, 12m":             b.Vertical + s.Signs.Bar + "ACM-12 Cache      " + s.Signs.Alive + " 12m    " + b.Vertical,
		"Ready 4":                              b.TopLeft + b.Horizontal + " Ready 4 " + b.Horizontal + b.Horizontal + b.TopRight,
		"":                                     b.BottomLeft + b.Horizontal + b.BottomRight,
		"dev, alive, 12m, attention, asks you": "dev " + s.Signs.Alive + " 12m · " + s.Signs.Attention + " asks you",
		"next: a developer, 4 done":            s.Signs.Next + " next: a developer    4 " + s.Signs.Done + "done",
		"日本 x":                                 " 日本 x ",
	} {
		if got := Words(in); got != want {
			t.Errorf("%q reads %q, want %q", in, got, want)
		}
	}
}

func TestParseColor(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]color.Color{
		"#ff8000": color.RGBA{0xff, 0x80, 0, 0xff}, "#F80": color.RGBA{0xff, 0x88, 0, 0xff},
		"": nil, "#": nil, "ff8000": nil, "#ff80000": nil, "#+f8000": nil, "#gg0000": nil, "#é0": nil, "red": nil,
	} {
		got, ok := ParseColor(in)
		if ok != (want != nil) || got != want {
			t.Errorf("ParseColor(%q) = %v, %v", in, got, ok)
		}
	}
}

func TestByName(t *testing.T) {
	t.Parallel()
	for _, th := range All() {
		got, ok := ByName(th.Name)
		if !ok || got.Name != th.Name {
			t.Errorf("ByName(%q) = %v, %v", th.Name, got.Name, ok)
		}
	}
	if _, ok := ByName("solarised"); ok {
		t.Error("an unknown theme was found")
	}
	if !For(true).Dark || For(false).Dark {
		t.Error("For mixes up light and dark")
	}
}

func TestInk(t *testing.T) {
	t.Parallel()
	s := For(true).Styles()
	if got := s.Text.Render("x"); got != "x" {
		t.Errorf("plain text is drawn as %q", got)
	}
	for tone := TonePlain; tone <= ToneDanger; tone++ {
		got := s.Tone(tone).On(s.Chosen).Render("x")
		if ansi.Strip(got) != "x" || !strings.HasSuffix(got, reset) {
			t.Errorf("tone %d on the selected row is drawn as %q", tone, got)
		}
	}
	if got := s.Danger.Render(""); got != "" {
		t.Errorf("nothing is drawn as %q", got)
	}
	if got := s.Danger.On(nil); got != s.Danger {
		t.Error("On(nil) changed the ink")
	}
}
