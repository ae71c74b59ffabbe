# Every target is listed by `make help`. Tools are pinned here, not in go.mod,
# and live in .bin.
GOLANGCI_LINT := v2.15.0
GOFUMPT       := v0.12.0
GOVULNCHECK   := v1.9.0

# What to change on the command line:
SERVERS  ?= es8.8,os2.19,es8.8tls# the real servers of test-servers
FUZZTIME ?= 30s# how long each fuzz target runs
ROWS     ?= 1000000# how many documents bench moves
ROUNDS   ?= 3# how often

BIN     := $(CURDIR)/.bin
PKG     := github.com/eslake/eslake
VERSION ?= $(shell git describe --tags --match 'v*' --dirty 2>/dev/null || echo 0.0.0-dev)
COMMIT  ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)
LDFLAGS := -X $(PKG)/cli.version=$(VERSION) -X $(PKG)/cli.commit=$(COMMIT)

# Packages whose test binary does without DuckDB, which takes long to link and
# is not built for the race detector.
PURE = $(shell go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | grep '\.test ' | grep -v duckdb-go | sed 's/\.test .*//')
DUCK = $(shell go list -test -f '{{.ImportPath}} {{join .Deps " "}}' ./... | grep '\.test ' | grep duckdb-go | sed 's/\.test .*//')

# $(call using,IMPORT) is the folders whose tests import it.
using = $(shell grep -rl --include='*_test.go' '$(1)"' . | xargs -n 1 dirname 2>/dev/null | sort -u)

.DEFAULT_GOAL := help
.PHONY: help build test test-unit test-servers chaos race race-pure lint fmt check-format check golden fuzz bench cover demo parity vuln tools clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build .bin/eslake
	go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/eslake .

test: test-unit test-servers ## run all tests: first those that need nothing, then those on real servers

test-unit: ## run the tests that need nothing but Go and a C compiler
	go test ./...
	CGO_CFLAGS='-O2 -U__SSE2__' go test ./sql/row/textcopy # as on processors without SSE

test-servers: ## run the tests on real Elasticsearch and OpenSearch (JDK 17 and Maven; fetched once)
	go build -o $(BIN)/testservers ./esds/esdstest/servers/cmd/testservers
	$(BIN)/testservers -servers $(SERVERS) -- go test -count=1 -p 1 -timeout 20m ./esds/... ./cli/...

chaos: ROUNDS = 15
chaos: ## kill writing statements at random moments, resume them, compare every document, also on a real Elasticsearch (ROUNDS each)
	go build -o $(BIN)/testservers ./esds/esdstest/servers/cmd/testservers
	ESLAKE_TEST_ROUNDS=$(ROUNDS) $(BIN)/testservers -servers es8.8 -- go test -count=1 -v -timeout 120m -run 'TestE2EChaos|TestE2EChangesOfTheLakeKilled' ./cli

race: race-pure ## run the tests under the race detector
	$(if $(DUCK),go test -race $(DUCK))

race-pure: ## the same, only packages without DuckDB
	$(if $(PURE),go test -race $(PURE))

lint: $(BIN)/golangci-lint-$(GOLANGCI_LINT) ## run the linters, import rules included
	$(BIN)/golangci-lint run ./...

fmt: $(BIN)/gofumpt-$(GOFUMPT) ## format the code
	$(BIN)/gofumpt -w .

check-format: $(BIN)/gofumpt-$(GOFUMPT) ## fail when the code is not formatted or go.mod is not tidy
	@unformatted=$$($(BIN)/gofumpt -l .); if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi
	go mod tidy -diff

check: build lint check-format test ## what a change must pass

golden: ## rewrite golden files and scripts from what the code answers now; read the diff
	$(if $(call using,cockroachdb/datadriven),go test -count=1 $(call using,cockroachdb/datadriven) -rewrite)
	$(if $(call using,go-internal/testscript),UPDATE=1 go test -count=1 $(call using,go-internal/testscript))

# A run may end with "context deadline exceeded" on a busy machine and nothing
# found. Another try tells that apart: what was found is in testdata by then, and
# fails again.
fuzz: ## run each fuzz target for FUZZTIME (30s)
	@grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sed 's,/[^/]*:func , ,' | sort -u | while read -r dir target; do \
		echo "fuzz $$dir $$target for $(FUZZTIME)"; \
		set -- go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$dir"; \
		"$$@" </dev/null || "$$@" </dev/null || "$$@" </dev/null || "$$@" </dev/null || exit 1; \
	done

bench: build ## measure eslake against the limit on a real Elasticsearch, into docs/benchmarks.md (ROWS, ROUNDS)
	go build -o $(BIN)/testservers ./esds/esdstest/servers/cmd/testservers
	go build -o $(BIN)/bench ./esds/esdstest/bench/cmd/bench
	$(BIN)/testservers -servers es8.19 -- $(BIN)/bench -eslake $(BIN)/eslake -rows $(ROWS) -rounds $(ROUNDS) -doc docs/benchmarks.md

PARITY := cli/session/testdata/parity

parity: ## ask real Spark with elasticsearch-hadoop again and compare (CONNECTOR=its jar; Java 17, pyspark 3.5)
	@test -f "$(CONNECTOR)" || { echo "CONNECTOR must name the jar of elasticsearch-hadoop for Spark 3.5, Scala 2.12"; exit 2; }
	go build -o $(BIN)/testservers ./esds/esdstest/servers/cmd/testservers
	@mkdir -p $(BIN)
	$(BIN)/testservers -servers es8.19,os2.19 -- sh -c 'python3 $(PARITY)/spark.py "$(CONNECTOR)" "$$ESLAKE_TEST_ELASTICSEARCH" > $(BIN)/spark.golden.jsonl && \
		mv $(BIN)/spark.golden.jsonl $(PARITY)/spark.golden.jsonl && go test -count=1 -v -run "TestParity" ./cli/session'

cover: ## write .cover/index.html and print the total
	@mkdir -p .cover
	go test -coverprofile=.cover/cover.out ./...
	go tool cover -html=.cover/cover.out -o .cover/index.html
	@go tool cover -func=.cover/cover.out | tail -n 1

demo: build ## run docs/examples/quickstart.sql on a throw-away embedded lake
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	$(BIN)/eslake --lake "$$dir/demo.lake" --catalog "$$dir/catalog.json" --format table -f docs/examples/quickstart.sql

vuln: $(BIN)/govulncheck-$(GOVULNCHECK) ## look for known vulnerabilities; before a release
	$(BIN)/govulncheck ./...

tools: $(BIN)/golangci-lint-$(GOLANGCI_LINT) $(BIN)/gofumpt-$(GOFUMPT) ## install the pinned tools into .bin

clean: ## remove what was built (not the servers that tests fetched)
	rm -rf $(BIN) .cover .bench

# Each tool has an empty file beside it that carries its version.
$(BIN)/golangci-lint-$(GOLANGCI_LINT):
	GOBIN=$(BIN) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	@touch $@

$(BIN)/gofumpt-$(GOFUMPT):
	GOBIN=$(BIN) go install mvdan.cc/gofumpt@$(GOFUMPT)
	@touch $@

$(BIN)/govulncheck-$(GOVULNCHECK):
	GOBIN=$(BIN) go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK)
	@touch $@
