# `make demo` and `make test` need only python3 (with venv) and make; each sets up what it needs, once.
PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers/bin

.PHONY: demo test test-ardupilot lint format bench bench-mission bench-peers clean

demo: .venv/.runtime
	$(BIN)/akrig demo --out demo

# Bytecode is kept even where the environment asks for none: the tests start dozens of processes.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/.compiled .venv-mavproxy/.done .npm/axe.min.js
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder --durations 10 --ignore tests/ardupilot

# Surveys on ArduPilot's own autopilot, in the folder that AKRIG_ARDUPILOT names (docs/field.md); skipped without one. Apart
# from the others, because they are timed by the autopilot's clock: two at a time, beside nothing else.
test-ardupilot: export PYTHONDONTWRITEBYTECODE =
test-ardupilot: .venv/.compiled
	$(BIN)/python -m pytest tests/ardupilot -n 2 --dist load --durations 10

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# One core each, medians; a peer that is not installed is left out of the table (`make bench-peers` installs it).
bench: .venv/.dev
	$(BIN)/python -m benchmarks.step
	$(BIN)/python -m benchmarks.predict
	$(BIN)/python -m benchmarks.observe

# Whole missions against the authors' package, which takes minutes for each; needs AKRIG_DATA.
bench-mission: .venv/.dev
	$(BIN)/python -m benchmarks.mission

bench-peers: .venv-peers/.done

.venv/.python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "akrig needs Python 3.11 or newer; try: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv .venv
	touch $@

.venv/.runtime: .venv/.python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	touch $@

.venv/.dev: .venv/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

# Numba's loops, which akrig compiles when they are first used: here once, not by every worker of pytest.
.venv/.compiled: .venv/.dev $(wildcard src/akrig/kernels/ops/*.py)
	$(BIN)/python -m tests.compiled
	touch $@

# A ground station by other people, for the simulated boat's tests; without its dependencies, which are a gigabyte.
.venv-mavproxy/.done:
	$(PYTHON) -m venv .venv-mavproxy
	.venv-mavproxy/bin/python -m pip install --quiet --disable-pip-version-check pymavlink==2.4.50 pyserial==3.5
	.venv-mavproxy/bin/python -m pip install --quiet --disable-pip-version-check --no-deps MAVProxy==1.8.75
	touch $@

# The accessibility checker of the page's tests; where there is no npm they are skipped, and say so.
.npm/axe.min.js:
	mkdir -p .npm
	cd .npm && npm pack --silent axe-core@4 >/dev/null && tar -xzf axe-core-*.tgz package/axe.min.js && mv package/axe.min.js . \
	  && rm -r package axe-core-*.tgz || echo "axe-core could not be fetched with npm; its tests are skipped."

.venv-peers/.done: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-peers
	BEZIER_NO_EXTENSION=true $(PEERS)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers.txt
	touch $@

clean:
	rm -rf .venv .venv-peers .venv-mavproxy .npm demo .pytest_cache .ruff_cache .hypothesis
