package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxMarks is how many combining marks one character keeps: more only paint
// over the lines above and below.
const maxMarks = 3

// Clean makes text from outside safe for one line of a screen.
//
// Colour sequences vanish, every other control character is shown as a sign
// (a run of the same one once), line breaks and tabs become spaces, direction
// overrides are shown as �. Clusters that terminals measure differently (ZWJ
// families, skin tones, variation selectors) are reduced until all agree, so
// that no border moves.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var last rune
	before := ""
	for s != "" {
		if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
			if n := sgrLen(s); n > 0 {
				s = s[n:]
				continue
			}
			last = cleanASCII(&b, s[0], last)
			s = s[1:]
			continue
		}
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		if cluster == "" {
			break
		}
		s = s[len(cluster):]
		if cluster == apart {
			// Text that is clean already keeps what holds its letters apart.
			if joins(before, s) {
				b.WriteString(apart)
			}
			continue
		}
		before = cluster
		cleanCluster(&b, cluster)
		last = 0
	}
	return b.String()
}

// apart stands between letters that would otherwise become one cluster.
const apart = "\u200b"

// joins says whether the first letter of s would become part of the cluster
// before it.
func joins(before, s string) bool {
	if before == "" || s == "" {
		return false
	}
	cluster, _ := ansi.FirstGraphemeCluster(before+s, ansi.GraphemeWidth)
	return len(cluster) > len(before)
}

// CleanLines splits text into lines and cleans each. A final line break makes
// no empty line.
func CleanLines(s string) []string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Clean(strings.TrimRight(strings.ReplaceAll(l, "\t", "    "), " "))
	}
	return lines
}

func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// sgrLen is the length of a colour sequence at the start of s, or 0.
func sgrLen(s string) int {
	if len(s) < 3 || s[0] != 0x1b || s[1] != '[' {
		return 0
	}
	for i := 2; i < len(s) && i < 64; i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 0
		}
	}
	return 0
}

func cleanASCII(b *strings.Builder, c byte, last rune) rune {
	switch {
	case c == '\n' || c == '\t':
		b.WriteByte(' ')
	case c < 0x20 || c == 0x7f:
		sign := rune(0x2400) + rune(c)
		if c == 0x7f {
			sign = 0x2421
		}
		if last == sign {
			return last
		}
		b.WriteRune(sign)
		return sign
	default:
		b.WriteByte(c)
	}
	return 0
}

// cleanCluster writes the richest form of a cluster on whose width both ways
// of measuring agree.
func cleanCluster(b *strings.Builder, cluster string) {
	if !utf8.ValidString(cluster) {
		b.WriteRune(utf8.RuneError)
		return
	}
	runes := []rune(cluster)
	for i, r := range runes {
		switch {
		case r == '\n' || r == '\t' || r == 0x2028 || r == 0x2029:
			b.WriteByte(' ')
			return
		case r < 0x20 || r == 0x7f:
			cleanASCII(b, byte(r), 0)
			return
		case r >= 0x80 && r < 0xa0, isBidi(r), i == 0 && unicode.Is(unicode.Co, r):
			b.WriteRune(utf8.RuneError)
			return
		}
	}
	if agree(cluster) && len(runes) <= 1+maxMarks {
		b.WriteString(cluster)
		return
	}
	if s := reduce(runes); s != "" {
		b.WriteString(s)
	}
}

// agree says whether terminals that measure by grapheme and by code point
// draw s equally wide, and at all.
func agree(s string) bool {
	w := ansi.StringWidth(s)
	return w > 0 && w == ansi.StringWidthWc(s)
}

func reduce(runes []rune) string {
	var base []rune
	marks := 0
	for _, r := range runes {
		switch {
		case dropped(r):
		case unicode.In(r, unicode.Mn, unicode.Me):
			if marks++; marks <= maxMarks {
				base = append(base, r)
			}
		case len(base) == 0 || unicode.IsLetter(r) || unicode.Is(unicode.Mc, r):
			if len(base) > 0 {
				base = append(base, []rune(apart)...) // keeps the letters of an Indic cluster apart
			}
			base = append(base, r)
		}
	}
	if len(base) == 0 {
		return ""
	}
	if r := base[0]; len(base) == 1 && r >= 0x1f1e6 && r <= 0x1f1ff {
		return string('A' + r - 0x1f1e6) // half a flag
	}
	for _, try := range []string{string(base), string(base[:1]), "◌" + string(base[:1])} {
		if agree(try) && noJoin(try) {
			return try
		}
	}
	return string(utf8.RuneError)
}

// noJoin says that s keeps its width when something stands before it.
func noJoin(s string) bool { return ansi.StringWidth("a"+s) == 1+ansi.StringWidth(s) }

// dropped says that r draws nothing by itself: joiners, selectors, tags, skin
// tones and every other invisible format character.
func dropped(r rune) bool {
	return unicode.Is(unicode.Cf, r) || (r >= 0xfe00 && r <= 0xfe0f) ||
		(r >= 0xe0000 && r <= 0xe0fff) || (r >= 0x1f3fb && r <= 0x1f3ff)
}

func isBidi(r rune) bool {
	return r == 0x61c || r == 0x200e || r == 0x200f || (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069)
}
