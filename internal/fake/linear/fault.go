package linear

import (
	"net/http"
	"time"
)

// FaultKind is a way in which Linear was seen to fail.
type FaultKind string

// The kinds of failure.
const (
	FaultNone      FaultKind = ""
	FaultRateLimit FaultKind = "ratelimited" // refused, whatever is left
	FaultDrop      FaultKind = "drop"        // the connection ends before anything happens
	FaultLost      FaultKind = "lost"        // it is carried out and the answer never comes
	FaultHTML      FaultKind = "html"        // a proxy's page in place of an answer
	FaultTruncated FaultKind = "truncated"   // it is carried out and half of the answer comes
	FaultInternal  FaultKind = "internal"    // it is carried out and answered with an error of Linear's own
	FaultStale     FaultKind = "stale"       // a read that does not see the last write
	FaultKey       FaultKind = "key"         // the key has expired
	FaultLock      FaultKind = "lock"        // not carried out: another request holds Linear's lock
	FaultDelay     FaultKind = "delay"       // the answer comes late
	FaultEmpty     FaultKind = "empty"       // a proxy's own JSON in place of an answer, with status 200
	FaultVoid      FaultKind = "void"        // it is carried out, and the answer holds no data
	FaultRefused   FaultKind = "refused"     // a mutation is not carried out, and its payload says success: false
)

// Fault is a failure that is due.
type Fault struct {
	Kind   FaultKind     `json:"kind"`
	Reads  bool          `json:"reads"`  // only queries
	Writes bool          `json:"writes"` // only mutations
	Times  int           `json:"times"`  // how often; below 0 is for ever, 0 is once
	Delay  time.Duration `json:"delay"`
	// Choose, if set, decides on each request; Kind and Times are not asked.
	Choose func(write bool) FaultKind `json:"-"`
}

// Inject lets requests fail from now on: the first fault that fits is used up
// first.
func (w *World) Inject(f Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.Times == 0 {
		f.Times = 1
	}
	w.faults = append(w.faults, f)
	w.stale = w.stale || f.Kind == FaultStale || f.Choose != nil
	w.remember()
}

// Mend ends all failures.
func (w *World) Mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults = nil
}

// fault takes the failure that a request meets.
func (w *World) fault(req *request) Fault {
	w.mu.Lock()
	defer w.mu.Unlock()
	for n := range w.faults {
		f := &w.faults[n]
		if f.Reads && req.write || f.Writes && !req.write || f.Times == 0 {
			continue
		}
		if f.Choose != nil {
			return Fault{Kind: f.Choose(req.write), Delay: f.Delay}
		}
		if f.Times > 0 {
			f.Times--
		}
		return *f
	}
	return Fault{}
}

// before fails a request that is not carried out, or lets it wait.
func (f Fault) before(out http.ResponseWriter, in *http.Request) bool {
	switch f.Kind {
	case FaultDrop:
		hangUp(out)
		return true
	case FaultHTML:
		page(out)
		return true
	case FaultEmpty:
		out.Header().Set("Content-Type", "application/json")
		_, _ = out.Write([]byte(`{"message":"upstream timeout"}`)) // as below
		return true
	case FaultDelay:
		select {
		case <-time.After(f.Delay):
		case <-in.Context().Done():
			return true
		}
	case FaultNone, FaultRateLimit, FaultLost, FaultTruncated, FaultInternal, FaultStale, FaultKey, FaultLock, FaultVoid, FaultRefused:
	}
	return false
}

// after sends the answer, or fails to.
func (f Fault) after(out http.ResponseWriter, _ *http.Request, status int, answer []byte) {
	if f.Kind == FaultLost {
		hangUp(out)
		return
	}
	out.Header().Set("Content-Type", "application/json; charset=utf-8")
	if f.Kind == FaultTruncated {
		answer = answer[:len(answer)/2]
	}
	if f.Kind == FaultVoid {
		answer = []byte(`{"data":{}}`)
	}
	if f.Kind == FaultInternal {
		status, answer = http.StatusInternalServerError, []byte(internalError)
	}
	out.WriteHeader(status)
	_, _ = out.Write(answer) // a client that has gone misses nothing of ours
}

// internalError is what an error of Linear's own servers looks like.
const internalError = `{"data":null,"errors":[{"message":"Internal server error","extensions":{"type":"internal error","code":"INTERNAL_SERVER_ERROR","statusCode":500,"userError":false}}]}`

func page(out http.ResponseWriter) {
	out.Header().Set("Content-Type", "text/html")
	out.WriteHeader(http.StatusBadGateway)
	_, _ = out.Write([]byte("<html><head><title>502 Bad Gateway</title></head><body>\x1b[31mBad Gateway</body></html>"))
}

// hangUp ends the connection without an answer.
func hangUp(out http.ResponseWriter) {
	conn, _, err := http.NewResponseController(out).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_ = conn.Close()
}
