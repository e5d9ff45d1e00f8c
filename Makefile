# Everything a developer types. `make` alone says what there is.
GO ?= go
TOOL := $(GO) tool -modfile=.ci/tools.mod
FUZZTIME ?= 20s
ROUNDS ?= 500x10,2000x10,10000x3
REPETITIONS ?= 300
ENTRIES ?= 2000

.PHONY: help build test race lint bench bench-search bench-yardstick bench-history bench-real bench-stats bench-llm e2e-llm e2e-code fuzz demo check release release-check

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' Makefile

build: ## the static binary, in bin/evolve
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o bin/evolve ./cmd/evolve

release: ## binaries, packages, lists of components and checksums of the commit that is checked out, in dist/
	.ci/release/build

release-check: ## a release built twice, with packages inspected (six minutes on idle cores)
	.ci/release/check

test: ## every test
	$(GO) test ./...

race: ## every test under the race detector
	$(GO) test -race ./...

lint: ## vet, formatting, linters
	$(GO) vet ./...
	@out="$$($(TOOL) gofumpt -l .)"; [ -z "$$out" ] || { echo "$$out"; exit 1; }
	$(TOOL) golangci-lint run ./...
	$(GO) test ./.ci/prose
	$(GO) run ./.ci/prose

bench: ## speed and memory, with the bound beside each figure
	$(GO) test -run '^$$' -bench . -benchmem ./...

bench-search: ## the searcher beside random search, successive halving, NSGA-II, Optuna and irace (hours; ROUNDS, CONTEST)
	$(GO) test -run '^$$' -bench '^BenchmarkContest$$' -benchtime 1x -timeout 0 ./mutate/internal/lab/contest \
	  -args -rounds $(ROUNDS) -in-flight 2000x10 -selections 2000x10 $(CONTEST)

bench-yardstick: COUNT = $(lastword $(subst +, ,$(SEEDS)))
bench-yardstick: ## the same on ten families that no constant is set on, at 60 to 2000 evaluations, compared pair by pair (hours; SEEDS=first+count, named before)
	@[ -n "$(SEEDS)" ] || { echo "say SEEDS=first+count, such as SEEDS=5000+23: seeds that no run has used"; exit 1; }
	$(GO) test -run '^$$' -bench '^BenchmarkContest$$' -benchtime 1x -timeout 0 ./mutate/internal/lab/contest \
	  -args -families yardstick -first-seed $(firstword $(subst +, ,$(SEEDS))) \
	  -rounds 60x$(COUNT),150x$(COUNT),500x$(COUNT),2000x$(COUNT) -versus ours $(CONTEST)

bench-history: COUNT = $(lastword $(subst +, ,$(SEEDS)))
bench-history: ## the searcher with and without earlier nights that hold or do not, with the time (minutes; SEEDS=first+count)
	@[ -n "$(SEEDS)" ] || { echo "say SEEDS=first+count, such as SEEDS=5000+60: seeds that no run has used"; exit 1; }
	$(GO) test -run '^$$' -bench '^BenchmarkContest$$' -benchtime 1x -timeout 0 ./mutate/internal/lab/contest \
	  -args -families nights -first-seed $(firstword $(subst +, ,$(SEEDS))) \
	  -field history:none,history:same,history:same-declared,history:changed,history:changed-declared,history:older-changed \
	  -rounds 150x$(COUNT),500x$(COUNT) -versus history:none $(CONTEST)

bench-real: ## the same on agents that run on real data, with what each claims and what is true on other tasks (hours; EVOLVE_SHARED_DATA, EVOLVE_COLLECTION)
	$(GO) test -run '^$$' -bench '^BenchmarkContest$$' -benchtime 1x -timeout 0 ./mutate/internal/lab/contest \
	  -args -families real -rounds 150x10,500x10,2000x10 -versus ours $(CONTEST)

bench-stats: ## months of nights beside other rules of adoption, REPETITIONS (300) of each world; claims by entry where data mislead, ENTRIES (2000) of each
	$(GO) test -run '^$$' -bench '^BenchmarkNights$$' -benchtime 1x -timeout 0 ./bench/stats/internal/lab/nights -repetitions $(REPETITIONS)
	$(GO) test -run '^$$' -bench '^BenchmarkClaims$$' -benchtime 1x -timeout 0 ./bench/stats -args -entries $(ENTRIES)

e2e-llm: ## nights and corrected turns with a real small language model as agent, author and judge; Python packages bring it (half an hour)
	.ci/llm/run $(GO) test -count 1 -v -timeout 90m -run '^TestModel(Night|Writes|Judges|Feedback)$$' ./cmd/evolve/internal/e2e

e2e-code: ## nights over code without a model, beside the best known rules on fresh cases, and twenty nights in a row (an hour)
	EVOLVE_CODE_NIGHT=40000 $(GO) test -count 1 -v -timeout 4h -run '^Test(CodeNights|TwentyNightsOfCode)$$' ./cmd/evolve/internal/e2e ./cmd/evolve/internal/cli

bench-llm: ## the same beside DSPy and GEPA at equal model calls (an hour on idle cores; EVOLVE_LLM_SEEDS=1 for less than half)
	PEERS=1 EVOLVE_LLM_PEERS=1 .ci/llm/run $(GO) test -count 1 -v -timeout 0 -run '^TestModelPeers$$' ./cmd/evolve/internal/e2e

fuzz: ## each fuzzer for FUZZTIME (20s)
	@for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz'); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p || exit 1; \
	  done; \
	done

demo: ## the whole loop, offline, on the starter workspace
	$(GO) run ./cmd/evolve demo

check: ## all that the gate runs
	.ci/run
