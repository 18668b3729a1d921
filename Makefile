# hstar: run `make help`.
# A fresh machine needs Python >= 3.11 with its headers, a C++20 compiler and make; the rest comes from the locked
# requirements, the build tools included.

# Some images forbid Python to write bytecode. Each start of the API would then compile 1,400 modules, which takes 5 CPU
# seconds instead of 2, and the tests start a hundred programs.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV ?= .venv
PORT ?= 8000
JOBS ?= 2

BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m tools.install --require-hashes
# Use the locked cmake, ninja and linters, not the machine's.
WITH_VENV := PATH="$(CURDIR)/$(BIN):$$PATH"
UV_COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-annotate --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)

NATIVE_SOURCES := $(shell find native -type f -not -path 'native/tests/*' 2>/dev/null)
RUN_STAMP := $(VENV)/.installed-run
TEST_STAMP := $(VENV)/.installed-test
BENCH_STAMP := $(VENV)/.installed-bench
SBOM_STAMP := $(VENV)/.installed-sbom
MUTANTS_STAMP := $(VENV)/.installed-mutants
KERNEL_STAMP := $(VENV)/.installed-hstar
# A file with the names of all modules, which changes only when they do
MODULES := build/modules.txt
$(shell mkdir -p build && find src/hstar -name '*.py' | LC_ALL=C sort > $(MODULES).new && \
	{ cmp -s $(MODULES).new $(MODULES) && rm $(MODULES).new || mv $(MODULES).new $(MODULES); })
SANITIZED := build/sanitize
NICE := nice -n 10

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup setup-test run test test-slow test-all test-python slow-python test-native slow-native mutants hostile faults bench simulate chaos rounds soak web sbom lint format lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(KERNEL_STAMP) ## make .venv, install the locked requirements, build the kernel

setup-test: $(TEST_STAMP) $(KERNEL_STAMP)

run: setup ## start everything on this machine (PORT=8000) until Ctrl-C
	@PORT=$(PORT) exec $(BIN)/hstar serve

# Tests wait for servers a fifth of the time. The linters and the sanitized kernel, which run at low priority, use that time,
# and that in which the kernel is linked and installed.
test: $(TEST_STAMP) ## the tests without the slow ones: linters, import contracts, sanitized kernel, real servers
	$(MAKE) --jobs=3 --keep-going lint test-native test-python

# A test of Python may take three hours, a suite of the kernel one; what hangs longer fails, with the stacks of its threads.
test-all: ## like test, with all instances and new seeds (HSTAR_TEST_SEED=n repeats a run)
	HSTAR_TEST_ALL=1 PYTEST_TIMEOUT=10800 $(MAKE) test

test-slow: $(TEST_STAMP) ## those of tests/slow.txt and the slow suites of the kernel, which continuous integration runs, too
	$(MAKE) --jobs=2 --keep-going slow-native slow-python

# Two processes more than cores, because tests wait for servers a third of the time.
test-python slow-python: setup-test
	$(WITH_VENV) TESTS=$(if $(filter slow-python,$@),slow,quick) $(BIN)/python -m pytest -n $$(($(JOBS) + 2)) \
		--dist loadscope --no-loadscope-reorder --durations=10 --durations-min=5

test-native slow-native: $(RUN_STAMP) ## the kernel's own tests under ASan and UBSan, without the slow ones
	@$(WITH_VENV) cmake -S native -B $(SANITIZED) -G Ninja -DHSTAR_SANITIZE=$(if $(HSTAR_TEST_ALL),ALL,ON) --log-level=WARNING
	$(WITH_VENV) $(NICE) cmake --build $(SANITIZED) --parallel $(JOBS) -- --quiet
	$(WITH_VENV) $(NICE) ctest --test-dir $(SANITIZED) --output-on-failure --no-tests=error --parallel $(JOBS) \
		$(if $(filter slow-native,$@),-L slow,$(if $(HSTAR_TEST_ALL),,-LE slow))

# At the lowest priority, because it runs at night beside others.
mutants: $(MUTANTS_STAMP) $(KERNEL_STAMP) ## changes of the sources that no test notices (PACKAGE=src/hstar/grading SAMPLE=100 SEED=n)
	nice -n 19 $(BIN)/python -m tools.mutants $(PACKAGE) $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(SEED),--seed $(SEED))

hostile: setup-test ## a million random definitions, compared with their whole spaces (COUNT=n SEED=n)
	$(NICE) $(BIN)/python -m tests.hostile.campaign --jobs $(JOBS) $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED))

faults: setup-test ## whether these comparisons find faults that are put into copies of the sources (half an hour)
	$(NICE) $(BIN)/python -m tests.hostile.faults --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

