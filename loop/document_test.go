package loop_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/backside4charter/dispatcher/board"
	"github.com/backside4charter/dispatcher/loop/plan"
	"github.com/backside4charter/dispatcher/loop/state"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/state-machine.md")

const document = "../docs/state-machine.md"

// TestStateMachineDocument holds the page on the state machines to the code.
func TestStateMachineDocument(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(data), "\r\n", "\n")
	want := page
	for name, text := range map[string]string{
		"transitions": transitionTable(board.Transitions()), "child transitions": transitionTable(board.ChildTransitions()),
		"picture": picture(), "phases": phaseTable(t),
	} {
		want = between(t, want, name, text)
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("docs/state-machine.md is stale; run `go test ./loop -run TestStateMachineDocument -update` (-code +page)\n%s", diff)
	}
}

// between puts a generated text between its markers.
func between(t *testing.T, page, name, text string) string {
	t.Helper()
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	head, rest, ok := strings.Cut(page, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("docs/state-machine.md has no place for the %s", name)
	}
	return head + begin + "\n" + text + "\n" + end + tail
}

func transitionTable(ts []board.Transition) string {
	var b strings.Builder
	b.WriteString("| from | to | by | when |\n| --- | --- | --- | --- |\n")
	for _, t := range ts {
		by := make([]string, len(t.By))
		for n, k := range t.By {
			by[n] = string(k)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", t.From, t.To, strings.Join(by, ", "), t.Trigger)
	}
	return b.String()
}

func picture() string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n    [*] --> backlog: owner\n    backlog --> ready: owner\n    question --> ready: owner answers\n    question --> changesRequested: owner answers\n")
	for _, t := range board.Transitions() {
		fmt.Fprintf(&b, "    %s --> %s: %s\n", t.From, t.To, strings.ReplaceAll(t.Trigger, ":", ","))
	}
	b.WriteString("    humanReview --> done: owner merges\n    done --> [*]\n```\n")
	return b.String()
}

// phaseTable is the phases of a run with their comments.
func phaseTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| phase | meaning |\n| --- | --- |\n")
	for _, c := range constants(t, "state/run.go", "Phase") {
		doc := strings.Join(strings.Fields(c.doc), " ")
		fmt.Fprintf(&b, "| %s | %s |\n", c.value, strings.TrimPrefix(doc, c.name+": "))
	}
	return b.String()
}

type constant struct{ name, value, doc string }

// constants are the string constants of a file whose names have a prefix.
func constants(t *testing.T, path, prefix string) []constant {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var out []constant
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			value, _ := strconv.Unquote(lit.Value)
			out = append(out, constant{spec.Names[0].Name, value, spec.Doc.Text()})
		}
		return true
	})
	if len(out) == 0 {
		t.Fatalf("%s has no constants %s…", path, prefix)
	}
	return out
}

// tableAfter reads the table that follows a heading, without its head.
func tableAfter(t *testing.T, heading string) [][]string {
	t.Helper()
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("docs/state-machine.md has no %q", heading)
	}
	var out [][]string
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			if len(out) > 0 {
				break
			}
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for n := range cells {
			cells[n] = strings.TrimSpace(cells[n])
		}
		out = append(out, cells)
	}
	if len(out) < 3 {
		t.Fatalf("no table follows %q", heading)
	}
	return out[2:]
}

// TestHoldsAreDocumented: the page names every reason, and which of them need
// the owner.
func TestHoldsAreDocumented(t *testing.T) {
	t.Parallel()
	inCode, onPage := map[string]string{}, map[string]string{}
	for _, c := range constants(t, "plan/eligible.go", "Hold") {
		needs := ""
		i := board.Issue{Ref: "DSP-1"}
		if len(plan.Needs(&plan.Facts{}, []state.Row{{Issue: i, Hold: c.value}})) == 1 {
			needs = "yes"
		}
		inCode[c.value] = needs
	}
	for _, row := range tableAfter(t, "## Why a row waits") {
		if len(row) != 4 || row[1] == "" {
			t.Errorf("the row %q is not whole", row)
			continue
		}
		onPage[row[0]] = row[3]
	}
	if diff := cmp.Diff(inCode, onPage); diff != "" {
		t.Errorf("docs/state-machine.md, Why a row waits: (-code +page)\n%s", diff)
	}
}

