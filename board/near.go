package board

import "strings"

// Nearest is the known name that a person most likely meant by got, or false
// when none is close.
func Nearest(got string, known []string) (string, bool) {
	best, at := "", len([]rune(got))/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(got), strings.ToLower(k)); d < at {
			best, at = k, d
		}
	}
	if best != "" || len(got) < minPart {
		return best, best != ""
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), strings.ToLower(got)) {
			return k, true
		}
	}
	return "", false
}

// minPart is the length from which the beginning of a name says which is meant.
const minPart = 4

// distance is the number of edits (insert, delete, replace, swap of
// neighbours) between two names. Names longer than maxName are not compared.
func distance(a, b string) int {
	const maxName = 64
	ra, rb := []rune(a), []rune(b)
	if len(ra) > maxName || len(rb) > maxName {
		return maxName
	}
	before, last, cur := make([]int, len(rb)+1), make([]int, len(rb)+1), make([]int, len(rb)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(ra); i++ {
		cur[0] = i
		for j := 1; j <= len(rb); j++ {
			cost := 1
			if ra[i-1] == rb[j-1] {
				cost = 0
			}
			cur[j] = min(last[j]+1, cur[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && ra[i-1] == rb[j-2] && ra[i-2] == rb[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, last, cur = last, cur, before
	}
	return last[len(rb)]
}
