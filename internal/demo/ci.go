package demo

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/backside4charter/dispatcher/internal/config"
	fake "github.com/backside4charter/dispatcher/internal/fake/github"
	"github.com/backside4charter/dispatcher/internal/proc"
)

// runner is what GitHub Actions are to a repository: it runs the checks at each
// head of a pull request, and review-sync when a review asks for changes. It
// looks at what is there, so that nothing is missed where it was stopped.
type runner struct {
	d     *Demo
	wake  chan struct{}
	stops context.CancelFunc
	ended sync.WaitGroup

	mu      sync.Mutex
	reviews [][]byte // deliveries that review-sync was not told of
}

func newRunner(d *Demo) *runner { return &runner{d: d, wake: make(chan struct{}, 1)} }

func (r *runner) start(ctx context.Context) {
	ctx, r.stops = context.WithCancel(context.WithoutCancel(ctx)) // it ends with the GitHub that it belongs to
	r.ring()
	r.ended.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-r.wake:
				r.reviewSync(ctx)
				for r.check(ctx) {
					r.reviewSync(ctx)
				}
			}
		}
	})
}

func (r *runner) stop() {
	r.stops()
	r.ended.Wait()
}

func (r *runner) ring() {
	select {
	case r.wake <- struct{}{}:
	default: // it is awake
	}
}

// told is told of every event of the repository.
func (r *runner) told(e fake.Delivery) {
	switch e.Event {
	case "pull_request_review":
		r.mu.Lock()
		r.reviews = append(r.reviews, e.Body)
		r.mu.Unlock()
		r.ring()
	case "pull_request":
		r.ring()
	}
}

// reviewSync runs `dispatcher review-sync` for each review, as a workflow does.
func (r *runner) reviewSync(ctx context.Context) {
	r.mu.Lock()
	reviews := r.reviews
	r.reviews = nil
	r.mu.Unlock()
	for _, body := range reviews {
		var e struct {
			Review struct {
				State string `json:"state"`
			} `json:"review"`
		}
		if json.Unmarshal(body, &e) != nil || e.Review.State != "changes_requested" {
			continue
		}
		path := filepath.Join(r.d.Dir, gitHubDir, "event.json")
		if os.WriteFile(path, body, 0o600) == nil {
			// A workflow that failed is seen on GitHub and mended by hand there.
			_, _ = r.d.run(ctx, r.d.Repo, "review-sync", "--event", path)
		}
	}
}

// check runs the checks of one head that lacks some, and says whether there
// was one.
func (r *runner) check(ctx context.Context) bool {
	var names []string
	for _, c := range checks() {
		names = append(names, c.Name)
	}
	var head string
	r.d.github.world.With(repository, func(at *fake.Repo) { head = at.Unchecked(names...) })
	if head == "" || ctx.Err() != nil {
		return false
	}
	for _, c := range checks() {
		r.tell(head, fake.Check{Name: c.Name})
	}
	results := r.run(ctx, head)
	if ctx.Err() != nil {
		return false // they are run again at the next start
	}
	for _, c := range results {
		r.tell(head, c)
	}
	return true
}

func (r *runner) tell(head string, c fake.Check) {
	r.d.github.world.With(repository, func(at *fake.Repo) { at.SetCheck(head, c) })
}

// run runs the checks in a fresh clone, as a hosted machine would.
func (r *runner) run(ctx context.Context, head string) []fake.Check {
	dir, err := os.MkdirTemp(r.d.Dir, ".checks-*")
	if err == nil {
		defer os.RemoveAll(dir) //nolint:errcheck // it is the demo's own folder
		g := &gitRepo{environ: r.d.environ}
		err = g.run(ctx, dir, nil, "clone", "--quiet", "--shared", "--no-checkout", r.d.Remote, "at")
		if err == nil {
			err = g.run(ctx, filepath.Join(dir, "at"), nil, "checkout", "--quiet", "--detach", head)
		}
	}
	var out []fake.Check
	for _, c := range checks() {
		done := fake.Check{Name: c.Name, Done: true, Conclusion: "failure"}
		if err == nil && r.passes(ctx, filepath.Join(dir, "at"), &c) {
			done.Conclusion = "success"
		}
		out = append(out, done)
	}
	return out
}

func (r *runner) passes(ctx context.Context, dir string, c *config.Check) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.TimeoutSeconds)*time.Second)
	defer cancel()
	_, err := proc.Exec{}.Run(ctx, proc.Cmd{Name: c.Command[0], Args: c.Command[1:], Dir: dir, Env: slices.Clone(r.d.environ)})
	return err == nil
}
