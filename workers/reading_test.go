package workers

import (
	"testing"
	"time"
)

// An answer counts as a sign of life: a worker that its owner let wait for
// hours is not quiet when it may go on at last, and has yet to say anything.
func TestAnAnswerIsASignOfLife(t *testing.T) {
	t.Parallel()
	f := OpenFolder(t.TempDir())
	began := time.Now().Add(-5 * time.Hour)
	answered := began.Add(4 * time.Hour)
	r := reading{folder: f}
	look := func() Status {
		r.said.read(f)
		st := Status{Phase: PhaseRunning, Started: began}
		r.signs(&st)
		return st
	}
	if st := look(); !st.LastSign.Equal(began) || !st.LastOutput.Equal(began) {
		t.Errorf("before: %v, %v", st.LastSign, st.LastOutput)
	}
	if _, err := f.RecordAnswer(t.Context(), Answer{Request: "q", At: answered, By: ByOwner, Behavior: Allow}); err != nil {
		t.Fatal(err)
	}
	if st := look(); !st.LastSign.Equal(answered) || !st.LastOutput.Equal(answered) {
		t.Errorf("after: %v, %v", st.LastSign, st.LastOutput)
	}
}
