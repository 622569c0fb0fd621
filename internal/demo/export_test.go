package demo

// WithRunner is a demo that is nothing but its command line.
func WithRunner(r Runner) Demo { return Demo{Repo: "/d/repo", run: r} }
