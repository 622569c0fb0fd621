package native

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
)

// fillValue gives every field a value of its own, so that one that is left out
// of the cache is missed.
func fillValue(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString("text " + string(rune('a'+*n%26)) + string(rune('a'+*n/26)))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillValue(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillValue(v.Index(0), n)
		fillValue(v.Index(1), n)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(int64(*n)*86_399, int64(*n)).UTC()))
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillValue(v.Field(i), n)
			}
		}
	default:
		panic("a record has a field of kind " + v.Kind().String())
	}
}

func TestCacheKeepsEveryField(t *testing.T) {
	t.Parallel()
	n := 0
	var full record
	fillValue(reflect.ValueOf(&full).Elem(), &n)
	for _, r := range []*record{&full, {}} {
		var e encoder
		in := &entry{ref: "DSP-7", name: "DSP-7.json", number: 7, stamp: stamp{mtime: 1 << 60, size: 9, inode: 1 << 63}, trust: true, rec: r}
		e.entry(in)
		d := decoder{text: string(e.buf)}
		out := d.entry()
		if d.bad || d.text != "" {
			t.Fatalf("bad %v, left %q", d.bad, d.text)
		}
		want, _ := json.Marshal(in.rec)
		got, _ := json.Marshal(out.rec)
		if diff := cmp.Diff(string(want), string(got)); diff != "" || out.name != in.name || out.stamp != in.stamp || out.number != in.number || out.ref != in.ref {
			t.Fatalf("%s\n%+v\n%+v", diff, in, out)
		}
	}
}

func FuzzCacheDecode(f *testing.F) {
	var e encoder
	e.entry(&entry{ref: "DSP-7", name: "DSP-7.json", rec: &record{Title: "x", Comments: make([]board.Comment, 2)}})
	f.Add(string(e.buf))
	f.Fuzz(func(_ *testing.T, text string) {
		d := decoder{text: text}
		for d.text != "" && !d.bad {
			d.entry()
		}
	})
}

// cachedBoard is a board whose files are old enough to be cached.
func cachedBoard(t *testing.T, n int) *Board {
	t.Helper()
	b, err := Open(Options{Dir: filepath.Join(t.TempDir(), "board")})
	if err != nil {
		t.Fatal(err)
	}
	d := document{Version: 1, Key: "DSP"}
	for i := range n {
		d.Issues = append(d.Issues, &record{Ref: b.ref(i + 1), Rank: rankOf(i + 1), Title: "t", State: "ready", Moved: moved{To: "ready"}})
	}
	data, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Import(t.Context(), board.Actor{Kind: board.ActorOwner}, data); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for i := range n {
		if err := os.Chtimes(b.issuePath(b.ref(i+1)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestCacheIsNeverTheTruth(t *testing.T) {
	t.Parallel()
	n := cacheWorth
	b := cachedBoard(t, n)
	query := board.Query{AllMilestones: true, Closed: true}
	if rows, err := b.Poll(t.Context(), query); err != nil || len(rows) != n {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	whole, err := os.ReadFile(b.cachePath())
	if err != nil {
		t.Fatalf("no cache was written: %v", err)
	}
	// One file changes, one goes, and the cache says otherwise.
	if err := b.LinkPR(t.Context(), board.Actor{Kind: board.ActorOwner}, "DSP-1", "#1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(b.issuePath("DSP-2")); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"whole": whole, "cut": whole[:len(whole)/2], "empty": {}, "another format": append([]byte("x"), whole...),
		"one bit": append(append([]byte{}, whole[:len(whole)-9]...), append([]byte{whole[len(whole)-9] ^ 1}, whole[len(whole)-8:]...)...),
	} {
		if err := os.WriteFile(b.cachePath(), data, 0o644); err != nil {
			t.Fatal(err)
		}
		fresh, err := Open(b.opts)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := fresh.Poll(t.Context(), query)
		if err != nil || len(rows) != n-1 || len(rows[0].PRs) != 1 || rows[1].Ref != "DSP-3" || rows[1].Title != "t" {
			t.Fatalf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

func TestCacheIsUsed(t *testing.T) {
	t.Parallel()
	b := cachedBoard(t, cacheWorth)
	if _, err := b.Poll(t.Context(), board.Query{AllMilestones: true}); err != nil {
		t.Fatal(err)
	}
	fresh, err := Open(b.opts)
	if err != nil {
		t.Fatal(err)
	}
	fresh.loadCache()
	if got := len(fresh.index.byRef); got != cacheWorth {
		t.Fatalf("%d entries in the cache, want %d", got, cacheWorth)
	}
}
