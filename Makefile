# Every target installs and builds what it needs. `make help` lists the targets.
SHELL := /bin/sh
.DEFAULT_GOAL := help
BIN := node_modules/.bin
# npm writes this file after an installation from the lock file.
INSTALLED := node_modules/.package-lock.json

.PHONY: help start start-etcd tour test test-tools test-kubernetes test-node build bundle surface size lint format coverage simulate mutants bench clean check-node

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-15s %s\n", $$1, $$2}'

start: build ## Run a demonstration: a simulated platform, the operator and a small fleet, until Ctrl-C
	@node examples/quickstart/start.mjs

start-etcd: build ## Run an etcd cluster of real processes with the etcd operator, without Kubernetes, until Ctrl-C
	@scripts/ensure-etcd.sh 3.5
	@scripts/ensure-tool.sh libnss_wrapper.so libnss-wrapper
	@scripts/ensure-kubectl.sh
	@node examples/etcd/start.mjs

tour: build ## Run a demonstration of the registry: one process writes, another one watches
	@node examples/tour/tour.mjs

test: build lint test-tools ## Install, build, lint, type-check and run every test
	@node scripts/test.mjs

# The servers and programs that tests run beside the product.
test-tools:
	@scripts/ensure-tool.sh etcd etcd-server
	@scripts/ensure-etcd.sh 3.5
	@scripts/ensure-tool.sh strace strace libunwind8
	@scripts/ensure-tool.sh libnss_wrapper.so libnss-wrapper
	@scripts/ensure-kubectl.sh
	@scripts/ensure-s3.sh

test-kubernetes: build ## Run the tests against a real kube-apiserver, which is built with Go at the first time
	@scripts/ensure-tool.sh etcd etcd-server
	@scripts/ensure-etcd.sh 3.5
	@scripts/etcd/build.sh 3.5 >/dev/null && scripts/etcd/build.sh 3.6 >/dev/null
	@scripts/s3/build.sh >/dev/null || true
	@kube=$$(scripts/kubernetes/build.sh) && client=$$(scripts/kubernetes/client-node.sh || true) && \
	  KUBE_BIN=$$kube CLIENT_NODE=$$client node scripts/test.mjs --config vitest.kubernetes.config.ts

# Bundles depend on the version of Node.js that builds them, and tests build them again.
test-node: build test-tools ## Run the tests on newer versions of Node.js: NODES='22 24', ONLY=packages/cli/src for a part of them
	@for version in $(or $(NODES),22 24); do \
	  bin=$$(scripts/ensure-node.sh $$version) && (PATH="$$bin:$$PATH"; node --version && $(MAKE) build && node scripts/test.mjs $(ONLY)) || exit 1; \
	done

build: $(INSTALLED) ## Compile changed files and type-check everything
	@$(BIN)/tsc --build
	@node scripts/programs.mjs
	@node scripts/workers.mjs

bundle: build ## Bundle each program into one file, such as dist/ecsm-operator.mjs and dist/ecsmctl.mjs; MACHINE=linux-arm64 for another machine
	@node scripts/bundle.mjs dist $(MACHINE)

surface: build ## Write what users can see of the programs into test/surface: help, reasons, metrics, kinds, routes, ...
	@node scripts/surface/main.mjs

size: $(INSTALLED) ## Print lines of code, share of comments, files, exports and public names of each package
	@node scripts/size.mjs

lint: $(INSTALLED) ## Lint, check the format, the import rules, and that every export is used
	@$(BIN)/biome check --error-on-warnings .
	@node scripts/check-imports.mjs
	@node scripts/check-exports.mjs

format: $(INSTALLED) ## Format the sources
	@$(BIN)/biome check --write .

coverage: $(INSTALLED) ## Print how many lines of a package its own tests cover, layer by layer; OF=runtime selects another one than etcd-operator
	@scripts/ensure-tool.sh etcd etcd-server
	@scripts/ensure-etcd.sh 3.5
	@node scripts/coverage.mjs $(OF)

simulate: $(INSTALLED) ## Run the simulations: SEEDS=20000 runs more; OF=operator, OF=orchestration, OF=etcd or OF=runtime selects one; SEED=17 replays a seed with its trace
	@$(foreach of,$(or $(OF),runtime operator orchestration etcd),node scripts/simulation.mjs $(of) $(if $(SEED),seed $(SEED),$(if $(SEEDS),seeds $(SEEDS))) &&) true

# The generator checks its defects with the declarations of other packages, which the build writes.
mutants: $(if $(SEED),build,$(INSTALLED)) ## Plant the listed defects one at a time and print those that no test detects; ONLY=workqueue selects some; SEED=1 plants generated ones: COUNT=200, OF=store,auth
	@scripts/ensure-tool.sh etcd etcd-server
	@scripts/ensure-etcd.sh 3.5
	@node scripts/mutants/$(if $(SEED),generated.mjs $(SEED) $(or $(COUNT),200) $(OF),run.mjs $(if $(ONLY),'$(ONLY)'))

bench: build ## Measure speed and memory, compared with a baseline in the same run
	@scripts/ensure-tool.sh etcd etcd-server
	@scripts/ensure-etcd.sh 3.5
	@node bench/dist/main.js

clean: ## Remove all build outputs, installed modules and results
	@rm -rf node_modules .tools coverage dist bench/dist bench/results packages/*/dist packages/*/test/dist examples/*/dist

check-node:
	@node -e 'const [major, minor] = process.versions.node.split(".").map(Number); if (major < 20 || (major === 20 && minor < 15)) { console.error("Node.js 20.15 or newer is required, found " + process.version); process.exit(1); }'

$(INSTALLED): package.json package-lock.json $(wildcard packages/*/package.json) | check-node
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@
