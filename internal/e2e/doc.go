// Package e2e plays whole tasks with the real program and the real git. It
// holds tests only.
//
// Some play with scripted agents and need nothing else: a loop that is killed
// at random and at exact moments, two loops on one board, signals, the control
// socket, and every kind of bad input. The random kills can be repeated and
// counted:
//
//	DISPATCHER_E2E=1 go test -count=1 -v -run '^TestKilledDemo$' ./internal/e2e -kills 100 -seed 7
//
// The others play with the real Claude Code CLI, against a scripted model on
// loopback. The CLI is found by DISPATCHER_CLAUDE, or in .cache/claude of a folder
// upward; those tests are played when DISPATCHER_E2E is 1, and so are those that
// take long. Nothing outside this machine is reached: every process gets an
// environment of its own, with a dummy key, an empty home and loopback only.
//
// Whole tasks on GitHub, with the board there or on Linear, need gh besides.
//
//	npm install --prefix .cache/claude --no-save --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
package e2e
