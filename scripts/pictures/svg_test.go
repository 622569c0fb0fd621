//go:build unix

package main

import (
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"strconv"
	"strings"
	"testing"
)

// screen is a line of one: one cell a rune, a wide rune with an empty cell behind it.
func screen(text string, s style) []cell {
	var row []cell
	for _, r := range text {
		c := cell{text: string(r), width: 1, style: s}
		if r == '世' {
			c.width = 2
		}
		row = append(row, c)
		if c.width == 2 {
			row = append(row, cell{style: s})
		}
	}
	return row
}

// TestDraw: a picture is well-formed, whatever stands on the screen, and every
// text stands in its column.
func TestDraw(t *testing.T) {
	t.Parallel()
	row := append(screen("a <b>  世&c ", style{}), screen("│x", style{fg: "#ff0000", bold: true})...)
	svg := draw([][]cell{row}, dark, `one "title" & more`)
	type text struct {
		at    float64
		class string
		says  string
	}
	var found []text
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "text" {
			continue
		}
		var e struct {
			X     string `xml:"x,attr"`
			Class string `xml:"class,attr"`
			Text  string `xml:",chardata"`
		}
		if err := d.DecodeElement(&e, &start); err != nil {
			t.Fatal(err)
		}
		x, err := strconv.ParseFloat(e.X, 64)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, text{x, e.Class, e.Text})
	}
	want := []text{{0, "", "a <b>"}, {7, "", "世"}, {9, "", "&c"}, {13, "b", "x"}}
	found = found[1:] // the window's title
	if len(found) != len(want) {
		t.Fatalf("texts %+v", found)
	}
	for n, w := range want {
		if f := found[n]; f.says != w.says || f.class != w.class || f.at < w.at*cellW-.01 || f.at > w.at*cellW+.01 {
			t.Errorf("text %d is %+v, want %q at column %g", n, f, w.says, w.at)
		}
	}
	if !strings.Contains(svg, `stroke="#ff0000"`) || strings.Contains(svg, ">│<") {
		t.Error("the line is not drawn as one")
	}
}

// TestPaper: a light ground has a light window around it, and dark ink.
func TestPaper(t *testing.T) {
	t.Parallel()
	if p := paperOf(color.RGBA{0x10, 0x10, 0x12, 0xff}, nil); p.bar != dark.bar || p.ground != "#101012" {
		t.Errorf("a dark ground has %+v", p)
	}
	if p := paperOf(color.RGBA{0xfa, 0xf8, 0xf5, 0xff}, color.RGBA{1, 2, 3, 0xff}); p.bar == dark.bar || p.ground != "#faf8f5" || p.ink != "#010203" {
		t.Errorf("a light ground has %+v", p)
	}
}
