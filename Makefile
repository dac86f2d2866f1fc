# The two commands: `make reproduce` and `make test`. Each target sets up what it needs in .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
PROFILE ?= quick
EXPERIMENTS ?= fig1 table1 fig2 fig3 table2 variance
PYTEST_FLAGS ?=
# One thread for every BLAS and OpenMP pool: timings and bits must not depend on the core count.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

# What `make check` measures, besides the times; what it holds them against; and where a comment for a pull request goes.
CHECKED ?= $(EXPERIMENTS)
CHECKED_TIMES ?= gate-times
GATE ?= configs/gate.toml
COMMENT ?= results/check/comment.md

.PHONY: help setup reproduce reproduce-all test check lint clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready  ## make the virtual environment in .venv and install everything into it

$(VENV)/.ready: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "There is no '$(PYTHON)'. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is $$($(PYTHON) -V), but Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3" >&2; exit 2; }
	@command -v c++ >/dev/null || command -v g++ >/dev/null || command -v clang++ >/dev/null || { echo "There is no C++ compiler, and LIBSVM and LIBLINEAR come as source. Install one: 'apt-get install g++ python3-dev' on Debian and Ubuntu, 'dnf install gcc-c++ python3-devel' on Fedora, 'xcode-select --install' on macOS." >&2; exit 2; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) lacks the venv module. On Debian and Ubuntu: 'apt-get install python3-venv'." >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

reproduce: $(VENV)/.ready  ## run the main job on embedded real data, from an empty store, and print its tables and verdicts
	rm -rf results/$(PROFILE)
# Exit code 3 is a table with a hole that it names (say, a peer with no build for this platform): still worth a page.
	$(BIN)/scrf-bench run $(EXPERIMENTS) --profile $(PROFILE) --jobs $(JOBS) || [ $$? -eq 3 ]
# Claims that other experiments judge have no records here, which is code 3 too; the committed verdicts stand beside.
	$(BIN)/scrf-bench claims --profile $(PROFILE) || [ $$? -eq 3 ]
	$(BIN)/scrf-bench report $(EXPERIMENTS) --profile $(PROFILE) --format html,svg,pdf,latex >/dev/null || [ $$? -eq 3 ]
	@echo "Tables and figures are in results/$(PROFILE)/; open results/$(PROFILE)/index.html" >&2

reproduce-all: EXPERIMENTS = --all
reproduce-all: reproduce  ## the same for every experiment there is, some 20 minutes more

test: $(VENV)/.ready  ## run the tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile $(PYTEST_FLAGS)

# A red row is measured a second time: what a busy machine did, it seldom does twice, and a changed result stays changed.
check: $(VENV)/.ready  ## run the quick profile and compare it with results/reference/quick: nonzero on a regression
	rm -rf results/check
	$(BIN)/scrf-bench run $(CHECKED) --results results/check --jobs $(JOBS) >/dev/null || [ $$? -eq 3 ]
	$(BIN)/scrf-bench run $(CHECKED_TIMES) --results results/check >/dev/null || [ $$? -eq 3 ]
	compare() { $(BIN)/scrf-bench compare results/reference/quick results/check/quick --gate $(GATE) --markdown $(COMMENT); }; \
	compare && exit; code=$$?; [ $$code -eq 4 ] || exit $$code; \
	echo "Red: the times are measured once more." >&2; \
	$(BIN)/scrf-bench run $(CHECKED_TIMES) --results results/check --force >/dev/null || [ $$? -eq 3 ]; \
	compare

lint: $(VENV)/.ready  ## ruff and mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:  ## remove .venv, working results and caches (never results/reference)
	rm -rf $(VENV) results/quick results/paper results/check .pytest_cache .mypy_cache .ruff_cache .hypothesis dist build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
