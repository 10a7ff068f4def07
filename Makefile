# `make demo` and `make test` need Python 3.11 or newer, a C compiler and make.
PYTHON ?= python3
VENV   ?= .venv
# How long make fuzz runs, or how many CASES per target, and what it fuzzes; everything
# if TARGETS is empty.
SECONDS   ?= 300
CASES     ?=
SEED      ?= 0
PROCESSES ?= 1
TARGETS   ?=
BIN     = $(VENV)/bin
# The tests start hundreds of processes: Python compiles each module once for all of them.
export PYTHONDONTWRITEBYTECODE =
# thatch itself, and everything that the tests need.
CORE    = $(VENV)/.core
READY   = $(VENV)/.ready
EXTRAS  = plot,maps,files,languages,code,tokenizers,web,mcp,corpus,langchain,llama-index,haystack
# What make quick runs: any path of pytest.
T      ?= tests/solvers
# How many examples a property is tested on: quick or thorough.
EXAMPLES ?= quick
# Set COVERAGE=yes to measure it: over all tiers, as it means little over one of them.
COVERAGE ?=
PYTEST  = $(BIN)/pytest --numprocesses 2 --dist worksteal
SOURCES = pyproject.toml setup.py $(wildcard src/thatch/_kernels/*.py src/thatch/_kernels/*.c)

.PHONY: help demo test test-all test-rest check quick unit smoke fuzz test-engines chromium browsers docs test-docs pictures benchmarks message-peers quality clean test-wheel test-oldest test-newest .venv-newest

help:
	@echo "make demo        summarize a sample document in 100 words"
	@echo "make quick T=tests/solvers  the tests of one folder or file: seconds"
	@echo "make check       lint and types: a minute or two"
	@echo "make test        lint, types, fast tests, the page, the docs: 10 minutes"
	@echo "make test-all    every test, with coverage: 30 minutes"
	@echo "make unit        the fast tests alone; EXAMPLES=thorough draws new examples"
	@echo "make smoke       a few tests of the page, in Chromium"
	@echo "make fuzz        search for inputs that fail, for SECONDS=300"
	@echo "make test-engines  tests on Spark: a large install that needs Java 17"
	@echo "make test-oldest  tests with the oldest dependencies that thatch accepts"
	@echo "make test-newest  tests with the newest releases of all dependencies"
	@echo "make docs        build the documentation into build/docs"
	@echo "make test-docs   build it, and open every page in Chromium"
	@echo "make pictures    redraw the pictures of the documentation"
	@echo "make benchmarks  measure speed, compared with NumPy, JAX and PGMax"
	@echo "make message-peers  install JAX and PGMax, as make benchmarks does"
	@echo "make quality     compare solvers, and other packages, at equal time"
	@echo "make test-wheel  build the distributions, and test the installed wheel"
	@echo "make clean       remove what was built"

# Python compiles the modules that a summary imports; --no-compile leaves out the others.
$(CORE): $(SOURCES)
	@echo "Installing thatch in $(VENV): about half a minute, once."
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --editable .
	@touch $(CORE)

$(READY): $(CORE)
	@echo "Installing what the tests need: about a minute, once."
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --group dev --editable ".[$(EXTRAS)]"
	@touch $(READY)

demo: $(CORE)
	$(BIN)/thatch summarize examples/pep-8016.txt --budget 100

# The first three use one core each.
test: $(READY)
	$(MAKE) --jobs 2 check smoke docs
	$(MAKE) unit

# Everything: the tier of make test, then the others.
test-all:
	$(MAKE) test COVERAGE=yes
	$(MAKE) test-rest COVERAGE=yes

# What make test leaves out. Every page of the site, which make test builds, is opened.
test-rest: $(READY) browsers build/docs/index.html
	THATCH_SITE=build/docs $(PYTEST) -m "(slow or browser) and not (smoke or spark)" \
	  $(if $(COVERAGE),--cov --cov-append --cov-report term)

check: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/codespell
	$(BIN)/rumdl check --quiet
	$(BIN)/zizmor --offline --persona pedantic --quiet .
	$(BIN)/mypy

quick: $(READY)
	$(BIN)/pytest -q $(T)

unit: $(READY)
	$(PYTEST) --hypothesis-profile $(EXAMPLES) \
	  $(if $(COVERAGE),--cov --cov-report= --cov-fail-under 0)

smoke: $(READY) chromium
	$(BIN)/pytest tests/serve/page -m smoke

fuzz: $(READY)
	PYTHONPATH=tests $(BIN)/python -m fuzz --seconds $(SECONDS) $(CASES:%=--cases %) \
	  --seed $(SEED) --processes $(PROCESSES) $(TARGETS)

test-engines: $(READY)
	@command -v java >/dev/null || { echo "Spark needs Java 17."; exit 1; } >&2
	$(BIN)/python -m pip install --quiet --editable ".[spark]"
	$(BIN)/pytest tests/scale/engines tests/corpus -m spark

# The page is tested in real browsers; these install the ones that are missing.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	  || $(call install,chromium)

browsers: chromium
	@command -v firefox-esr >/dev/null || command -v firefox >/dev/null \
	  || $(call install,firefox-esr)

install = { echo "Installing $(1), which the tests of the page need."; \
  sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
  $$sudo apt-get update -qq && $$sudo apt-get install -y -qq $(1); } >&2

docs: $(READY)
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/sphinx-build --fresh-env --write-all --fail-on-warning --keep-going -q -b html docs build/docs
	@echo "Open build/docs/index.html"

build/docs/index.html:
	$(MAKE) docs

test-docs: docs chromium
	THATCH_SITE=build/docs $(BIN)/pytest tests/site -m browser

pictures: $(READY)
	for script in docs/pictures/*.py; do $(BIN)/python $$script || exit 1; done
	$(BIN)/python examples/price_sweep.py docs/images/price-sweep.png
	$(BIN)/python examples/phase_diagram.py docs/images/phase-diagram.png

benchmarks: message-peers
	$(BIN)/python benchmarks/speed.py

# PGMax requires TensorFlow, Jupyter and Sphinx, but imports none of them.
message-peers: $(READY)
	$(BIN)/python -m pip install --quiet --group message-peers
	$(BIN)/python -m pip install --quiet --no-deps pgmax==0.6.1

# Skipped without their folders: PACE and SITES have instances, SOLVER that of team Root.
PUBLISHED = ds-heuristic hs-heuristic ds-exact hs-exact bds bds-1000
quality: $(READY)
	$(BIN)/python -m pip install --quiet --group benchmarks
	$(BIN)/python benchmarks/quality.py
	mkdir -p build
	$(BIN)/python benchmarks/quality.py --instances $(PUBLISHED) \
		--only auto root highs cp-sat --family-plot build/quality-families.png \
		$(if $(PACE),--pace $(PACE)) $(if $(SITES),--sites $(SITES)) $(if $(SOLVER),--root $(SOLVER))
	$(BIN)/python benchmarks/summaries.py

# The distributions, built and installed as a user would have them.
WHEEL = build/test-wheel
test-wheel:
	rm -rf $(WHEEL)
	$(PYTHON) -m venv $(WHEEL)/builder
	$(WHEEL)/builder/bin/python -m pip install --quiet build check-sdist twine
	$(WHEEL)/builder/bin/check-sdist --installer pip
	$(WHEEL)/builder/bin/python -m build --outdir $(WHEEL)/dist
	$(WHEEL)/builder/bin/twine check --strict $(WHEEL)/dist/*
	$(PYTHON) -m venv $(WHEEL)/user
	$(WHEEL)/user/bin/python -m pip install --quiet --upgrade "pip>=25.1"
	$(WHEEL)/user/bin/python -m pip install --quiet --group dev \
	  "$$(ls $(WHEEL)/dist/*.whl)[$(EXTRAS)]"
	$(WHEEL)/user/bin/python tests/installed --tests tests -m "not spark" --numprocesses 2

# Lower bounds of pyproject.toml, and newest releases, each in an environment of its own.
# The oldest releases have wheels for the oldest Python only, and call what newer packages
# have deprecated.
OLDEST_PYTHON ?= python3.11
TESTED         = ".[$(EXTRAS),dask]"

.venv-oldest/.ready: $(SOURCES)
	$(OLDEST_PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-oldest/bin/uv pip install --python .venv-oldest/bin/python \
	  --resolution lowest-direct --group dev --editable $(TESTED)
	@touch $@

# Made anew on every run: what is newest changes.
.venv-newest:
	$(PYTHON) -m venv --clear .venv-newest
	.venv-newest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	.venv-newest/bin/python -m pip install --quiet --group dev --editable $(TESTED)

test-oldest: .venv-oldest/.ready browsers
	.venv-oldest/bin/python -m pytest -m "not spark" --numprocesses 2 -W ignore::DeprecationWarning \
	  -W ignore::PendingDeprecationWarning -W ignore::FutureWarning

test-newest: .venv-newest browsers
	.venv-newest/bin/python -m pytest -m "not spark" --numprocesses 2

clean:
	rm -rf $(VENV) .venv-oldest .venv-newest build dist src/*.egg-info src/thatch/_kernels/*.so
	rm -rf .coverage .mypy_cache .pytest_cache .ruff_cache .rumdl_cache .hypothesis
