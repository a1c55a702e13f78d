# `make train` and `make test` need nothing but Python 3.11 or later, git and make.
PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin/python
space := $(subst ,, )
# An address, since pip would take a path with spaces for several.
export PIP_CONSTRAINT := file://$(subst $(space),%20,$(CURDIR))/constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: install train champions test lint types unit speed wheel stacks docs site clean

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip install --quiet torch
	$(RUN) -m pip install --quiet --editable ".[dev]"
	touch $@

train: install ## trains about two minutes, evaluates, exports, prints one table
	$(RUN) train.py td --minutes 2 --out runs/first

champions: install ## trains the value networks that are shipped: hours
	$(RUN) -m agents.champions

test: install lint types unit speed wheel stacks ## every check
	@echo "all checks passed: lint, types, unit, speed, wheel, stacks"

lint: install
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .

types: install
	$(RUN) -m mypy

unit: install
	$(RUN) -m pytest --durations=10

speed: install ## whether the engine has become slower than bench/guard.json says
	$(RUN) bench/guard.py

wheel: install
	$(RUN) .ci/check_wheel.py

stacks: install ## each framework's example and tests against the wheel, in environments of their own
	$(RUN) .ci/stacks.py

docs: install ## prints the pages that come from tables
	$(RUN) docs/print_spaces.py
	$(RUN) docs/print_rules.py
	$(RUN) docs/print_pictures.py
	$(RUN) docs/print_perft.py
	$(RUN) docs/print_stacks.py
	$(RUN) docs/print_players.py
	$(RUN) docs/print_index.py

site: docs ## the pages as a site, in build/site
	NO_MKDOCS_2_WARNING=1 $(RUN) -m mkdocs build --strict

clean:
	rm -rf $(VENV) .stacks build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
