package claude

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/backside4charter/dispatcher/workers"
)

// asksOf are the asks of a recording of the real program.
func asksOf(t *testing.T) []workers.Request {
	t.Helper()
	data, err := os.ReadFile("testdata/transcripts/can_use_tool.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []workers.Request
	for line := range strings.Lines(string(data)) {
		for _, e := range (Agent{}).Parse(nil, []byte(line)) {
			if e.Kind == workers.EventAsk {
				out = append(out, workers.Request{ID: e.ID, Tool: e.Tool, Text: e.Text, Ask: e.Ask})
			}
		}
	}
	return out
}

func TestAsksOfTheRealProgram(t *testing.T) {
	t.Parallel()
	got := asksOf(t)
	if len(got) != 3 {
		t.Fatalf("%d asks", len(got))
	}
	run, write, ask := got[0], got[1], got[2]
	if run.Tool != "Bash" || run.Text != "echo hi > out.txt" || run.ID != "d705e6ec-2552-4e8c-929e-707cfae2f72b" ||
		run.Ask.Call != "toolu_43b123785d1615cdc1231830" || run.Ask.Why != "it touches /repo/out.txt" || run.Ask.Questions != nil {
		t.Errorf("the command: %+v %+v", run, run.Ask)
	}
	if like := Alike(run.Ask.Like); !reflect.DeepEqual(like, []string{"Bash(echo hi *)"}) {
		t.Errorf("alike are %q", like)
	}
	if write.Tool != "Write" || write.Ask.Like != nil {
		t.Errorf("a mode was taken for a rule: %+v %s", write, write.Ask.Like)
	}
	want := []workers.Question{{Header: "Pick", Text: "Which one?", Options: []workers.Option{{Label: "A", Description: "first"}, {Label: "B", Description: "second"}}}}
	if ask.Tool != workers.AskTool || ask.Text != "Which one?" || !reflect.DeepEqual(ask.Ask.Questions, want) {
		t.Errorf("the question: %+v %+v", ask, ask.Ask)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	rs := asksOf(t)
	for name, c := range map[string]struct {
		r    workers.Request
		a    workers.Answer
		want string
	}{
		"once":      {rs[0], workers.Answer{Behavior: workers.Allow}, `{"behavior":"allow"}`},
		"denied":    {rs[0], workers.Answer{Behavior: workers.Deny, Message: "not \x1b here"}, `{"behavior":"deny","message":"not \u001b here"}`},
		"no reason": {rs[0], workers.Answer{Behavior: workers.Deny}, `{"behavior":"deny","message":"Not allowed."}`},
		"nonsense":  {rs[0], workers.Answer{Behavior: "perhaps"}, `{"behavior":"deny","message":"Not allowed."}`},
		"for the run": {
			rs[0],
			workers.Answer{Behavior: workers.Allow, Always: true},
			`{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"echo hi *"}],"behavior":"allow","destination":"session"}]}`,
		},
		"for the run, no rule": {rs[1], workers.Answer{Behavior: workers.Allow, Always: true}, `{"behavior":"allow"}`},
		"answered": {
			rs[2],
			workers.Answer{Behavior: workers.Allow, Answers: []string{"B"}},
			`{"behavior":"allow","updatedInput":{"answers":{"Which one?":"B"},"questions":[{"header":"Pick","multiSelect":false,"options":[{"description":"first","label":"A"},{"description":"second","label":"B"}],"question":"Which one?"}]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := (Agent{}).Answer(c.r, c.a)
			want := `{"type":"control_response","response":{"subtype":"success","request_id":"` + c.r.ID + `","response":` + c.want + "}}\n"
			if string(line) != want {
				t.Errorf("\n got %s\nwant %s", line, want)
			}
			if strings.Count(string(line), "\n") != 1 || !json.Valid(line) {
				t.Errorf("not one line: %q", line)
			}
		})
	}
}

// What is no ask says nothing, and a hostile one breaks nothing.
func TestOtherRequests(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"another kind":   `{"type":"control_request","request_id":"r","request":{"subtype":"hook_callback"}}`,
		"no request":     `{"type":"control_request","request_id":"r"}`,
		"a text":         `{"type":"control_request","request_id":"r","request":"can_use_tool"}`,
		"no suggestions": `{"type":"control_request","request_id":"r","request":{"subtype":"other","permission_suggestions":{}}}`,
	} {
		if got := (Agent{}).Parse(nil, []byte(line)); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	got := (Agent{}).Parse(nil, []byte(`{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"AskUserQuestion","input":{"questions":[1,{"options":[null]}]},"permission_suggestions":[1,{"type":"addRules","behavior":"deny","rules":[{"toolName":"Bash"}]},{"type":"addRules","behavior":"allow","destination":"userSettings","rules":[{"toolName":"Bash"}]}]}}`))
	if len(got) != 1 || len(got[0].Ask.Questions) != 1 || !reflect.DeepEqual(Alike(got[0].Ask.Like), []string{"Bash"}) || strings.Contains(string(got[0].Ask.Like), "userSettings") {
		t.Errorf("%+v %+v", got, got[0].Ask)
	}
	end := (Agent{}).Parse(nil, []byte(`{"type":"control_cancel_request","request_id":"r"}`))
	if len(end) != 1 || end[0].Kind != workers.EventAskEnd || end[0].ID != "r" {
		t.Errorf("%+v", end)
	}
}
