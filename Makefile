# Two commands do everything on a machine with Python 3.11 and make:
#   make reproduce   set-up, recompute a small subset of the runs, execute all notebooks, build the report
#   make test        set-up, all tests
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: help reproduce test paper figures lab browser stress slurm matrix lock clean
.DEFAULT_GOAL := help

help:
	@echo "make reproduce  recompute a small subset of the runs, execute all notebooks, build the HTML report"
	@echo "make test       unit, property and notebook tests, lint, a sample of committed rows"
	@echo "make paper      compute every missing run of the papers' protocols (hours; resumable)"
	@echo "make figures    write every figure as PDF and every table as LaTeX, for a paper of yours"
	@echo "make lab        open the notebooks in JupyterLab"
	@echo "make browser    drive the report and the notebooks in a headless Chromium (minutes)"
	@echo "make stress     kill a batch a hundred times and compare the rows (minutes)"
	@echo "make slurm      run a batch on a Slurm started here, kill its parts, compare the rows"
	@echo "make matrix     try the wheel of the algorithms with scikit-learn 1.6 to 1.9 (minutes)"
	@echo "make lock       renew both lock files from pyproject.toml"
	@echo "make clean      remove everything that can be made again"

# Installed once, and again only when the pinned versions change.
$(READY): requirements.lock pyproject.toml lib/pyproject.toml
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) (some minutes, once)"
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "Python 3.11 or newer is needed"'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@# Python compiles what it imports; pip would compile all that is there.
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps --no-build-isolation -e ./lib -e .
	@echo "Compiling kernels (once)"
	@$(BIN)/python -m minority._warm
	@$(BIN)/python -c "import matplotlib.pyplot"  # builds its list of fonts
	@touch $@

reproduce: $(READY)
	@echo "Step 1 of 3: recompute a small subset of the runs and compare them with the committed rows (a minute)"
	@$(BIN)/minority verify
	@echo "Step 2 of 3: execute the notebooks, from committed rows where there are any (minutes)"
	@$(BIN)/minority run
	@echo "Step 3 of 3: judge the claims and build the report"
	@$(BIN)/minority report
	@echo "Or play with it: make lab. On your own table: $(BIN)/minority showdown my.csv --target label"

# Every part runs, whichever fails before it; the last lines say how each of them ended.
# The sample of rows is another one each day.
test: $(READY)
	@trap 'exit 130' INT; ended=0; summary=; \
	part() { \
	  name=$$1; shift; echo "== $$name: $$*"; \
	  if env "$$@"; then how=passed; else how=FAILED ended=1; fi; \
	  summary="$$summary$$how  $$name\n"; }; \
	part "ruff check" $(BIN)/ruff check .; \
	part "ruff format" $(BIN)/ruff format --check .; \
	part "pytest" $(BIN)/python -m pytest -q -n auto --dist worksteal; \
	part "notebooks" OMP_NUM_THREADS=1 MINORITY_FIGURES=$(VENV)/test-figures $(BIN)/python -m pytest -q -n auto --dist loadfile \
	  -p no:cacheprovider --nbval --nbval-kernel-startup-timeout=600 --nbval-current-env --nbval-sanitize-with tests/nbval_sanitize.cfg notebooks; \
	part "sample of rows" $(BIN)/minority verify --sample 2 --at-most 2 --seed $$(date +%Y%m%d); \
	echo "== summary"; printf '%b' "$$summary"; exit $$ended

paper: $(READY)
	@$(BIN)/minority run --compute missing
	@$(BIN)/minority report

figures: $(READY)
	@$(BIN)/minority figures

lab: $(READY)
	$(BIN)/jupyter lab notebooks --ip=127.0.0.1

# Chromium and its driver come from Debian; elsewhere both must be on the PATH.
browser: $(READY)
	@command -v chromium > /dev/null && command -v chromedriver > /dev/null || { \
	  command -v apt-get > /dev/null || { echo "Install chromium and chromedriver first."; exit 1; }; \
	  echo "Installing chromium and chromium-driver"; \
	  sudo=$$(test "$$(id -u)" = 0 || echo sudo); \
	  $$sudo apt-get -qq update && $$sudo apt-get -qq install --no-install-recommends chromium chromium-driver; }
	@$(BIN)/python -c "import selenium" 2> /dev/null || $(BIN)/python -m pip install --quiet \
	  --disable-pip-version-check --no-build-isolation -c requirements.lock -e ./lib -e ".[browser]"
	$(BIN)/python -m pytest -o addopts=--strict-markers -p no:cacheprovider -rP -q tests/browser
	@echo "Look at the pictures in data/runs/screenshots"

slurm: $(READY)
	$(BIN)/python -m pytest -q -rs -m slurm tests/minority_reports/experiments/test_slurm.py

stress: $(READY)
	$(BIN)/python tests/stress_kills.py

# Environments of their own, outside of the checkout.
matrix: $(READY)
	$(BIN)/python tests/matrix.py

lock: pyproject.toml lib/pyproject.toml
	rm -rf $(VENV)/lock
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check "setuptools>=77" ./lib ".[notebooks,cluster,test]"
	{ echo "# Exact versions of everything, written by \`make lock\`."; \
	  $(VENV)/lock/bin/python -m pip freeze --all | grep -v -E '^(pip|minority|minority-reports)( |=)'; } > requirements.lock
	$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check -c requirements.lock ./lib ".[showdown]"
	{ echo "# Exact versions of what the extra \"showdown\" adds to requirements.lock, written by \`make lock\`."; \
	  $(VENV)/lock/bin/python -m pip freeze --all | grep -v -E '^(pip|minority|minority-reports)( |=)' | grep -v -x -F -f requirements.lock; } > requirements-showdown.lock
	rm -rf $(VENV)/lock

clean:
	rm -rf $(VENV) build data/cache data/runs data/report lib/*.egg-info lib/build .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
