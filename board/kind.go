package board

// Kind is the kind of a worker (design.md, section 2).
type Kind string

// The three kinds of worker.
const (
	KindDeveloper Kind = "developer"
	KindReviewer  Kind = "reviewer"
	KindCleaner   Kind = "cleaner"
)

// Kinds lists every kind of worker.
func Kinds() []Kind { return []Kind{KindDeveloper, KindReviewer, KindCleaner} }

// ClaimWord is the kind as the claim command spells it: dev, review, cleanup
// (dispatcher-system.md, Claims).
func (k Kind) ClaimWord() string {
	switch k {
	case KindDeveloper:
		return "dev"
	case KindReviewer:
		return "review"
	case KindCleaner:
		return "cleanup"
	}
	return string(k)
}

// ParseClaimWord reads `dev`, `review` or `cleanup`.
func ParseClaimWord(s string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.ClaimWord() == s {
			return k, true
		}
	}
	return "", false
}

// ParseKind reads `developer`, `reviewer` or `cleaner`.
func ParseKind(s string) (Kind, bool) {
	for _, k := range Kinds() {
		if string(k) == s {
			return k, true
		}
	}
	return "", false
}

// Delegate says which agent phase a row is in. It survives sessions
// (dispatcher-system.md, Delegate and claim). Any value but the three named
// here is another agent's row and is left alone.
type Delegate string

// The delegates that are ours.
const (
	DelegateNone      Delegate = ""
	DelegateDeveloper Delegate = "developer"
	DelegateReviewer  Delegate = "reviewer"
)

// DelegateOf is the delegate that a claim of kind k writes: dev and cleanup
// claims delegate to the developer agent, review claims to the reviewer agent.
func DelegateOf(k Kind) Delegate {
	if k == KindReviewer {
		return DelegateReviewer
	}
	return DelegateDeveloper
}

// Ours says whether the delegate is none or one of the two configured agents.
func (d Delegate) Ours() bool {
	return d == DelegateNone || d == DelegateDeveloper || d == DelegateReviewer
}

// ActorKind says in what capacity a write is made.
type ActorKind string

// Who may write to a board. Workers act under their own kind.
const (
	ActorOwner      ActorKind = "owner"
	ActorDispatcher ActorKind = "dispatcher"
	ActorAutomation ActorKind = "automation"
	ActorDeveloper  ActorKind = "developer"
	ActorReviewer   ActorKind = "reviewer"
	ActorCleaner    ActorKind = "cleaner"
)

// Actor is who makes a write. A worker's actor carries its run and the claim
// epoch it was started under; a fenced backend refuses its writes with
// ErrClaimConflict once the epoch has moved on (design.md, section 6).
type Actor struct {
	Kind  ActorKind `json:"kind"`
	Name  string    `json:"name,omitempty"` // display name of a person, if known
	Run   string    `json:"run,omitempty"`
	Ref   Ref       `json:"ref,omitempty"` // a worker's own issue
	Epoch int64     `json:"epoch,omitempty"`
}

// Worker says whether the actor is a worker process.
func (a Actor) Worker() bool {
	return a.Kind == ActorDeveloper || a.Kind == ActorReviewer || a.Kind == ActorCleaner
}

// ActorOfKind is the actor kind under which a worker of kind k writes.
func ActorOfKind(k Kind) ActorKind { return ActorKind(k) }
