package script

import (
	"context"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// response is what the host answers to a request of ours.
type response struct {
	Response struct {
		ID   string `json:"request_id"`
		Body struct {
			Behavior  string          `json:"behavior"`
			Message   string          `json:"message"`
			Interrupt bool            `json:"interrupt"`
			Input     json.RawMessage `json:"updatedInput"`
			Rules     []struct {
				Rules []struct {
					Content string `json:"ruleContent"`
				} `json:"rules"`
			} `json:"updatedPermissions"`
		} `json:"response"`
	} `json:"response"`
	raw json.RawMessage
}

// asked is a request of ours that waits for its answer.
type asked struct {
	id   string
	told chan *response // closed over by the step that waits; holds one
}

// permit asks the host whether a tool call may run, as the real command does
// with --permission-prompt-tool, and waits for the answer. A command that the
// host allowed for the session is not asked for again.
func (t *turn) permit(ctx context.Context, call, tool string, in object, rule string) (*response, error) {
	req := object{"subtype": "can_use_tool", "tool_name": tool, "display_name": tool, "input": in, "tool_use_id": call}
	if rule != "" {
		req["permission_suggestions"] = []object{{
			"type": "addRules", "rules": []object{{"toolName": tool, "ruleContent": rule}}, "behavior": "allow", "destination": "localSettings",
		}}
	} else {
		req["requires_user_interaction"] = true
	}
	q := &asked{id: uuid.NewString(), told: make(chan *response, 1)}
	t.agent.asked = q
	defer func() { t.agent.asked = nil }()
	t.wire.line(object{"type": "control_request", "request_id": q.id, "request": req})
	var answer *response
	err := t.await(ctx, func(ctx context.Context) {
		select {
		case answer = <-q.told:
		case <-ctx.Done():
		}
	})
	if err != nil {
		t.wire.line(object{"type": "control_cancel_request", "request_id": q.id})
		return nil, err
	}
	for _, u := range answer.Response.Body.Rules {
		for _, r := range u.Rules {
			t.agent.allowed[r.Content] = true
		}
	}
	if answer.Response.Body.Interrupt {
		return answer, errInterrupted
	}
	return answer, nil
}

// answered takes the host's answer, and echoes it as every line of the host's
// (--replay-user-messages).
func (a *agent) answered(r *response) {
	if a.asked == nil || a.asked.id != r.Response.ID {
		return // withdrawn
	}
	a.wire.line(object{"type": "control_response", "response": r.raw})
	select {
	case a.asked.told <- r:
	default: // answered twice: the first counts
	}
}

// denied is the result of a call that the host did not allow.
func denied(message string) tool {
	return tool{text: message, failed: true, barred: true, detail: "Error: " + message}
}

// question asks a person, and sets a variable to the answer. Where nobody
// answers it is what the script goes on with.
func (t *turn) question(ctx context.Context, q *Question) error {
	text, err := t.expand(ctx, q.Text)
	if err != nil {
		return err
	}
	options := []object{}
	for _, o := range q.Options {
		options = append(options, object{"label": o, "description": ""})
	}
	in := object{"questions": []object{{"question": text, "header": q.Header, "options": options, "multiSelect": false}}}
	answer := q.Otherwise
	_, err = t.callAsking(ctx, "AskUserQuestion", in, "", func(r *response) tool {
		var got struct {
			Answers map[string]string `json:"answers"`
		}
		if json.Unmarshal(r.Response.Body.Input, &got) == nil && got.Answers[text] != "" {
			answer = got.Answers[text]
		}
		return tool{
			text:   "Your questions have been answered: \"" + text + "\"=\"" + answer + "\". You can now continue with these answers in mind.",
			detail: object{"questions": in["questions"], "answers": object{text: answer}},
		}
	})
	if err != nil {
		return err
	}
	t.set[q.As] = answer
	return nil
}

// callAsking is a call that asks first. do has the answer of one that is
// allowed, and is nil-safe of none: a command that is allowed for the session.
func (t *turn) callAsking(ctx context.Context, name string, in object, rule string, do func(*response) tool) (tool, error) {
	id := newID("toolu_")
	t.block(object{"type": "tool_use", "id": id, "name": name, "input": in}, name)
	t.inTool = true
	var out tool
	var err error
	if answer := (*response)(nil); rule != "" && t.agent.allowed[rule] {
		out, err = t.doing(ctx, func(context.Context) tool { return do(answer) })
	} else if answer, err = t.permit(ctx, id, name, in, rule); err == nil {
		if answer.Response.Body.Behavior == "allow" {
			out, err = t.doing(ctx, func(context.Context) tool { return do(answer) })
		} else {
			out = denied(answer.Response.Body.Message)
			t.agent.denials = append(t.agent.denials, object{"tool_name": name, "tool_use_id": id, "tool_input": in})
		}
	}
	return t.ended(id, out, err)
}

// hear waits until somebody says something, which then joins the turn.
func (t *turn) hear(ctx context.Context) error {
	for len(t.queue) == 0 {
		if t.inbox == nil {
			return failure{"nobody is left to say anything"}
		}
		if err := t.await(ctx, nil); err != nil {
			return err
		}
	}
	t.fold()
	return nil
}

// asking is a command's step that asks first.
func (t *turn) bashAsking(ctx context.Context, argv []string) ([]byte, tool, error) {
	var out []byte
	command := quote(argv)
	res, err := t.callAsking(ctx, "Bash", object{"command": command, "description": "run"}, command, func(*response) tool {
		got, err := t.exec(ctx, argv)
		out = got.Stdout
		return shown(got, err)
	})
	if errors.Is(err, errInterrupted) {
		out = nil
	}
	return out, res, err
}

// mustAsk says whether a rule of the agent's asks for the command.
func (a *agent) mustAsk(argv []string) bool {
	command := quote(argv)
	return slices.ContainsFunc(a.askFor, func(r *regexp.Regexp) bool { return r.MatchString(command) })
}

// rules are the commands that rules of the real command's form mean. Rules of
// other tools than Bash mean none.
func rules(of []string) []*regexp.Regexp {
	var out []*regexp.Regexp
	for _, rule := range of {
		tool, what, narrow := strings.Cut(strings.TrimSuffix(rule, ")"), "(")
		switch {
		case tool != "Bash":
			continue
		case !narrow:
			what = "*"
		}
		begin, ok := strings.CutSuffix(what, ":*")
		if !ok {
			begin, ok = strings.CutSuffix(what, " *")
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(begin), `\*`, ".*")
		if ok {
			pattern += "( .*)?" // with any arguments, or none
		}
		out = append(out, regexp.MustCompile(`(?s)^`+pattern+`$`))
	}
	return out
}

// faults are what is wrong with a question.
func (q *Question) faults() []string {
	var out []string
	if strings.TrimSpace(q.Text) == "" {
		out = append(out, "text must not be empty")
	}
	if q.As == "" {
		out = append(out, "as must name a variable")
	}
	return out
}
