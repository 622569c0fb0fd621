package linear

import (
	"slices"
	"strconv"
	"strings"

	"github.com/backside4charter/dispatcher/board"
)

// nearest puts the names that are most like the wanted one first, so that a
// message can show what was meant.
func nearest(want string, names []string) []string {
	names = slices.Clone(names)
	want = strings.ToLower(want)
	slices.SortStableFunc(names, func(a, b string) int {
		return distance(want, strings.ToLower(a)) - distance(want, strings.ToLower(b))
	})
	return names
}

// someOf lists names for a message, the nearest to want first.
func someOf(want string, names []string) string { return firstOf(nearest(want, names)) }

// labelled is a name with what a message says of it.
type labelled struct{ name, shown string }

// nearestOf is someOf for what has more to it than the name that it goes by.
func nearestOf(want string, list []labelled) string {
	want = strings.ToLower(want)
	slices.SortStableFunc(list, func(a, b labelled) int {
		return distance(want, strings.ToLower(a.name)) - distance(want, strings.ToLower(b.name))
	})
	var shown []string
	for _, l := range list {
		shown = append(shown, l.shown)
	}
	return firstOf(shown)
}

// firstOf lists the first names, and how many more there are.
func firstOf(names []string) string {
	const most = 8
	var out []string
	for n, name := range names {
		if n == most {
			out = append(out, "and "+strconv.Itoa(len(names)-most)+" more")
			break
		}
		out = append(out, board.OneLine(name))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

// distance is the number of letters to insert, delete or replace. Only the
// beginning of long names counts.
func distance(a, b string) int {
	const most = 64
	x, y := []rune(a), []rune(b)
	x, y = x[:min(len(x), most)], y[:min(len(y), most)]
	last := make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		diagonal := last[0]
		last[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = last[j+1]
			last[j+1] = min(cost, last[j]+1, last[j+1]+1)
		}
	}
	return last[len(y)]
}
