# make play    set up and play alone against bots
# make test    set up and run every test that is not marked nightly
# make help    the other targets
#
# Another Python than the one found, beside the usual environment:
#   make test PYTHON=python3.13 VENV=build/3.13

VENV = .venv
PYTHON = $(shell for python in python3 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$python && break; done)
# Windows puts an environment's programs elsewhere; the README has the commands to type there
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --quiet --disable-pip-version-check

.PHONY: help play test nightly lint format typecheck messages bench screenshot lock clean

help:
	@echo "play        set up and play alone against bots"
	@echo "test        set up and run every test that is not marked nightly"
	@echo "nightly     the slow tests, and 'test' on every other Python found (3.11 to 3.13)"
	@echo "lint        ruff: layout and mistakes, changing nothing"
	@echo "format      ruff: lay out and repair what can be"
	@echo "typecheck   mypy, strict"
	@echo "messages    the translations: take up new strings, compile"
	@echo "bench       the figures the documentation quotes, measured here"
	@echo "screenshot  the README's picture, made again from the real client"
	@echo "lock        requirements.lock, made again from the ranges in pyproject.toml"
	@echo "clean       remove the environments and all caches"

play: $(VENV)/player
	$(BIN)/dobon play

test: $(VENV)/developer
	$(BIN)/python -m pytest -n auto --dist loadgroup

nightly: $(VENV)/developer
	for version in 3.11 3.12 3.13; do \
		if python$$version -c 'import venv, ensurepip' 2>/dev/null; then \
			$(MAKE) test PYTHON=python$$version VENV=build/$$version || exit 1; \
		fi; \
	done
	$(BIN)/python -m pytest -m nightly

lint: $(VENV)/developer
	$(BIN)/ruff format --check
	$(BIN)/ruff check

format: $(VENV)/developer
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

typecheck: $(VENV)/developer
	$(BIN)/mypy --strict

messages: $(VENV)/developer
	$(BIN)/python -m client.locale.update

bench: $(VENV)/developer
	$(BIN)/python -m bench

screenshot: $(VENV)/developer
	$(BIN)/python -m bench.screenshot

# Development and CI install exactly these versions; users get the ranges of pyproject.toml. Made on the
# oldest Python supported, whose needs include those of the later ones. Plain pins without hashes, so that
# the same file serves platforms that need a package more (colorama on Windows).
lock:
	rm -rf build/lock
	python3.11 -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet --group dev '.[metrics,tls,ratings]'
	(echo "# made by 'make lock': do not edit"; build/lock/bin/python -m pip freeze --exclude dobon) \
		> build/requirements.lock
	mv build/requirements.lock requirements.lock

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "Dobon needs Python 3.11 or newer, with its venv module" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What a player needs.
$(VENV)/player: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) install --constraint requirements.lock --editable .
	@touch $@

# What a developer needs, which is more: an environment made for tests plays without asking the network again.
$(VENV)/developer: pyproject.toml requirements.lock | $(VENV)/bin/python
	$(PIP) install --requirement requirements.lock
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $(VENV)/player $@
