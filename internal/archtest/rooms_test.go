package archtest

// A room's entry says what of ours its production code may import. Patterns
// end in `/...` for a whole subtree and hold `*` for one path element. The
// standard library is always allowed, except what bans_test.go forbids; test
// files are free, except that nothing imports the command line.
type room struct {
	may []string
	// never is taken out of may again.
	never []string
}

// values are what every room that is about issues may share.
var values = []string{"board", "workers/report"}

// tools are what rooms that do work may use.
var tools = []string{"internal/proc", "internal/statefile", "internal/logkey"}

func list(groups ...any) []string {
	var out []string
	for _, g := range groups {
		switch g := g.(type) {
		case string:
			out = append(out, g)
		case []string:
			out = append(out, g...)
		}
	}
	return out
}

// rooms is the package map. A room that is not built yet may stand here; a
// room that is built and does not stand here fails.
var rooms = map[string]room{
	".": {may: list("internal/cli")},

	"internal/cli": {
		// It prints snapshots (loop/state) and holds hidden commands (workers). Of the
		// rooms that commands drive it takes the requests and the outcomes;
		// the stores themselves come from internal/app.
		may: list(values, "internal/app", "internal/demo", "internal/config", "internal/logkey", "internal/statefile",
			"loop/state", "workers", "workers/script", "workers/supervise",
			"gitapp", "gitapp/pulls", "gitapp/pulls/local", "worktree"),
		never: list("board/native", "board/linear", "board/ghproject", "loop/plan", "tui/..."),
	},
	"internal/app": {
		may:   list("..."),
		never: list("internal/cli", "internal/demo", "internal/fake/...", "board/boardtest/...", "loop/looptest", "loop/simtest", "internal/proc/proctest"),
	},
	"internal/config":   {may: list("board")},
	"internal/settings": {may: list("internal/config", "themes")},
	"internal/creds":    {may: list("internal/proc")},

	"board":           {},
	"board/native":    {may: list("board", "internal/statefile", "internal/logkey")},
	"board/linear":    {may: list("board", "board/moves", "internal/gqlanswer", "internal/statefile", "internal/logkey")},
	"board/moves":     {may: list("board", "internal/statefile")},
	"board/ghproject": {may: list("board", "board/moves", "internal/ghapi", "internal/gqlanswer", "internal/logkey")},
	"board/boardtest": {may: list("board")},

	"board/boardtest/memory":    {may: list("board", "board/boardtest")},
	"board/boardtest/contest":   {may: list("board")},
	"board/boardtest/histories": {may: list(values, "loop", "loop/journal", "loop/looptest", "loop/plan", "loop/state")},

	"loop/state":    {may: list(values)},
	"loop/plan":     {may: list(values, "loop/state")},
	"loop":          {may: list(values, "loop/plan", "loop/state", "loop/journal", "internal/logkey")},
	"loop/journal":  {may: list(values, "loop/state", "internal/statefile", "internal/logkey")},
	"loop/looptest": {may: list(values, "board/boardtest/memory", "loop", "loop/plan", "loop/state")},
	"loop/simtest":  {may: list(values, "loop", "loop/plan", "loop/state")},

	"workers":           {may: list("board", tools)},
	"workers/claude":    {may: list("board", "workers", "workers/limit", tools)},
	"workers/script":    {may: list("board", "workers", tools)},
	"workers/command":   {may: list("board", "workers", "workers/limit", "workers/report", tools)},
	"workers/limit":     {},
	"workers/supervise": {may: list("workers", tools)},
	"workers/prompt":    {may: list("board")},
	"workers/report":    {may: list("board")},

	"worktree":            {may: list("board", "internal/git", tools)},
	"gitapp":              {may: list("board", "internal/ghapi", "internal/git", tools)},
	"gitapp/pulls":        {may: list("board", "gitapp", "internal/git")},
	"gitapp/pulls/local":  {may: list("board", "gitapp", "gitapp/pulls", "internal/git", tools)},
	"gitapp/pulls/github": {may: list("board", "gitapp", "gitapp/pulls", "internal/ghapi", "internal/git", "internal/gqlanswer", tools)},

	"themes":        {},
	"tui":           {may: list("board", "loop/state", "themes", "tui/...")},
	"tui/layout":    {},
	"tui/attention": {may: list("board", "loop/state", "tui/widget")},
	"tui/fetch":     {},
	"tui/drafts":    {},
	"tui/keymap":    {},
	"tui/query":     {may: list("board", "loop/state")},
	"tui/pane":      {may: list("board", "loop/state", "themes", "tui/keymap", "tui/widget")},
	"tui/pane/*":    {may: list("board", "loop/state", "themes", "tui/widget", "tui/present", "tui/layout", "tui/fetch", "tui/drafts", "tui/keymap", "tui/pane", "tui/query")},
	"tui/present":   {may: list("board", "loop/state", "themes", "tui/widget")},
	"tui/widget":    {may: list("themes")},

	"internal/control":    {may: list("board", "loop/state", "internal/statefile", "internal/logkey")},
	"internal/demo":       {may: list("board", "internal/app", "internal/config", "internal/git", "internal/fake/...", "workers/script", tools)},
	"internal/events":     {may: list("board", "internal/statefile", "internal/logkey")},
	"internal/reviewsync": {may: list("board", "internal/logkey")},
	"internal/setup":      {may: list("board", "internal/config")},

	"internal/ghapi":          {},
	"internal/gqlanswer":      {},
	"internal/git":            {may: list("internal/proc")},
	"internal/git/gittest":    {may: list("internal/git", "internal/proc")},
	"internal/proc":           {},
	"internal/proc/proctest":  {may: list("internal/proc")},
	"internal/statefile":      {},
	"internal/logkey":         {},
	"internal/fake/*":         {may: list("board", "internal/fake/gql", "internal/git")},
	"internal/fake/anthropic": {},
	"internal/archtest":       {},
	"internal/e2e":            {may: list("...")}, // tests only

	// Programs for those who work on this one; they know it from outside.
	"scripts/*": {},
}

// onlyFor lists rooms that few may import, whatever the table says.
var onlyFor = map[string][]string{
	"internal/cli":             {"."},
	"internal/app":             {"internal/cli", "internal/demo"},
	"internal/demo":            {"internal/cli"},
	"internal/fake/...":        {"internal/demo", "internal/fake/..."},
	"internal/fake/schematest": {},
	"board/boardtest/...":      {"board/boardtest/...", "loop/looptest"},
	"loop/looptest":            {"board/boardtest/..."},
	"loop/simtest":             {},
	"internal/proc/proctest":   {},
	"internal/git/gittest":     {},
	"internal/archtest":        {},
	"internal/e2e":             {},
}
