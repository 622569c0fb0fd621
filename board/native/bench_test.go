package native_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/board/native"
)

// benchIssues is the size of a large board; a short run makes a smaller one.
func benchIssues() int {
	if testing.Short() {
		return 1000
	}
	return 10_000
}

// filled is a board of n issues with descriptions, comments and blockers, as a
// board that has been worked for a while.
func filled(tb testing.TB, n int) native.Options {
	tb.Helper()
	o := native.Options{Dir: filepath.Join(tb.TempDir(), "board")}
	b := open(tb, o)
	p := board.NewPolicy(b, owner, board.PolicyOptions{})
	seed(tb, b, board.NewIssue{
		Title: "An issue with a title of usual length", Milestone: "m0", State: board.RoleReady, Labels: []string{"UI"},
		Body: strings.Repeat("Some words of a description, on a line.\n", 8) + "- [ ] first\n- [ ] second\n",
	})
	for range 2 {
		if _, err := p.Comment(tb.Context(), "DSP-1", board.ActorOwner, strings.Repeat("A remark. ", 20)); err != nil {
			tb.Fatal(err)
		}
	}
	doc, err := p.Export(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	big := open(tb, native.Options{Dir: filepath.Join(tb.TempDir(), "board")})
	if _, err := board.NewPolicy(big, owner, board.PolicyOptions{}).Import(tb.Context(), multiply(tb, doc, n)); err != nil {
		tb.Fatal(err)
	}
	// The stamps of files written this moment are not believed yet.
	old := time.Now().Add(-time.Hour)
	for i := range n {
		if err := os.Chtimes(issueFile(big.Dir(), board.Ref(fmt.Sprint("DSP-", i+1))), old, old); err != nil {
			tb.Fatal(err)
		}
	}
	if err := os.Chtimes(big.IssuesDir(), old, old); err != nil {
		tb.Fatal(err)
	}
	return native.Options{Dir: big.Dir()}
}

// multiply makes a document of one issue one of n.
func multiply(tb testing.TB, doc []byte, n int) []byte {
	tb.Helper()
	var d map[string]any
	if err := json.Unmarshal(doc, &d); err != nil {
		tb.Fatal(err)
	}
	first, err := json.Marshal(d["issues"].([]any)[0])
	if err != nil {
		tb.Fatal(err)
	}
	issues := make([]json.RawMessage, n)
	for i := range n {
		one := bytes.Replace(first, []byte(`"DSP-1"`), []byte(fmt.Sprintf(`"DSP-%d"`, i+1)), 1)
		one = bytes.Replace(one, []byte(`"m0"`), []byte(fmt.Sprintf(`"m%d"`, i%10)), 1)
		if i%7 == 6 {
			one = bytes.Replace(one, []byte(`"epoch"`), []byte(fmt.Sprintf(`"blockers":["DSP-%d"],"epoch"`, i)), 1)
		}
		issues[i] = one
	}
	d["issues"] = issues
	out, err := json.Marshal(d)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}

// BenchmarkPollNew is a poll as a new process makes it; the first one fills
// the derived cache.
func BenchmarkPollNew(b *testing.B) {
	o := filled(b, benchIssues())
	pollAll(b, open(b, o))
	b.ReportAllocs()
	for b.Loop() {
		if got := len(pollAll(b, open(b, o))); got != benchIssues() {
			b.Fatal(got)
		}
	}
}

// BenchmarkPollNewWithoutCache reads every file.
func BenchmarkPollNewWithoutCache(b *testing.B) {
	o := filled(b, benchIssues())
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		_ = os.RemoveAll(filepath.Join(o.Dir, "cache"))
		b.StartTimer()
		pollAll(b, open(b, o))
	}
}

// BenchmarkPollWarm is a poll in the running loop.
func BenchmarkPollWarm(b *testing.B) {
	o := filled(b, benchIssues())
	nb := open(b, o)
	pollAll(b, nb)
	b.ReportAllocs()
	for b.Loop() {
		pollAll(b, nb)
	}
}

// BenchmarkPollWarmOneChange is the same after one issue changed.
func BenchmarkPollWarmOneChange(b *testing.B) {
	o := filled(b, benchIssues())
	nb, other := open(b, o), open(b, o)
	pollAll(b, nb)
	n := 0
	for b.Loop() {
		b.StopTimer()
		n++
		if err := other.LinkPR(b.Context(), owner, "DSP-5", fmt.Sprint("#", n)); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		pollAll(b, nb)
	}
}

// BenchmarkClaim beside BenchmarkRawWrite is what a claim costs over the disk
// itself.
func BenchmarkClaim(b *testing.B) {
	o := filled(b, 200)
	loop := board.NewPolicy(open(b, o), board.Actor{Kind: board.ActorDispatcher}, board.PolicyOptions{})
	n := 0
	for b.Loop() {
		n++
		ref := board.Ref(fmt.Sprint("DSP-", n%200+1))
		if _, err := loop.Claim(b.Context(), ref, board.ClaimRequest{Kind: board.KindDeveloper, Session: fmt.Sprint("s", n), Steal: true}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "claims/s")
}

// BenchmarkRawWrite writes, syncs and renames a file of an issue's size.
func BenchmarkRawWrite(b *testing.B) {
	dir, data := b.TempDir(), make([]byte, 2000)
	n := 0
	for b.Loop() {
		n++
		f, err := os.CreateTemp(dir, "x")
		if err != nil {
			b.Fatal(err)
		}
		_, werr := f.Write(data)
		serr, cerr := f.Sync(), f.Close()
		rerr := os.Rename(f.Name(), filepath.Join(dir, fmt.Sprint(n%200)))
		for _, err := range []error{werr, serr, cerr, rerr} {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "writes/s")
}
