package claude

import (
	"github.com/backside4charter/dispatcher/workers"
	"github.com/backside4charter/dispatcher/workers/limit"
)

// result is the end of a turn. What counts is is_error first, then subtype,
// then terminal_reason (claude/README.md, section 5).
func (a Agent) result(o object) *workers.Result {
	r := &workers.Result{
		IsError:  o.get("is_error").isTrue(),
		Subtype:  o.get("subtype").text(argLimit),
		Terminal: o.get("terminal_reason").text(argLimit),
		Text:     o.get("result").text(resultLimit),
		Turns:    int(o.get("num_turns").integer()),
		Queued:   int(o.get("queued_turn_count").integer()),
		CostUSD:  o.get("total_cost_usd").number(),
		Status:   int(o.get("api_error_status").integer()),
		Code:     o.get("api_error").text(argLimit),
	}
	var buf [room]member
	if said, ok := members(buf[:0], o.get("structured_output")); ok {
		// The text is a part of it then, and what stands in its place is JSON.
		if v := said.get("report"); v.kind() == '"' {
			r.Text, r.Answer = v.text(resultLimit), said.get("verdict").text(argLimit)
		}
	}
	elements(o.get("errors"), func(v raw) {
		if v.kind() == '"' {
			r.Errors = append(r.Errors, v.text(argLimit))
		}
	})
	elements(o.get("user_message_uuids"), func(v raw) { r.Messages = append(r.Messages, v.text(argLimit)) })
	_, r.Tokens = modelUsage(o.get("modelUsage"))
	if since := o.get("model_usage_since_last_result"); since.kind() == '{' {
		r.HasSince = true
		r.SinceCost, r.SinceTokens = modelUsage(since)
	}
	if r.IsError {
		until, ok := limit.Parse(r.Text, a.now())
		if ok || o.get("api_error").is("usage_limit_reached") {
			r.Limited, r.LimitUntil = true, until
		}
	}
	return r
}

// modelUsage adds up the cost and the tokens of all models.
func modelUsage(v raw) (cost float64, tokens int64) {
	var buf [room]member
	models, _ := members(buf[:0], v)
	for _, m := range models {
		var buf [room]member
		u, ok := members(buf[:0], m.val)
		if !ok {
			continue
		}
		cost += u.get("costUSD").number()
		for _, key := range []string{"inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"} {
			tokens += u.get(key).integer()
		}
	}
	return cost, tokens
}
