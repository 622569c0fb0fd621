// Package e2e plays whole tasks with the real Claude Code CLI, the real git
// and the real program, against a scripted model on loopback. It holds tests
// only.
//
// The CLI is found by DISPATCHER_CLAUDE, or in .cache/claude of a folder
// upward; the tests skip without it, and fail instead when DISPATCHER_E2E is
// 1. Nothing outside this machine is reached: every process gets an
// environment of its own, with a dummy key, an empty home and loopback only.
//
//	npm install --prefix .cache/claude --no-save --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
package e2e
