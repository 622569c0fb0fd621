package native

import (
	"strconv"
	"strings"
)

// Ranks are strings of base-36 digits that sort as text; between any two lies
// another. A rank never ends in the lowest digit, so that there is room before
// it.
const rankDigits = "0123456789abcdefghijklmnopqrstuvwxyz"

// rankOf is the rank of a new issue: after every issue with a lower number
// that was never moved.
func rankOf(number int) string {
	s := strconv.FormatInt(int64(number), 36)
	return strings.Repeat("0", max(0, 7-len(s))) + s + "i"
}

// rankBetween is a rank after a and before b; an empty b is the end. It
// answers false where a is not before b.
func rankBetween(a, b string) (string, bool) {
	if b != "" && a >= b || !validRank(a) || !validRank(b) {
		return "", false
	}
	var out strings.Builder
	open := b == "" // the upper bound no longer matters
	for n := 0; ; n++ {
		low, high := 0, len(rankDigits)
		if n < len(a) {
			low = strings.IndexByte(rankDigits, a[n])
		}
		if !open && n < len(b) {
			high = strings.IndexByte(rankDigits, b[n])
		}
		mid := (low + high) / 2
		if mid > low {
			out.WriteByte(rankDigits[mid])
			return out.String(), true
		}
		out.WriteByte(rankDigits[low])
		open = open || low < high
	}
}

// validRank says whether a rank can be counted with; one that was put in by
// hand may not be.
func validRank(s string) bool {
	return strings.Trim(s, rankDigits) == "" && !strings.HasSuffix(s, "0")
}
