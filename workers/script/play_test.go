package script_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// play runs a script to its result and the end of the process.
func (w *world) play(path string, env ...string) *proc {
	w.t.Helper()
	p := w.start(path, uuid.NewString(), false, env...)
	p.say("go", "")
	p.in.Close()
	p.end()
	return p
}

func (p *proc) result() string {
	for _, l := range slices.Backward(p.lines) {
		if l["type"] == "result" {
			s, _ := l["result"].(string)
			return s
		}
	}
	return ""
}

func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func TestStepsReallyHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("init", "-q", "-b", "task/dsp-1-x")
	path := w.script(`[
		{"think":"hm"},
		{"write":{"path":"a/b.txt","content":"one\n","executable":true}},
		{"append":{"path":"a/b.txt","content":"two {{ref}}\n"}},
		{"append":{"path":"a/b.txt","content":"two {{ref}}\n"}},
		{"append":{"path":"new.txt","content":"x\n"}},
		{"replace":{"path":"a/b.txt","old":"one","new":"ONE"}},
		{"replace":{"path":"a/b.txt","old":"one","new":"ONE"}},
		{"run":["dispatcher","cat","{{tmp}}/body.md"],"files":{"body.md":"body of {{ref}} #12 on {{branch}} {{run}} {{kind}}"},"capture":{"pr":"#([0-9]+)"}},
		{"run":["dispatcher","fail"],"mayFail":true},
		{"skipIf":{"run":["dispatcher","x{{pr}}"],"match":"did x{{pr}}"},"run":["dispatcher","fail"]},
		{"run":["dispatcher","env","CLAUDE_CODE_SESSION_ID"],"capture":{"sid":".+"}},
		{"final":"PR #{{pr}} {{sid}} {{session}}\n\nSTATUS: COMPLETE"}]`)
	p := w.play(path)
	data, err := os.ReadFile(filepath.Join(w.dir, "a", "b.txt"))
	if err != nil || string(data) != "ONE\ntwo DSP-1\n" {
		t.Errorf("file %q, %v", data, err)
	}
	got := p.result()
	first, rest, _ := strings.Cut(got, "\n")
	f := strings.Fields(first)
	if len(f) != 4 || f[1] != "#12" || f[2] != f[3] || strings.TrimSpace(rest) != "STATUS: COMPLETE" {
		t.Errorf("result %q\n%v", got, kinds(p.lines))
	}
	body := ""
	for _, l := range p.lines {
		if strings.HasPrefix(text(l), "body of ") {
			body = text(l)
		}
	}
	if body != "body of DSP-1 #12 on task/dsp-1-x r1 developer" {
		t.Errorf("body %q", body)
	}
	if info, err := os.Stat(filepath.Join(w.dir, "a", "b.txt")); runtime.GOOS != "windows" && (err != nil || info.Mode()&0o111 == 0) {
		t.Errorf("not executable: %v %v", info, err)
	}
}

