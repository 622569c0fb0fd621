package script

import (
	"context"
	"errors"
	"time"
)

// usage counts what the pretended model was asked and what it cost.
type usage struct {
	requests      int
	input, output int64
	cost          float64
}

func (u usage) object() object {
	return object{
		"input_tokens": u.input, "cache_creation_input_tokens": 0,
		"cache_read_input_tokens": 0, "output_tokens": u.output, "service_tier": "standard",
	}
}

func modelUsage(input, output int64, cost float64) object {
	return object{modelName: object{
		"inputTokens": input, "outputTokens": output, "cacheReadInputTokens": 0,
		"cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": cost, "contextWindow": 200000,
	}}
}

// turn answers one message: it plays the script from where it stands to its
// final message. An error ends the process.
func (a *agent) turn(ctx context.Context, m *message) error {
	begin := a.opt.Now()
	a.spent = usage{}
	a.facts = nil
	a.busy = true
	defer func() { a.busy = false }()
	a.wire.lifecycle(m, "started")
	a.wire.init()
	a.wire.echo(m)
	a.wire.first, a.wire.opener = true, nil
	if m.UUID != "" {
		a.wire.opener = []string{m.UUID}
	}
	t := &turn{agent: a, begin: begin, main: m}
	final, err := t.play(ctx)
	if _, exits := errors.AsType[exitError](err); exits {
		return err
	}
	inTool := t.inTool
	a.wire.first, a.wire.message = false, ""
	if errors.Is(err, errInterrupted) {
		a.wire.interrupted(inTool)
		t.result(resultInterrupted(inTool))
		a.wire.lifecycle(m, "cancelled")
		return nil
	}
	if err != nil {
		final = t.giveUp(err)
	}
	a.final = final
	for _, f := range t.folded {
		a.wire.lifecycle(f, "completed")
	}
	t.result(object{
		"subtype": "success", "is_error": false, "stop_reason": "end_turn",
		"terminal_reason": "completed", "result": final, "api_error_status": nil,
	})
	a.wire.lifecycle(m, "completed")
	return nil
}

// turn is one turn under way.
type turn struct {
	*agent
	begin  time.Time
	main   *message
	folded []*message // messages that joined the turn
	inTool bool       // it was stopped while a tool ran
}

func resultInterrupted(inTool bool) object {
	reason, stop := "aborted_streaming", "end_turn"
	if inTool {
		reason, stop = "aborted_tools", "tool_use"
	}
	return object{
		"subtype": "error_during_execution", "is_error": true, "stop_reason": stop,
		"terminal_reason": reason, "errors": []string{"interrupted by the user"},
	}
}

// result ends the turn in the stream and in the session.
func (t *turn) result(o object) {
	a := t.agent
	a.session.CostUSD += a.spent.cost
	a.session.Input += a.spent.input
	a.session.Output += a.spent.output
	// A session that can't be kept costs a later resume, not this run.
	_ = a.session.save()
	o["type"] = "result"
	o["duration_ms"] = a.opt.Now().Sub(t.begin).Milliseconds()
	o["duration_api_ms"] = 0
	o["num_turns"] = a.spent.requests
	o["total_cost_usd"] = a.session.CostUSD
	o["usage"] = a.spent.object()
	o["modelUsage"] = modelUsage(a.session.Input, a.session.Output, a.session.CostUSD)
	o["model_usage_since_last_result"] = modelUsage(a.spent.input, a.spent.output, a.spent.cost)
	o["permission_denials"] = a.denials
	a.denials = []object{}
	o["queued_turn_count"] = 0
	o["result_index"] = a.turns
	if a.wire.opener != nil {
		ids := a.wire.opener
		for _, f := range t.folded {
			if f.UUID != "" {
				ids = append(ids, f.UUID)
			}
		}
		o["user_message_uuid"], o["user_message_uuids"] = a.wire.opener[0], ids
	}
	a.wire.event(o)
	a.turns++
	a.failed, _ = o["is_error"].(bool)
}

// block writes a content block; the first after a tool result, or of a turn,
// is a new request to the pretended model.
func (t *turn) block(b object, text string) {
	a := t.agent
	if a.wire.message == "" {
		a.wire.message, a.wire.request = newID("msg_"), newID("req_")
		a.spent.requests++
		a.spent.input += 100
		a.spent.cost += a.file.TurnCostUSD
	}
	a.spent.output += int64(len(text)/4 + 1)
	a.wire.block(b)
}

func (t *turn) say(text string) { t.block(object{"type": "text", "text": text}, text) }

func (t *turn) think(text string) {
	t.block(object{"type": "thinking", "thinking": text, "signature": ""}, text)
}

// call shows a tool call, does it, and shows what came of it.
func (t *turn) call(ctx context.Context, name string, in object, do func(context.Context) tool) (tool, error) {
	id := newID("toolu_")
	t.block(object{"type": "tool_use", "id": id, "name": name, "input": in}, name)
	t.inTool = true
	out, err := t.doing(ctx, do)
	return t.ended(id, out, err)
}

// doing does what a call is for.
func (t *turn) doing(ctx context.Context, do func(context.Context) tool) (out tool, err error) {
	err = t.await(ctx, func(ctx context.Context) { out = do(ctx) })
	return out, err
}

// ended shows what came of a call.
func (t *turn) ended(id string, out tool, err error) (tool, error) {
	if errors.Is(err, errInterrupted) {
		out = tool{
			text: "The user doesn't want to proceed with this tool use. This call was stopped while running: " +
				"it may have run in part or in full. Stop and wait for the user to tell you how to proceed.",
			failed: true, refused: true, detail: "User rejected tool use",
		}
	}
	out.id = id
	t.wire.toolResult(out)
	if err != nil {
		return out, err
	}
	t.inTool = false
	t.wire.message = ""
	return out, nil
}

// fold lets messages that came meanwhile join the turn.
func (t *turn) fold() {
	if len(t.queue) == 0 {
		return
	}
	for _, m := range t.queue {
		t.wire.echo(m)
		t.wire.lifecycle(m, "started")
		t.folded = append(t.folded, m)
	}
	t.queue = nil
	t.wire.message = ""
	t.say("I see your note. I am a scripted agent: it is in the transcript, and I go on with my script.")
}

// pause waits as an agent that thinks does.
func (t *turn) pause(ctx context.Context, ms int) error {
	speed := t.file.Speed
	if speed == 0 {
		speed = 1
	}
	d := time.Duration(float64(ms) / speed * float64(time.Millisecond))
	return t.await(ctx, func(ctx context.Context) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	})
}
