// Package anthropic is a scripted stand-in for the Anthropic Messages API.
//
// End-to-end tests point the real Claude Code CLI at it (ANTHROPIC_BASE_URL at
// an httptest server on loopback, any ANTHROPIC_API_KEY), so that the real
// binary runs real tools in a real worktree while the "model" plays a script.
// It promises the same answers for the same script, keeps everything in
// memory, and never talks to anything.
//
//	script, err := anthropic.Load(data)
//	model, err := anthropic.NewServer(script)
//	srv := httptest.NewServer(model)
//
// # Script
//
// A script is one JSON object, or the same built as a Script value:
//
//	{
//	  "conversations": [
//	    {
//	      "name":  "developer",
//	      "match": "Issue #7\\b",          // Go regexp over everything before the first answer; empty = any
//	      "vars":  {"issue": "Issue #(\\d+)"},
//	      "turns": [
//	        {"text": "Working.", "tools": [{"name": "Write", "input": {"file_path": "{{cwd}}/a.txt", "content": "hi\n"}}]},
//	        {"tools": [{"name": "Bash", "input": {"command": "git add -A && git commit -qm 'Add a' "}}]},
//	        {"text": "STATUS: COMPLETE issue {{issue}}"}
//	      ],
//	      "after": {"text": "(script exhausted)"}
//	    }
//	  ],
//	  "aux": {"text": "ok"}                 // requests that offer no tools (titles, summaries, hooks)
//	}
//
// Conversations are tried in order; the first whose match accepts the request
// answers it. List a subagent's conversation before its parent's. Every Claude
// Code session (told apart by the X-Claude-Code-Session-Id header, or else
// metadata.user_id) has its own cursor in each conversation, so many workers
// can play the same conversation at once. A turn is used up by each request,
// error turns included: to answer 529 twice and then succeed, write
// {"error":{"status":529},"times":2} before the good turn. Cursors survive
// --resume, since the session id stays.
//
// Requests without tools never consume a turn unless "aux_turns" is true for
// the conversation. /compact uses two turns (its requests carry tools). When
// turns run out, "after" answers (default: a text that says so). A mistake of
// the script, also an unmet "expect", answers 400 with a text that starts with
// "fakeanthropic:" and is kept for Problems.
//
// # Turn fields
//
//	text, thinking     content blocks to stream; {{cwd}}, {{session}}, {{model}}, {{last}} and
//	                   captured vars are substituted once, any other {{name}} stays
//	tools              tool_use blocks: name, input (strings inside are substituted), id (optional)
//	repeat             repeat text this many times (for very long lines)
//	stop_reason        default tool_use when there are tools, else end_turn
//	usage              {"input_tokens":..,"output_tokens":..,"cache_read_input_tokens":..,"cache_creation_input_tokens":..}
//	model              model name to report (default: the one requested)
//	delay_ms           wait before the first byte
//	chunk_delay_ms     wait between streamed deltas
//	chunk              characters per delta (default 64)
//	gate               after message_start, hold until the gate is released
//	hang               after message_start, never go on (until the client hangs up)
//	drop               cut the connection after the first content delta
//	error              {"status":529,"type":"overloaded_error","message":"Overloaded"} instead of a message
//	stream_error       {"type":"overloaded_error","message":"..."} sent as an SSE error event in mid-stream
//	headers            extra response headers (retry-after, anthropic-ratelimit-unified-status, ...)
//	times              play this turn N times (default 1)
//	expect             Go regexp the request's last user message must match, else a 400 that says so
//
// # Control
//
// A test in the same process calls Release, AwaitGate, Requests, Problems and
// Reset. The same over HTTP, for anything else (not part of the imitated API):
//
//	GET  /_fake/requests          the request log so far, as a JSON array
//	GET  /_fake/state             cursors and waiting gates
//	POST /_fake/release?gate=NAME open a gate (now and for later turns)
//	POST /_fake/reset             forget cursors, gates and the log
package anthropic
