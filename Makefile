# The one task file; CI runs the same names. `make` lists them.
GO      ?= go
BIN     := .cache/bin
CLAUDE  := .cache/claude/node_modules/.bin/claude
TARGETS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
# Packages with benchmarks.
BENCH   ?= ./...
PKG     ?= ./...
# How long a simulation lasts.
HISTORIES ?= 20000

.PHONY: help
help: ## list the tasks
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

.PHONY: test
test: ## run all tests that need no download
	$(GO) test $(PKG)

.PHONY: race
race: ## run all tests under the race detector
	$(GO) test -race $(PKG)

.PHONY: e2e
e2e: $(CLAUDE) ## run all tests, with the real agent against a scripted model
	DISPATCHER_E2E=1 DISPATCHER_CLAUDE=$(abspath $(CLAUDE)) $(GO) test -race $(PKG)

.PHONY: kills
kills: ## kill the loop of a fast demo at 100 random moments
	DISPATCHER_E2E=1 $(GO) test -count=1 -timeout 30m -v -run '^TestKilledDemo$$' ./internal/e2e -kills 100

.PHONY: lint
lint: $(BIN)/golangci-lint ## run the linters
	$(BIN)/golangci-lint run $(PKG)

.PHONY: format
format: $(BIN)/gofumpt ## format the code
	$(BIN)/gofumpt -w $$(git ls-files -co --exclude-standard '*.go')

.PHONY: generate
generate: ## rewrite generated files (schema, pages)
	$(GO) generate ./...

.PHONY: golden
golden: ## rewrite golden screens of the packages in PKG; read the difference as a picture
	$(GO) test $$($(GO) list -f '{{if .TestImports}}{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}{{end}}' $(PKG) | awk '/x\/exp\/golden/ {print $$1}') -update

.PHONY: simulate
simulate: ## play HISTORIES simulated histories of each kind against the loop
	$(GO) test ./loop/simtest -run TestSim -v -timeout 0 -sim.histories $(HISTORIES)

.PHONY: mutations
mutations: ## break each guard in a copy of the tree and ask that a test fails
	$(GO) run ./scripts/mutate

.PHONY: pictures
pictures: ## take the pictures of docs/pictures and the recording anew from the demo; look at them
	$(GO) run ./scripts/pictures
	$(GO) run ./scripts/pictures -cast

.PHONY: bench
bench: ## print the figures of all benchmarks
	$(GO) test -run '^$$' -bench . -benchmem $(BENCH)

.PHONY: vet-all
vet-all: ## compile and vet for every platform that is released
	@set -e; for t in $(TARGETS); do \
		echo "$$t"; \
		GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) build -o /dev/null .; \
		GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 $(GO) vet ./...; \
	done

.PHONY: snapshot
snapshot: ## build a release of the working tree into dist/, without publishing
	$(GO) build -modfile=tools/release/go.mod -o $(BIN)/goreleaser github.com/goreleaser/goreleaser/v2
	$(BIN)/goreleaser release --snapshot --clean --skip=publish

.PHONY: ci
ci: ## everything that CI runs
	.ci/run

$(BIN)/golangci-lint $(BIN)/gofumpt: tools/go.mod tools/go.sum
	GOBIN=$(abspath $(BIN)) $(GO) install -modfile=tools/go.mod \
		github.com/golangci/golangci-lint/v2/cmd/golangci-lint mvdan.cc/gofumpt
	@touch $(BIN)/golangci-lint $(BIN)/gofumpt

$(CLAUDE):
	npm install --prefix .cache/claude --no-save --no-audit --no-fund @anthropic-ai/claude-code@2.1.332
