package layout

import "testing"

func TestFrameAtKnownSizes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		w, h  int
		body  Rect
		shape Shape
		lines int // lines of the frame that are shown
	}{
		{80, 24, Rect{0, 2, 80, 20}, ShapeSplit, 4},
		{120, 40, Rect{0, 2, 120, 36}, ShapeColumns, 4},
		{200, 60, Rect{0, 2, 200, 56}, ShapeColumns, 4},
		{40, 12, Rect{0, 2, 40, 8}, ShapeSingle, 4},
		{40, 7, Rect{0, 1, 40, 4}, ShapeSingle, 3},
		{20, 5, Rect{0, 1, 20, 3}, ShapeSingle, 2},
		{20, 4, Rect{0, 1, 20, 3}, ShapeSingle, 1},
		{10, 3, Rect{0, 0, 10, 3}, ShapeSingle, 0},
		{1, 1, Rect{0, 0, 1, 1}, ShapeSingle, 0},
		{0, 0, Rect{0, 0, 0, 0}, ShapeSingle, 0},
	} {
		f := FrameOf(tc.w, tc.h)
		if f.Body != tc.body || f.Shape != tc.shape {
			t.Errorf("%dx%d: body %+v shape %d, want %+v %d", tc.w, tc.h, f.Body, f.Shape, tc.body, tc.shape)
		}
		if got := f.Title.H + f.Attention.H + f.Subject.H + f.Keys.H; got != tc.lines {
			t.Errorf("%dx%d: %d lines around the body, want %d", tc.w, tc.h, got, tc.lines)
		}
	}
}

// cover fails unless the rectangles tile the outer one.
func cover(t *testing.T, outer Rect, parts ...Rect) {
	t.Helper()
	area := 0
	for i, r := range parts {
		if r.Empty() {
			if r.W < 0 || r.H < 0 {
				t.Fatalf("%+v in %+v is negative", r, outer)
			}
			continue
		}
		area += r.W * r.H
		if r.X < outer.X || r.Y < outer.Y || r.X+r.W > outer.X+outer.W || r.Y+r.H > outer.Y+outer.H {
			t.Fatalf("%+v leaves %+v", r, outer)
		}
		for _, o := range parts[i+1:] {
			if !o.Empty() && r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H {
				t.Fatalf("%+v and %+v overlap", r, o)
			}
		}
	}
	if area != outer.W*outer.H {
		t.Fatalf("%+v cover %d cells of %+v", parts, area, outer)
	}
}

func TestEverySizeIsCovered(t *testing.T) {
	t.Parallel()
	for w := 1; w <= 220; w++ {
		for h := 1; h <= 70; h++ {
			f := FrameOf(w, h)
			cover(t, Rect{0, 0, w, h}, f.Title, f.Attention, f.Body, f.Subject, f.Keys)
			for _, asList := range []bool{true, false} {
				for _, workers := range []bool{true, false} {
					b := BoardOf(f.Body, f.Shape, asList, workers)
					cover(t, f.Body, b.List, b.Detail, b.Strip)
				}
			}
			list, detail := SideBySide(f.Body, f.Shape, 30, 34)
			cover(t, f.Body, list, detail)
			c := Center(w, h, 60, 12)
			if c.X < 0 || c.Y < 0 || c.X+c.W > w || c.Y+c.H > h {
				t.Fatalf("%dx%d: centred box %+v", w, h, c)
			}
		}
	}
}

func TestBoardAtKnownSizes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		w, h    int
		asList  bool
		workers bool
		want    Board
	}{
		{200, 60, false, true, Board{List: Rect{0, 2, 200, 38}, Strip: Rect{0, 40, 200, 18}}},
		{120, 40, false, true, Board{List: Rect{0, 2, 120, 24}, Strip: Rect{0, 26, 120, 12}}},
		{120, 40, false, false, Board{List: Rect{0, 2, 120, 36}}},
		{120, 18, false, true, Board{List: Rect{0, 2, 120, 14}}},
		{80, 24, false, true, Board{List: Rect{0, 2, 36, 20}, Detail: Rect{36, 2, 44, 20}}},
		{120, 40, true, true, Board{List: Rect{0, 2, 55, 36}, Detail: Rect{55, 2, 65, 36}}},
		{40, 12, false, true, Board{List: Rect{0, 2, 40, 8}, Detail: Rect{40, 2, 0, 8}}},
	} {
		f := FrameOf(tc.w, tc.h)
		if got := BoardOf(f.Body, f.Shape, tc.asList, tc.workers); got != tc.want {
			t.Errorf("%dx%d list %v: %+v, want %+v", tc.w, tc.h, tc.asList, got, tc.want)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	full := []Column{{7, 4, 4, false}, {9, 1, 3, false}, {13, 3, 5, true}, {10, 1, 3, false}, {8, 2, 3, false}}
	empty := []Column{{7, 4, 4, true}, {9, 0, 3, false}, {13, 0, 5, false}, {10, 0, 3, false}, {8, 0, 3, false}}
	none := []Column{{7, 0, 4, false}, {9, 0, 3, false}}
	for name, cols := range map[string][]Column{"full": full, "empty": empty, "none": none, "no columns": nil} {
		for w := range 260 {
			sum := 0
			for i, cw := range Columns(w, cols) {
				if cw < 0 {
					t.Fatalf("%s at %d: column %d is %d wide", name, w, i, cw)
				}
				sum += cw
			}
			if len(cols) > 0 && sum != w {
				t.Fatalf("%s at %d: the widths sum to %d", name, w, sum)
			}
		}
	}
	got := Columns(120, empty)
	if got[1] != 15 || got[0] < 50 {
		t.Errorf("empty columns do not shrink to their title: %v", got)
	}
	got = Columns(120, full)
	if got[2] <= got[0] || got[0] <= got[1] {
		t.Errorf("the weights are not kept: %v", got)
	}
}

func TestStrip(t *testing.T) {
	t.Parallel()
	for w := range 260 {
		for n := range 8 {
			widths := Strip(w, n)
			sum := 0
			for _, x := range widths {
				sum += x
			}
			if sum != w || len(widths) > max(n, 1) {
				t.Fatalf("Strip(%d, %d) = %v", w, n, widths)
			}
		}
	}
	if got := len(Strip(200, 9)); got != 4 {
		t.Errorf("200 cells show %d workers", got)
	}
}
