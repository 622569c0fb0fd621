package claude

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/backside4charter/dispatcher/workers"
)

// asked is a request of the program to its host: may it use a tool, or a
// question to a person, which comes the same way (claude/README.md, section 6).
func asked(dst []workers.Event, o object) []workers.Event {
	var buf [room]member
	req, ok := members(buf[:0], o.get("request"))
	if !ok || !req.get("subtype").is("can_use_tool") {
		return dst
	}
	input := req.get("input")
	e := workers.Event{
		Kind: workers.EventAsk, At: at(o), ID: o.get("request_id").text(argLimit), Tool: req.get("tool_name").text(argLimit),
		Text: mainArgument(input),
		Ask: &workers.Ask{
			Call: req.get("tool_use_id").text(argLimit), Input: json.RawMessage(bytes.Clone(input)), Why: why(req),
			Like: alike(req.get("permission_suggestions")),
		},
	}
	if e.Tool == workers.AskTool {
		e.Ask.Questions = questions(input)
		if len(e.Ask.Questions) > 0 {
			e.Text = e.Ask.Questions[0].Text
		}
	}
	return append(dst, e)
}

// why is the reason that a request states: what of it lies out of bounds.
func why(req object) string {
	if r := req.get("decision_reason"); r.kind() == '"' {
		return r.text(argLimit)
	}
	if p := req.get("blocked_path"); p.kind() == '"' {
		return "it touches " + p.text(argLimit)
	}
	return ""
}

func questions(input raw) []workers.Question {
	var buf [room]member
	in, _ := members(buf[:0], input)
	var out []workers.Question
	elements(in.get("questions"), func(v raw) {
		var buf [room]member
		q, ok := members(buf[:0], v)
		if !ok {
			return
		}
		one := workers.Question{Header: q.get("header").text(argLimit), Text: q.get("question").text(spokenLimit), Many: q.get("multiSelect").isTrue()}
		elements(q.get("options"), func(v raw) {
			var buf [room]member
			if p, ok := members(buf[:0], v); ok {
				one.Options = append(one.Options, workers.Option{Label: p.get("label").text(argLimit), Description: p.get("description").text(argLimit)})
			}
		})
		out = append(out, one)
	})
	return out
}

// update is one change of the program's own rules.
type update struct {
	Type        string `json:"type"`
	Rules       []rule `json:"rules"`
	Behavior    string `json:"behavior"`
	Destination string `json:"destination"`
}

type rule struct {
	Tool    string `json:"toolName"`
	Content string `json:"ruleContent,omitempty"`
}

func (r rule) String() string {
	if r.Content == "" {
		return r.Tool
	}
	return r.Tool + "(" + r.Content + ")"
}

// alike takes of what the program suggests only the rules that allow calls, and
// for its session only: a mode or a folder would open more than what was asked
// for, and a rule in a file would outlive the run.
func alike(suggestions raw) json.RawMessage {
	if suggestions.kind() != '[' {
		return nil
	}
	var all []json.RawMessage
	if json.Unmarshal(suggestions, &all) != nil {
		return nil
	}
	var kept []update
	for _, v := range all {
		var u update
		if json.Unmarshal(v, &u) != nil || u.Type != "addRules" || u.Behavior != "allow" || len(u.Rules) == 0 {
			continue
		}
		u.Destination = "session"
		kept = append(kept, u)
	}
	if kept == nil {
		return nil
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return nil
	}
	return data
}

// Alike names the rules of an ask's Like as a person reads them.
func Alike(like json.RawMessage) []string {
	var all []update
	if json.Unmarshal(like, &all) != nil {
		return nil
	}
	var out []string
	for _, u := range all {
		for _, r := range u.Rules {
			out = append(out, r.String())
		}
	}
	return out
}

type controlResponse struct {
	Type     string       `json:"type"`
	Response responseBody `json:"response"`
}

type responseBody struct {
	Subtype  string   `json:"subtype"`
	ID       string   `json:"request_id"`
	Response decision `json:"response"`
}

type decision struct {
	Behavior workers.Behavior `json:"behavior"`
	Message  string           `json:"message,omitempty"`
	Input    map[string]any   `json:"updatedInput,omitempty"`
	Rules    json.RawMessage  `json:"updatedPermissions,omitempty"`
}

// Answer implements workers.Agent. The input of an allowed call is not sent
// back: it runs as it was asked for, also where our copy of it was cut.
func (Agent) Answer(r workers.Request, a workers.Answer) []byte {
	d := decision{Behavior: a.Behavior}
	switch {
	case a.Behavior != workers.Allow:
		d.Behavior, d.Message = workers.Deny, a.Message
		if strings.TrimSpace(d.Message) == "" {
			d.Message = "Not allowed."
		}
	case r.Ask != nil && len(r.Ask.Questions) > 0:
		d.Input = answered(r.Ask, a.Answers)
	case r.Ask != nil && a.Always:
		d.Rules = r.Ask.Like
	}
	return line(controlResponse{Type: "control_response", Response: responseBody{Subtype: "success", ID: r.ID, Response: d}})
}

// answered is the input of a question with its answers. Questions without one
// have none.
func answered(ask *workers.Ask, answers []string) map[string]any {
	in := map[string]any{}
	if json.Unmarshal(ask.Input, &in) != nil {
		in = map[string]any{}
	}
	said := map[string]string{}
	for i, q := range ask.Questions {
		if i < len(answers) {
			said[q.Text] = answers[i]
		}
	}
	in["answers"] = said
	return in
}