bench: $(BENCH_STAMP) $(KERNEL_STAMP) ## measure hstar beside baselines, all but the long rows, and print the table (twelve minutes)
	$(BIN)/python -m bench $(BENCH)

simulate: setup ## a million random histories of jobs in memory, with all kinds of faults (HISTORIES=n SEED=n)
	$(BIN)/python -m chaos simulate --processes $(JOBS) $(if $(HISTORIES),--histories $(HISTORIES)) $(if $(SEED),--seed $(SEED))

chaos: setup-test ## thirty kinds of faults in the real processes, about a minute each, and a check of every job (REPEAT=n SEED=n)
	$(BIN)/python -m chaos faults $(if $(REPEAT),--repeat $(REPEAT)) $(if $(SEED),--seed $(SEED)) $(CHAOS)

rounds: setup-test ## rounds of one fault in the real processes, recovery and a check (ROUNDS=1000 SEED=n)
	$(BIN)/python -m chaos rounds --rounds $(or $(ROUNDS),1000) --processes $(JOBS) $(if $(SEED),--seed $(SEED)) $(CHAOS)

soak: setup-test ## full load for some time (MINUTES=15): memory, open files and connections of every process
	$(BIN)/python -m chaos soak $(if $(MINUTES),--minutes $(MINUTES))

web: setup ## build the page in web/ into service/static/ (needs Node; running the service does not)
	$(BIN)/python -m tools.web

sbom: $(SBOM_STAMP) ## list every shipped package with version and hashes: build/sbom/*.json (CycloneDX)
	$(BIN)/python -m tools.sbom

lint: $(TEST_STAMP) ## ruff, mypy --strict, the import contracts between packages, the layers of the kernel
	$(NICE) $(BIN)/ruff check .
	$(NICE) $(BIN)/ruff format --check .
	$(NICE) $(BIN)/mypy
	PYTHONPATH=src $(NICE) $(BIN)/lint-imports
	$(NICE) $(BIN)/python -m tools.includes

format: setup-test ## format the Python sources with ruff
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(TEST_STAMP) ## lock requirements/*.in again (UPGRADE=1: to the newest versions)
	$(UV_COMPILE) requirements/test.in -o requirements/test.txt
	$(UV_COMPILE) -c requirements/test.txt requirements/run.in -o requirements/run.txt
	$(UV_COMPILE) -c requirements/test.txt requirements/build.in -o requirements/build.txt
	$(UV_COMPILE) -c requirements/test.txt requirements/bench.in -o requirements/bench.txt
	$(UV_COMPILE) -c requirements/test.txt requirements/sbom.in -o requirements/sbom.txt
	$(UV_COMPILE) -c requirements/test.txt requirements/mutants.in -o requirements/mutants.txt
	$(UV_COMPILE) -c requirements/test.txt requirements/install.in -o requirements/install.txt

clean: ## remove the environment and all build results; keep var/ (the data)
	rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

$(BIN)/python:
	@echo "setup: checking Python and the C++ compiler"
	@$(PYTHON) tools/preflight.py
	@echo "setup: making $(VENV)"
	@$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): requirements/run.txt requirements/build.txt requirements/install.txt | $(BIN)/python
	@$(INSTALL) -r requirements/run.txt -r requirements/build.txt
	@touch $@

$(TEST_STAMP): requirements/test.txt $(RUN_STAMP)
	@$(INSTALL) -r requirements/test.txt
	@touch $@

$(BENCH_STAMP): requirements/bench.txt $(TEST_STAMP)
	@$(INSTALL) -r requirements/bench.txt
	@touch $@

$(MUTANTS_STAMP): requirements/mutants.txt $(TEST_STAMP)
	@$(INSTALL) -r requirements/mutants.txt
	@touch $@

$(SBOM_STAMP): requirements/sbom.txt $(RUN_STAMP)
	@$(INSTALL) -r requirements/sbom.txt
	@touch $@

# Editable: Python sources are read from src/. Only a change below native/ needs this rule again, or a module that moved,
# because the installed import hook has the path of each module.
# Without isolation, so that the build, too, uses the hashes of requirements/build.txt.
$(KERNEL_STAMP): pyproject.toml $(NATIVE_SOURCES) $(MODULES) $(RUN_STAMP)
	@echo "setup: building the search kernel, which takes some minutes the first time"
	@$(WITH_VENV) $(BIN)/python -m tools.install --no-build-isolation --no-deps --editable .
	@touch $@
	@echo "setup: done; make run starts the service, $(BIN)/hstar is the command"
