# Every target does its own set-up. `make help` lists them.
SHELL := /bin/sh
.DEFAULT_GOAL := help
BIN := node_modules/.bin
# npm writes this file when it has installed what the lock file says.
INSTALLED := node_modules/.package-lock.json

.PHONY: help start tour test build bundle lint format simulate mutants bench clean check-node

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

start: build ## See it work: a simulated platform, the operator and a small fleet, live until Ctrl-C
	@node examples/quickstart/start.mjs

tour: build ## See the registry alone: a watcher in another process, changes arriving live
	@node examples/tour/tour.mjs

test: build lint ## Install, build, lint, type-check and run every test
	@scripts/ensure-tool.sh etcd etcd-server
	@scripts/ensure-tool.sh strace strace libunwind8
	@node scripts/test.mjs

build: $(INSTALLED) ## Compile what changed, and type-check everything with it
	@$(BIN)/tsc --build
	@node scripts/programs.mjs

bundle: build ## Make one file of the operator that needs only Node: dist/ecsm-operator.mjs; MACHINE=linux-arm64 for another machine
	@node scripts/bundle.mjs dist $(MACHINE)

lint: $(INSTALLED) ## Lint, check the format, and check who imports whom
	@$(BIN)/biome check --error-on-warnings .
	@node scripts/check-imports.mjs

format: $(INSTALLED) ## Rewrite the sources in the house format
	@$(BIN)/biome check --write .

simulate: $(INSTALLED) ## Run the simulations: SEEDS=20000 for more; OF=operator or OF=runtime, SEED=17 replays one with its trace
	@$(foreach of,$(or $(OF),runtime operator),node scripts/simulation.mjs $(of) $(if $(SEED),seed $(SEED),$(if $(SEEDS),seeds $(SEEDS))) &&) true

mutants: $(INSTALLED) ## Plant the listed defects one at a time and print which of them no test notices: ONLY=workqueue for some
	@scripts/ensure-tool.sh etcd etcd-server
	@node scripts/mutants/run.mjs $(if $(ONLY),'$(ONLY)')

bench: build ## Measure speed and memory, beside a peer in the same run
	@scripts/ensure-tool.sh etcd etcd-server
	@node bench/dist/main.js

clean: ## Remove everything that was built, installed or measured
	@rm -rf node_modules .tools coverage dist bench/dist bench/results packages/*/dist packages/*/test/dist

check-node:
	@node -e 'const [major, minor] = process.versions.node.split(".").map(Number); if (major < 20 || (major === 20 && minor < 15)) { console.error("Node 20.15 or newer is needed, this is " + process.version); process.exit(1); }'

$(INSTALLED): package.json package-lock.json $(wildcard packages/*/package.json) | check-node
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@
