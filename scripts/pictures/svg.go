//go:build unix

package main

import (
	"fmt"
	"html"
	"image/color"
	"strings"
)

// Measures in the picture's units; a cell is as wide as DejaVu Sans Mono draws
// one at this size, and every other font is stretched to it.
const (
	fontSize = 14.0
	cellW    = 8.43
	cellH    = 18.0
	baseline = 13.5
	margin   = 16.0
	bar      = 30.0 // the window's title bar

	fonts = "'JetBrains Mono','SF Mono',Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono','Noto Sans Mono CJK SC',monospace"
)

// paper is what a picture is drawn on: the terminal's own two colours, and the
// window around it.
type paper struct{ ground, ink, frame, bar, name string }

// dark is the terminal of the pictures; a light theme brings its own ground.
var dark = paper{"#12141a", "#d5d8df", "#2a2e38", "#1b1e26", "#8a90a0"}

// paperOf is the paper of a terminal with these colours.
func paperOf(ground, ink color.Color) paper {
	p := dark
	if ground != nil {
		p.ground = hex(ground)
		if r, g, b, _ := ground.RGBA(); (299*r+587*g+114*b)/1000 > 0x7fff {
			p.frame, p.bar, p.name, p.ink = "#c3c0b8", "#e2dfd8", "#5b5e66", "#22242a"
		}
	}
	if ink != nil {
		p.ink = hex(ink)
	}
	return p
}

// style is how a cell looks.
type style struct {
	fg, bg                     string // "#rrggbb", empty is the terminal's own
	bold, italic, faint, under bool
}

// cell is one cell of the screen; one that a wide rune of its left neighbour
// covers has no width.
type cell struct {
	text  string
	width int
	style style
}

