package native

import (
	"testing"

	"pgregory.net/rapid"
)

func TestRankOfSortsByNumber(t *testing.T) {
	t.Parallel()
	last := ""
	for _, n := range []int{1, 2, 9, 10, 35, 36, 37, 1295, 1296, 99_999, 100_000, 999_999_999} {
		if r := rankOf(n); r <= last {
			t.Fatalf("rank %q of %d comes before %q", r, n, last)
		} else {
			last = r
		}
	}
}

// TestRanksAlwaysHaveRoom inserts at random places and expects the order to
// come out as it was made.
func TestRanksAlwaysHaveRoom(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ranks := []string{rankOf(1), rankOf(2), rankOf(36)}
		for range rapid.IntRange(1, 60).Draw(t, "inserts") {
			at := rapid.IntRange(0, len(ranks)).Draw(t, "at")
			low, high := "", ""
			if at > 0 {
				low = ranks[at-1]
			}
			if at < len(ranks) {
				high = ranks[at]
			}
			r, ok := rankBetween(low, high)
			if !ok || r <= low || high != "" && r >= high || !validRank(r) {
				t.Fatalf("between %q and %q: %q %v", low, high, r, ok)
			}
			ranks = append(ranks[:at], append([]string{r}, ranks[at:]...)...)
		}
	})
}

func TestRankBetweenRefusesNonsense(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"b", "a"}, {"a", "a"}, {"A", "b"}, {"a", "a0"}, {"é", ""}} {
		if r, ok := rankBetween(c[0], c[1]); ok {
			t.Errorf("between %q and %q: %q", c[0], c[1], r)
		}
	}
}
