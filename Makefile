# `make demo` and `make test` need only python3 (with venv) and make; each sets up what it needs, once.
PYTHON ?= python3
BIN := .venv/bin
PEERS := .venv-peers/bin

.PHONY: demo test quick test-ardupilot fuzz lint format docs bench bench-mission bench-peers clean

demo: .venv/.runtime
	$(BIN)/akrig demo --out demo

# Bytecode is kept even where the environment asks for none: the tests start dozens of processes.
test: export PYTHONDONTWRITEBYTECODE =
test: .venv/.compiled .venv-mavproxy/.done .npm/axe.min.js
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --durations 10 --ignore tests/ardupilot

# The engine alone, in about a minute: for daily work.
ENGINE := $(addprefix tests/,config fields gp journal kernels strategies testing vehicles runs/test_run.py test_files.py \
  test_frame.py test_geometry.py test_metrics.py test_mission.py test_protocols.py test_randomness.py)
quick: export PYTHONDONTWRITEBYTECODE =
quick: .venv/.compiled
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ENGINE)

# Surveys on ArduPilot's own autopilot, in the folder that AKRIG_ARDUPILOT names (docs/field.md); skipped without one. Apart
# from the others, because they are timed by the autopilot's clock: two at a time, beside nothing else. ONLY=--lf is
# what failed the last time.
test-ardupilot: export PYTHONDONTWRITEBYTECODE =
test-ardupilot: .venv/.compiled
	$(BIN)/python -m pytest tests/ardupilot -n 2 --dist load --durations 10 $(ONLY)

# Bad inputs for every command that reads something: a hundred thousand, where `make test` tries two thousand. What is
# done is in fuzz.jsonl; stopped and called again, it goes on from there.
fuzz: .venv/.compiled
	$(BIN)/python -m tests.fuzz 100000

lint: .venv/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The documents as a site, in site/; strict: a link that leads nowhere, or a name that is not there, is an error.
docs: export NO_MKDOCS_2_WARNING = 1
docs: .venv/.docs .npm/katex/katex.min.js
	$(BIN)/mkdocs build --quiet

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

.venv/.docs: .venv/.runtime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
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

# Formulas in the documents; without npm they are shown as they are written.
.npm/katex/katex.min.js:
	mkdir -p .npm/katex
	cd .npm && npm pack --silent katex@0.16 >/dev/null && tar -xzf katex-*.tgz package/dist \
	  && cp -r package/dist/katex.min.css package/dist/katex.min.js package/dist/contrib/auto-render.min.js package/dist/fonts katex/ \
	  && rm -r package katex-*.tgz || { touch katex/katex.min.js katex/katex.min.css katex/auto-render.min.js; \
	  echo "KaTeX could not be fetched with npm; formulas are shown as they are written."; }

.venv-peers/.done: benchmarks/peers.txt
	$(PYTHON) -m venv .venv-peers
	BEZIER_NO_EXTENSION=true $(PEERS)/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers.txt
	touch $@

clean:
	rm -rf .venv .venv-peers .venv-mavproxy .npm demo site .pytest_cache .ruff_cache .hypothesis