func hex(c color.Color) string {
	if c == nil {
		return ""
	}
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// drawing collects the parts of a picture.
type drawing struct {
	paper
	b strings.Builder
}

func (d *drawing) add(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// draw makes a picture of a screen: backgrounds, then lines and blocks as
// shapes, so that they meet in every font, then the text.
func draw(rows [][]cell, on paper, title string) string {
	w, h := 2*margin+float64(len(rows[0]))*cellW, bar+1.5*margin+float64(len(rows))*cellH
	d := drawing{paper: on}
	d.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`, w, h, w, h, html.EscapeString(title))
	d.add(`<title>%s</title>`, html.EscapeString(title))
	d.add(`<style>text{font-family:%s;font-size:%gpx;white-space:pre;fill:%s}.b{font-weight:700}.i{font-style:italic}.f{opacity:.65}</style>`, fonts, fontSize, d.ink)
	d.add(`<rect x=".5" y=".5" width="%.0f" height="%.0f" rx="10" fill="%s" stroke="%s"/>`, w-1, h-1, d.ground, d.frame)
	d.add(`<path d="M1 %g V10.5 a9.5 9.5 0 0 1 9.5-9.5 H%.1f a9.5 9.5 0 0 1 9.5 9.5 V%g Z" fill="%s"/>`, bar, w-10.5, bar, d.bar)
	for n, c := range []string{"#e0685f", "#e0b455", "#6cb56a"} {
		d.add(`<circle cx="%g" cy="%g" r="5.5" fill="%s"/>`, 20+20*float64(n), bar/2, c)
	}
	d.add(`<text x="%.1f" y="%g" text-anchor="middle" style="font-size:12px;fill:%s">dispatcher demo</text>`, w/2, bar/2+4, d.name)
	d.add(`<g transform="translate(%g %g)">`, margin, bar+margin/2)
	for y, row := range rows {
		d.backgrounds(row, float64(y)*cellH)
	}
	for y, row := range rows {
		d.row(row, float64(y)*cellH)
	}
	d.add(`</g>`)
	d.add(`</svg>`)
	return d.b.String()
}

func (d *drawing) backgrounds(row []cell, y float64) {
	for x := 0; x < len(row); {
		end, bg := x+1, row[x].style.bg
		for end < len(row) && (row[end].style.bg == bg || row[end].width == 0) {
			end++
		}
		if bg != "" && bg != d.ground {
			d.add(`<rect x="%.2f" y="%g" width="%.2f" height="%g" fill="%s" shape-rendering="crispEdges"/>`, float64(x)*cellW, y, float64(end-x)*cellW, cellH, bg)
		}
		x = end
	}
}

// row draws the shapes and the text of one line of the screen.
func (d *drawing) row(row []cell, y float64) {
	for x := 0; x < len(row); {
		c := row[x]
		if shape := shapes[c.text]; shape != nil {
			end := x + 1
			for end < len(row) && row[end].text == c.text && row[end].style == c.style && (c.text == "─" || c.text == "━") {
				end++
			}
			d.add(`%s`, shape(float64(x)*cellW, y, float64(end-x)*cellW, orElse(c.style.fg, d.ink)))
			x = end
			continue
		}
		if strings.TrimSpace(c.text) == "" {
			x++
			continue
		}
		end := d.run(row, x)
		d.text(row[x:end], float64(x)*cellW, y)
		x = end
	}
}

// run is the end of the cells that one text holds: of one style, without two
// blanks side by side; a wide rune stands alone.
func (d *drawing) run(row []cell, x int) int {
	if row[x].width > 1 {
		return x + row[x].width
	}
	end := x + 1
	for ; end < len(row); end++ {
		c := row[end]
		blank := c.text == " "
		if c.style != row[x].style || c.width != 1 || shapes[c.text] != nil || blank && (end+1 == len(row) || row[end+1].text == " " || row[end+1].style != c.style || shapes[row[end+1].text] != nil) {
			break
		}
	}
	return end
}

func (d *drawing) text(cells []cell, x, y float64) {
	var text strings.Builder
	width := 0
	for _, c := range cells {
		text.WriteString(c.text)
		width += c.width
	}
	s := cells[0].style
	var class []string
	for _, c := range []struct {
		name string
		on   bool
	}{{"b", s.bold}, {"i", s.italic}, {"f", s.faint}} {
		if c.on {
			class = append(class, c.name)
		}
	}
	attrs := ""
	if len(class) > 0 {
		attrs += ` class="` + strings.Join(class, " ") + `"`
	}
	if s.fg != "" && s.fg != d.ink {
		attrs += ` style="fill:` + s.fg + `"`
	}
	if s.under {
		attrs += ` text-decoration="underline"`
	}
	d.add(`<text x="%.2f" y="%.1f" textLength="%.2f" lengthAdjust="spacingAndGlyphs"%s>%s</text>`,
		x, y+baseline, float64(width)*cellW, attrs, html.EscapeString(text.String()))
}

// shapes are the characters that are drawn instead of written.
var shapes = map[string]func(x, y, w float64, colour string) string{
	"─": line(thin, 0, .5, 1, .5), "│": line(thin, .5, 0, .5, 1),
	"├": line(thin, .5, 0, .5, 1, .5, .5, 1, .5), "┤": line(thin, .5, 0, .5, 1, 0, .5, .5, .5),
	"┬": line(thin, 0, .5, 1, .5, .5, .5, .5, 1), "┴": line(thin, 0, .5, 1, .5, .5, 0, .5, .5),
	"┼": line(thin, 0, .5, 1, .5, .5, 0, .5, 1),
	"╭": corner(thin, 1, 1), "╮": corner(thin, 1, 0), "╰": corner(thin, 0, 1), "╯": corner(thin, 0, 0),
	"━": line(heavy, 0, .5, 1, .5), "┃": line(heavy, .5, 0, .5, 1),
	"┣": line(heavy, .5, 0, .5, 1, .5, .5, 1, .5), "┫": line(heavy, .5, 0, .5, 1, 0, .5, .5, .5),
	"┏": corner(heavy, 1, 1), "┓": corner(heavy, 1, 0), "┗": corner(heavy, 0, 1), "┛": corner(heavy, 0, 0),
	"▌": block(0, .5), "█": block(0, 1), "▏": block(0, .125), "▎": block(0, .25), "▐": block(.5, 1),
}

// The widths of lines.
const (
	thin  = 1.0
	heavy = 2.2
)

// line strokes pairs of points, in parts of a cell.
func line(width float64, points ...float64) func(x, y, w float64, colour string) string {
	return func(x, y, w float64, colour string) string {
		var path strings.Builder
		for n := 0; n+3 < len(points); n += 4 {
			fmt.Fprintf(&path, "M%.2f %.1fL%.2f %.1f", x+points[n]*w, y+points[n+1]*cellH, x+points[n+2]*w, y+points[n+3]*cellH)
		}
		return stroke(path.String(), colour, width)
	}
}

// corner strokes a round corner from the upper (0) or lower (1) edge to a side.
func corner(width, from, to float64) func(x, y, w float64, colour string) string {
	return func(x, y, w float64, colour string) string {
		return stroke(fmt.Sprintf("M%.2f %.1fQ%.2f %.1f %.2f %.1f", x+w/2, y+from*cellH, x+w/2, y+cellH/2, x+to*w, y+cellH/2), colour, width)
	}
}

func stroke(path, colour string, width float64) string {
	return fmt.Sprintf(`<path d="%s" fill="none" stroke="%s" stroke-width="%g"/>`, path, colour, width)
}

// block fills a part of a cell from one side to the other.
func block(from, to float64) func(x, y, w float64, colour string) string {
	return func(x, y, w float64, colour string) string {
		return fmt.Sprintf(`<rect x="%.2f" y="%g" width="%.2f" height="%g" fill="%s"/>`, x+from*w, y, (to-from)*w, cellH, colour)
	}
}
