package github

import (
	"crypto/rsa"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Options are what a fake is made from.
type Options struct {
	Now func() time.Time // time.Now if nil
	// TokenLife is how long an installation token lasts; an hour if zero.
	TokenLife time.Duration
	// Spec is what every REST request is held to: one that departs from it is
	// answered 400, and told to Departs where that is set. REST if nil.
	Spec    *Spec
	Departs func(error)
	// Folder keeps the state over the end of the process; empty keeps nothing.
	Folder string
	// URL is where this fake is served, for the addresses of its pages;
	// github.com's if empty.
	URL string
	// Person is whose pages are shown; nobody's if empty.
	Person string
	// Points are what an hour of GraphQL may cost; GitHub's 5,000 if zero.
	Points int
	// Notify is told of every event, one after another.
	Notify func(Delivery)
}

// Server is the fake. Its model may be changed while it serves.
type Server struct {
	now  func() time.Time
	life time.Duration
	o    Options
	mux  *http.ServeMux

	mu       sync.Mutex
	apps     map[int64]*App
	users    map[string]int64
	tokens   map[string]grant
	minted   int
	repos    map[string]*Repo // by owner/name
	projects []*Project
	viewer   string // whose request is answered
	reader   grant  // of the GraphQL request that is answered
	faults   []Fault
	log      []Request
	etags    map[string]string
	points   int               // of GraphQL, that queries have cost
	renamed  map[string]string // repositories' names now, by those that they had
	past     *past
	stale    bool // some reads are to be answered from the past
	unknown  bool // the request that is answered finds no mergeable worked out
	changed  bool

	outbox     []Delivery
	sent       []Sent
	deliveries int
	sending    bool
	telling    sync.WaitGroup
}

// App is a registered App with its one installation.
type App struct {
	ID           int64
	Slug         string
	Key          *rsa.PublicKey
	Installation int64
	Account      string   // where it is installed
	Repositories []string // names that the installation reaches
	Permissions  map[string]string
	Suspended    bool
}

// grant is what a token may: an App's on its repositories, or a person's.
type grant struct {
	app     *App
	repos   []string
	expires time.Time
	user    string
}

// login is whose token it is.
func (g grant) login() string {
	if g.app != nil {
		return g.app.Slug + "[bot]"
	}
	return g.user
}

// may says whether the token may read what a permission of Apps covers. A
// person's may.
func (g grant) may(permission string) bool {
	return g.app == nil || g.app.Permissions[permission] != ""
}

// New makes an empty fake.
func New(o Options) *Server {
	s := &Server{
		now: o.Now, life: o.TokenLife, o: o, mux: http.NewServeMux(),
		apps: map[int64]*App{}, users: map[string]int64{}, tokens: map[string]grant{},
		repos: map[string]*Repo{}, etags: map[string]string{}, renamed: map[string]string{},
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.o.Spec == nil {
		s.o.Spec = REST()
	}
	if s.o.Points == 0 {
		s.o.Points = 5000
	}
	if s.life == 0 {
		s.life = time.Hour
	}
	s.mux.HandleFunc("GET /app", s.asApp(s.getApp))
	s.mux.HandleFunc("GET /app/installations/{id}", s.asApp(s.getInstallation))
	s.mux.HandleFunc("POST /app/installations/{id}/access_tokens", s.asApp(s.mint))
	s.mux.HandleFunc("GET /users/{login}", s.asInstallation(s.getUser))
	s.mux.HandleFunc("GET /rate_limit", s.asInstallation(s.getBudget))
	s.pullRoutes()
	s.commitRoutes()
	s.mux.HandleFunc("POST /graphql", s.asInstallation(s.graphQL))
	s.mux.HandleFunc("/git/", s.smartHTTP)
	s.mux.HandleFunc("GET /user", s.asInstallation(func(w http.ResponseWriter, _ *http.Request, g grant) {
		if g.user != "" {
			answer(w, http.StatusOK, map[string]any{"login": g.user, "id": s.users[g.user]})
			return
		}
		refuse(w, http.StatusForbidden, "Resource not accessible by integration")
	}))
	return s
}

// ServeHTTP answers one request as GitHub would.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.page(w, r) {
		return
	}
	r = placed(r)
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	r, c := s.note(r)
	if !s.before(w, r, c) {
		s.after(w, r, c)
	}
}

// carryOut answers a request that reaches the model.
func (s *Server) carryOut(w http.ResponseWriter, r *http.Request) {
	if s.moved(w, r) {
		return
	}
	if err := s.o.Spec.Check(r); err != nil {
		if s.o.Departs != nil {
			s.o.Departs(err)
		}
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	s.serve(w, r)
}

// AddApp registers an App, and the account of its bot.
func (s *Server) AddApp(a App, botID int64) {
	_ = s.change(func() error { // not kept now, it is with the next write
		s.apps[a.ID] = &a
		s.users[a.Slug+"[bot]"] = botID
		return nil
	})
}

// Change changes an App while the fake serves.
func (s *Server) Change(id int64, change func(*App)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s.apps[id])
}

// Minted counts the tokens that have been given out.
func (s *Server) Minted() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.minted
}

func answer(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v) // a client that left needs no answer
}

// refuse answers in the shape of GitHub's errors.
func refuse(w http.ResponseWriter, code int, message string) {
	answer(w, code, map[string]string{"message": message, "documentation_url": "https://docs.github.com/rest"})
}

// Revoke takes all tokens of Apps away.
func (s *Server) Revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for text, g := range s.tokens {
		if g.app != nil {
			delete(s.tokens, text)
		}
	}
}
