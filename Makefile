# Orchard's house commands. `make help` explains them.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help deps build dist sbom demo shop storm test mutants fuzz bench lint format clean

# Options for the command behind a target, for example: make demo ARGS="--once --chaos"
ARGS ?=
# How long each fuzz target runs.
MINUTES ?= 5
# How many orders a storm has, and its seed.
PAYMENTS ?= 2000
SEED ?= 1
PROGRAMS := token-ingest charge-gateway order-ledger sandbox
SOURCES := Package.swift Services Shared Tests

help: ## Explains the targets
	@echo 'make shop                        serves a shop to pay in, at http://localhost:8080/; Ctrl-C ends it'
	@echo 'make demo                        plays a shop'\''s day on this machine; Ctrl-C ends it'
	@echo 'make demo ARGS=--once            the same, ends by itself; status 0 only when every number is right'
	@echo 'make demo ARGS="--once --chaos"  the same while services are killed'
	@echo
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /make \1\t/' | expand -t 16

deps: ## Checks the Swift toolchain and installs missing Debian packages
	@deploy/apt/install

build: deps ## Builds the programs (release configuration), with Swift's runtime linked in
	@for program in $(PROGRAMS); do swift build -c release --static-swift-stdlib --product $$program || exit 1; done

dist: build ## Packs the programs for a Debian 12 without Swift, with checksums
	deploy/dist/build

sbom: build ## Lists the C libraries that the programs load, with versions (CycloneDX)
	deploy/dist/sbom

demo: build ## Plays a shop's day with everything on this machine (ARGS: --once, --chaos, --bootstrap-servers …)
	.build/release/sandbox demo $(ARGS)

shop: build ## Serves a shop on the web, with everything behind it, until Ctrl-C (ARGS: --port 8081 …)
	.build/release/sandbox shop $(ARGS)

storm: build ## Plays the day while everything fails: PAYMENTS=10000 SEED=n (ARGS: --oracles DIR, --broker-restart …)
	.build/release/sandbox demo --once --storm --orders $(PAYMENTS) --seed $(SEED) $(ARGS)

test: deps ## Runs all tests with a PostgreSQL cluster and a broker of their own (ARGS: --filter …)
	swift build --build-tests
	Tests/LibraryUse/run
	Tests/run $(ARGS)

mutants: deps ## Plants each mistake of Tests/Mutants in a copy and expects its test to fail (ARGS: names)
	Tests/Servers/run Tests/Mutants/run $(ARGS)

fuzz: deps ## Feeds the parsers with inputs that libFuzzer thinks up (MINUTES a parser)
	Tests/Fuzz/run $(MINUTES)

bench: build ## Measures the parts on this machine, each beside a yardstick (ARGS: --check, --only ledger, --record docs …)
	swift build -c release --static-swift-stdlib --product orchard-bench
	.build/release/orchard-bench $(ARGS)

lint: ## Checks the format of the sources, strictly
	swift format lint --strict --parallel --recursive $(SOURCES)

format: ## Formats the sources
	swift format --in-place --parallel --recursive $(SOURCES)

clean: ## Removes everything that was built or left by a demo
	rm -rf .build .run
