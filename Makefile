# Two commands do everything on a machine with Python 3.11 or newer and a C compiler:
#   make demo   scores a hand with the reasons, and runs the shipped cases
#   make test   style, types, the kernel under sanitizers, and all tests
PYTHON ?= python3
VENV   ?= .venv
CC     ?= cc

BIN     := $(VENV)/bin
SOURCES := $(wildcard csrc/*.c csrc/*.h csrc/*.py) pyproject.toml setup.py grammar/rulespec.lark grammar/words.yaml
KERNEL  := $(filter-out csrc/build.py,$(wildcard csrc/*.c))
CWARN   := -std=c11 -Wall -Wextra -Wpedantic -Werror -Icsrc
SAFE    := -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer

.PHONY: demo test lint kernel-test exhaustive bench clean

demo: $(VENV)/.demo
	@echo
	$(BIN)/rulespec --lang en score sichuan/classic 111333444m22266p --win 6p --by 点炮 --void s --why
	@echo
	$(BIN)/rulespec --lang en test

test: $(VENV)/.dev lint kernel-test
	$(BIN)/python -m pytest -q -n auto

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check -q .
	$(BIN)/mypy
	$(CC) $(CWARN) -O2 -fsyntax-only $(KERNEL)

kernel-test:
	mkdir -p build
	$(CC) $(CWARN) $(SAFE) -o build/kernel_test $(KERNEL) $(wildcard tests/kernel/*.c)
	build/kernel_test

# The long comparisons: of the kernel with the oracle on every closed hand and half a million others, and of proofs
# with every hand judged by itself.
exhaustive: $(VENV)/.dev
	$(BIN)/python tests/exhaustive.py
	$(BIN)/python tests/exhaustive_play.py
	$(BIN)/python tests/exhaustive_proofs.py

bench: $(VENV)/.dev
	$(BIN)/python -m pip install -q '.[peers]'
	$(BIN)/python benchmarks/table.py
	$(BIN)/python benchmarks/single_hand.py
	$(BIN)/python -m pytest -q -o addopts= benchmarks

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@

clean:
	rm -rf build dist *.egg-info $(VENV) pyengine/data pyengine/engine/_kernel*