// TestQueuesAreDocumented asks the rules about every line of the table.
func TestQueuesAreDocumented(t *testing.T) {
	t.Parallel()
	for _, row := range tableAfter(t, "## A row's queue") {
		role, ok := board.ParseRole(row[1])
		if !ok {
			t.Fatalf("no role %q", row[1])
		}
		i := board.Issue{Ref: "DSP-1", Role: role, Delegate: board.Delegate(strings.TrimPrefix(row[2], "none"))}
		f := &plan.Facts{Mode: state.ModeRunning, Rows: []board.Issue{i}}
		if row[3] == "open" {
			f.Pulls = []board.PullRequest{{Number: 1, Name: "#1", State: board.PullOpen, ByAgent: true, Issues: []board.Ref{"DSP-1"}}}
		}
		if j := plan.Judge(f, &f.Rows[0]); string(j.Kind) != row[4] || fmt.Sprint(j.Tier) != row[0] {
			t.Errorf("%q: the rules say %+v", row, j)
		}
	}
}

// phaseLog is how runs went from phase to phase, as their journal shows it.
type phaseLog map[string]bool

func (l phaseLog) saw(before, after []state.Run) {
	phases := func(runs []state.Run) map[string]string {
		out := map[string]string{}
		for _, r := range runs {
			out[r.ID] = string(r.Phase)
		}
		return out
	}
	was, is := phases(before), phases(after)
	for id, p := range is {
		if from := orNone(was[id]); from != p {
			l[from+" "+p] = true
		}
	}
	for id, p := range was {
		if is[id] == "" {
			l[p+" none"] = true
		}
	}
}

func orNone(phase string) string {
	if phase == "" {
		return "none"
	}
	return phase
}

// TestPhasesAreDocumented plays lives of a loop, with crashes, stops and
// troubles, and compares how its runs went with the page.
func TestPhasesAreDocumented(t *testing.T) {
	t.Parallel()
	onPage := phaseLog{}
	for _, row := range tableAfter(t, "How a run goes from phase to phase. `none` is a run that is not in the journal. The test plays lives of a loop, with crashes, and\ncompares what it saw.") {
		onPage[row[0]+" "+row[1]] = true
	}
	seen := phaseLog{}
	for n := range 30 {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.phases = seen
			fullBoard(w)
			w.treeFails[w.ready("no worktree")] = fmt.Errorf("checked out elsewhere")
			w.board.Refuse = map[board.Ref]error{w.ready("taken"): board.ErrClaimConflict}
			slow := w.ready("slow checks")
			w.checks = func(p *board.PullRequest) (board.CheckState, error) {
				if p.Issues[0] == slow {
					return []board.CheckState{board.ChecksPending, board.ChecksRed}[n%2], nil
				}
				return board.ChecksGreen, nil
			}
			p := w.startDying(7*n, n%3 == 0, forever, slots(9))
			if n%5 == 4 { // whatever the number of effects before it
				p.crash()
				p = w.launch(&process{crashAt: 1, only: "start"}, forever, slots(9))
			}
			time.Sleep(time.Duration(40+5*n) * time.Second)
			switch n % 4 {
			case 0:
				_, _ = p.e.Send(t.Context(), state.Command{Kind: state.CommandAbort})
				p.wait()
			case 1:
				p.crash()
				w.killAll()
			default:
				p.crash()
			}
			p = w.start(forever, slots(9))
			time.Sleep(2 * time.Hour)
			p.send(state.CommandAbort)
			p.wait()
			w.sound()
		})
	}
	synctest.Test(t, func(t *testing.T) { takenLives(t, seen) })
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.phases = seen
		w.on(w.ready("the power goes"), board.KindDeveloper, endless, completing)
		p := w.start(forever)
		time.Sleep(time.Minute)
		p.crash()
		w.killAll()
		w.start().wait()
	})
	if diff := cmp.Diff(slices.Sorted(maps.Keys(seen)), slices.Sorted(maps.Keys(onPage))); diff != "" {
		t.Errorf("docs/state-machine.md, A run: (-seen +page)\n%s", diff)
	}
}

// takenLives are two runs whose session the owner takes over: one is handed
// back, the other's row is moved.
func takenLives(t *testing.T, seen phaseLog) {
	t.Helper()
	w := newWorld(t)
	w.phases = seen
	back, moved := w.ready("handed back"), w.ready("moved")
	w.on(back, board.KindDeveloper, endless, completing)
	w.on(moved, board.KindDeveloper, endless)
	p := w.start(forever)
	time.Sleep(time.Minute)
	for _, ref := range []board.Ref{back, moved} {
		p.ask(state.Command{Kind: state.CommandTakeOver, Ref: ref})
	}
	time.Sleep(time.Minute)
	p.ask(state.Command{Kind: state.CommandHandBack, Ref: back})
	w.board.Edit(moved, func(i *board.Issue) { w.board.Put(i, board.RoleBacklog, board.ActorOwner) })
	time.Sleep(time.Hour)
	p.send(state.CommandAbort)
	p.wait()
	w.sound()
}