func TestStepsThatFail(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	for _, c := range []struct{ name, steps, want string }{
		{"a command", `[{"run":["dispatcher","fail"]},{"final":"STATUS: COMPLETE"}]`, "dispatcher fail failed: Exit code 3"},
		{"no program", `[{"run":["no-such-program-here"]},{"final":"STATUS: COMPLETE"}]`, "Exit code 127"},
		{"nothing to replace", `[{"write":{"path":"f","content":"a"}},{"replace":{"path":"f","old":"zz","new":"y"}},{"final":"STATUS: COMPLETE"}]`, "String to replace not found"},
		{"no file to replace in", `[{"replace":{"path":"nix","old":"zz","new":"y"}},{"final":"STATUS: COMPLETE"}]`, "nix"},
		{"through a link", `[{"write":{"path":"link/f","content":"a"}},{"final":"STATUS: COMPLETE"}]`, "link"},
		{"path from a variable", `[{"run":["dispatcher",".."],"capture":{"p":"[.]+"}},{"write":{"path":"{{p}}/f","content":"a"}},{"final":"STATUS: COMPLETE"}]`, "not a file of the working directory"},
		{"nothing captured", `[{"run":["dispatcher","x"],"capture":{"n":"#[0-9]+"}},{"final":"STATUS: COMPLETE"}]`, "nothing that matches"},
		{"no pull request", `[{"run":["dispatcher","pulls","view","{{pr}}"]},{"final":"STATUS: COMPLETE"}]`, "no open pull request"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if err := os.Symlink(outside, filepath.Join(w.dir, "link")); err != nil && c.name == "through a link" {
				t.Skipf("no symbolic links here: %v", err)
			}
			p := w.play(w.script(c.steps))
			if got := p.result(); !strings.Contains(got, c.want) || !strings.HasSuffix(got, "\n\nSTATUS: INCOMPLETE") {
				t.Errorf("result %q", got)
			}
			if left, _ := os.ReadDir(outside); len(left) != 0 {
				t.Errorf("wrote outside: %v", left)
			}
		})
	}
}

func TestEndsWithoutResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		steps, stderr string
		code          int
	}{
		{`[{"crash":"segfault on {{ref}}"}]`, "segfault on DSP-1", 1},
		{`[{"exit":7}]`, "", 7},
	} {
		w := newWorld(t)
		p := w.play(w.script(c.steps))
		if code := p.cmd.ProcessState.ExitCode(); code != c.code || p.result() != "" || !strings.Contains(p.err.String(), c.stderr) {
			t.Errorf("%s: exit %d, result %q, stderr %q", c.steps, code, p.result(), p.err)
		}
	}
}

const situations = `{"version":1,"default":{
 "developer":[{"steps":[{"final":"default\n\nSTATUS: COMPLETE"}]}],
 "reviewer":[{"steps":[{"final":"VERDICT: PASS"}]}],
 "cleaner":[{"steps":[{"final":"STATUS: COMPLETE"}]}]},
 "issues":{"dsp-1":{
  "developer":[
   {"when":["reworked"],"steps":[{"final":"reworked: {{request}}"}]},
   {"when":["answered","!gaveUp"],"steps":[{"final":"answered: {{answer}}"}]},
   {"when":["gaveUp"],"steps":[{"final":"again"}]},
   {"steps":[{"when":["asked"],"say":"asked before"},{"when":["fresh"],"say":"fresh start"},{"final":"first"}]},
   {"steps":[{"final":"second"}]}],
  "reviewer":[
   {"when":["rereview"],"steps":[{"final":"better {{head}} {{branch}} #{{pr}}"}]},
   {"steps":[{"when":["!reviewed"],"say":"posting"},{"final":"bad"}]}]}}}`

