package state

// PutOff is what put a try off that has not failed: nothing that its own work
// could help.
type PutOff string

// The causes.
const (
	PutOffLimit   PutOff = "limit"   // the account's usage limit
	PutOffBusy    PutOff = "busy"    // the model does not answer
	PutOffSession PutOff = "session" // the session is not to be had
	PutOffCut     PutOff = "cut"     // it died with its loop
	PutOffAway    PutOff = "away"    // a remote does not answer
)

// PutOffs counts how often a try was put off by each cause that is bounded, or
// that is waited for longer each time. A try that failed begins anew.
type PutOffs struct {
	Limit   int `json:"limit,omitempty"`
	Busy    int `json:"busy,omitempty"`
	Session int `json:"session,omitempty"`
	Cut     int `json:"cut,omitempty"`
}

// Add counts one more.
func (p *PutOffs) Add(cause PutOff) {
	switch cause {
	case PutOffLimit:
		p.Limit++
	case PutOffBusy:
		p.Busy++
	case PutOffSession:
		p.Session++
	case PutOffCut:
		p.Cut++
	case PutOffAway:
	}
}
