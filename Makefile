# Two commands do all:   make demo   and   make test
# Each first sets up an environment of its own in .venv, and renews it when pyproject.toml (or the place) has changed.

STICTION = .venv/bin/stiction
NEED = import sys; sys.exit(sys.version_info < (3, 11))

# What can be tested within a minute and without compiling: the shape of the project, the pages, scenes, cones.
FAST = tests/test_architecture.py tests/test_documents.py tests/geometry/shapes/test_pose.py tests/geometry/prescribed \
  tests/geometry/contact/test_contacts.py tests/geometry/formation/test_formations_not_generic.py tests/dynamics/cones \
  tests/dynamics/spaces tests/dynamics/sets/test_certificate.py tests/dynamics/motion/test_choose.py \
  tests/dynamics/motion/test_constrained.py tests/dynamics/motion/test_routh.py tests/sim/run/test_status.py \
  tests/sim/scene tests/sim/show/test_cone_space.py tests/sim/show/test_sweep_plot.py tests/sim/sweep/test_bisection.py

.PHONY: demo test test-fast bench lint wheel clean setup

demo: setup
	@mkdir -p outputs
	@$(STICTION) run peg_in_hole -o outputs/peg_in_hole.h5
	@$(STICTION) replay outputs/peg_in_hole.h5 --save outputs/peg_in_hole.gif --speed 0.05

test: setup
	@.venv/bin/python -m pytest --numprocesses 2 --dist loadfile

test-fast: setup
	@NUMBA_DISABLE_JIT=1 .venv/bin/python -m pytest $(FAST) --ignore=tests/sim/scene/test_formation.py

bench: setup
	@.venv/bin/python -m tests.bench

lint: setup
	@.venv/bin/ruff check .
	@.venv/bin/lint-imports
	@.venv/bin/mypy

wheel: setup
	@rm -rf dist
	@.venv/bin/python -m pip wheel -q --disable-pip-version-check . --no-deps --wheel-dir dist
	@.venv/bin/python -m tests.check_wheel dist

clean:
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache build dist
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

setup:
	@if { pwd; cat pyproject.toml; } | cmp -s - .venv/made_for && .venv/bin/python -c pass 2>/dev/null; then exit 0; fi; \
	found=; for python in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	  if $$python -c '$(NEED)' 2>/dev/null; then found=$$python; break; fi; \
	done; \
	if [ -z "$$found" ]; then echo "Stiction needs Python 3.11 or newer, and found none." >&2; exit 1; fi; \
	echo "Setting up .venv with $$($$found --version); this happens once and takes a minute or two ..."; \
	rm -rf .venv && \
	if ! $$found -m venv .venv; then \
	  echo "This Python has no venv module with pip; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; fi; \
	.venv/bin/python -m pip install -qq --disable-pip-version-check --editable '.[dev]' && \
	{ pwd; cat pyproject.toml; } > .venv/made_for
