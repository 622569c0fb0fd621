package pulls

import (
	"testing"

	"github.com/backside4charter/dispatcher/themes"
)

func TestColumnsAreLeftOutWhole(t *testing.T) {
	t.Parallel()
	st := themes.For(true).Styles()
	m := New(&st)
	all := len(m.columns())
	last := 0
	for w := range 260 {
		cols := fitColumns(m.columns(), w)
		if len(cols) < last {
			t.Fatalf("at %d cells there are fewer columns than at %d", w, w-1)
		}
		last = len(cols)
		sum := 0
		for _, c := range cols {
			sum += c.width
		}
		if len(cols) > 1 && sum > w {
			t.Fatalf("at %d cells the columns take %d", w, sum)
		}
		if cols[0].title != "#" {
			t.Fatalf("at %d cells the first column is %q", w, cols[0].title)
		}
	}
	if last != all {
		t.Errorf("a wide screen shows %d of %d columns", last, all)
	}
}