func TestSituations(t *testing.T) {
	t.Parallel()
	asked := `{"role":"developer","body":"which?"}`
	pull := func(reviews string) string {
		return `{"number":3,"state":"open","head":"task/dsp-1-x","headSha":"h2","issues":["DSP-1"],"reviews":[` + reviews + `]}`
	}
	blocking := `{"bot":true,"state":"COMMENT","commit":"h1","body":"see","findings":[{"path":"a","severity":"blocking","body":"wrong"}]}`
	for _, c := range []struct {
		name, kind, comments, pull, attempt, want, said string
	}{
		{"first run", "developer", "", "", "1", "first", "fresh start"},
		{"second run", "developer", "", "", "2", "second", ""},
		{"third run repeats the last", "developer", "", "", "3", "second", ""},
		{"asked, killed, again", "developer", asked, "", "1", "first", "asked before"},
		{"answered", "developer", asked + `,{"role":"owner","body":"the first\nplease"}`, "", "1", "answered: the first", ""},
		{"given up and taken up", "developer", `{"role":"dispatcher","body":"needs human attention: 2 failed"}`, "", "1", "again", ""},
		{"sent back by the reviewer", "developer", "", pull(blocking), "1", "reworked: see", ""},
		{"sent back by the owner", "developer", "", pull(blocking + `,{"bot":true,"state":"COMMENT","commit":"h2","body":"fine"},{"state":"CHANGES_REQUESTED","commit":"h2","body":"no: shorter"}`), "1", "reworked: no: shorter", ""},
		{"passed", "developer", "", pull(blocking + `,{"bot":true,"state":"COMMENT","commit":"h2","body":"fine"}`), "1", "first", ""},
		{"first review", "reviewer", "", pull(""), "1", "bad", "posting"},
		{"review posted, killed, again", "reviewer", "", pull(strings.Replace(blocking, "h1", "h2", 1)), "1", "bad", ""},
		{"second review", "reviewer", "", pull(blocking), "1", "better h2 task/dsp-1-x #3", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put("issue.json", `{"ref":"DSP-1","title":"T","role":"inProgress","comments":[`+c.comments+`]}`)
			if c.pull != "" {
				w.put("pulls.json", `[{"number":2,"state":"open","issues":["DSP-9"]},`+c.pull+`]`)
				w.put("pull.json", c.pull)
			}
			p := w.play(w.file(situations), "DISPATCHER_WORKER="+c.kind, "DISPATCHER_ATTEMPT="+c.attempt)
			if got := p.result(); got != c.want {
				t.Errorf("result %q, want %q", got, c.want)
			}
			var said []string
			for _, l := range p.lines {
				if kindOf(l) == "assistant/text" && text(l) != c.want {
					said = append(said, text(l))
				}
			}
			if got := strings.Join(said, "|"); got != c.said {
				t.Errorf("said %q, want %q", got, c.said)
			}
		})
	}
}

func TestTickAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("issue.json", `{"ref":"DSP-1","body":"- [ ] one\n- [x] two\n- [ ] three\n"}`)
	p := w.play(w.script(`[{"tick":"all"},{"final":"STATUS: COMPLETE"}]`))
	var did []string
	for _, l := range p.lines {
		if strings.HasPrefix(text(l), "did board tick") {
			did = append(did, text(l))
		}
	}
	if want := []string{"did board tick DSP-1 1", "did board tick DSP-1 3"}; !slices.Equal(did, want) {
		t.Errorf("ticked %v", did)
	}
}

func TestDefaultForOtherIssues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.play(w.file(situations), "DISPATCHER_REF=DSP-77")
	if got := p.result(); got != "default\n\nSTATUS: COMPLETE" {
		t.Errorf("result %q", got)
	}
}

func TestBoardThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("issue.json", "no JSON")
	p := w.play(w.file(situations))
	if got := p.result(); !strings.Contains(got, "not the JSON") || !strings.HasSuffix(got, "STATUS: INCOMPLETE") {
		t.Errorf("result %q", got)
	}
	p = w.play(w.file(situations), "DISPATCHER_WORKER=reviewer")
	if got := p.result(); strings.Contains(got, "VERDICT:") || got == "" {
		t.Errorf("a reviewer that could not look has a verdict: %q", got)
	}
}

func TestNotStartedByTheLoop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.script(`[{"final":"STATUS: COMPLETE"}]`)
	for _, env := range []string{"DISPATCHER_WORKER=boss", "DISPATCHER_REF="} {
		p := w.start(path, newSession(), false, env)
		if code := p.end(); code != 1 || len(p.lines) != 0 || !strings.Contains(p.err.String(), "started by the loop") {
			t.Errorf("%s: exit %d, stderr %q", env, code, p.err)
		}
	}
	p := w.start(path, "../../etc", false)
	if code := p.end(); code != 1 || !strings.Contains(p.err.String(), "UUID") {
		t.Errorf("bad session: exit %d, stderr %q", code, p.err)
	}
}
