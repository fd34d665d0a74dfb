# `make help` says what there is. Every target uses .venv, which `make setup` makes from the lock file.

PYTHON ?= python3
BIN := .venv/bin
PACKAGES := mosshead config db pipeline workers tests benchmarks examples

# Tests start a hundred processes, and each would compile our modules anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup up demo test unit check format thorough bench peers fuzz faults docs image clean

help: ## print this
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: .venv/.installed ## make .venv from requirements.lock

# Nothing is compiled at installation: Python compiles a module when it is first imported, and most never are.
.venv/.installed: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Mosshead needs Python 3.11 or newer; say which with make PYTHON=…")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps --no-compile -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps --editable .
	@touch $@

up: setup ## run all of it on this machine, until Ctrl-C
	$(BIN)/mosshead up

demo: setup ## show the whole way once, from publish to recall
	$(BIN)/mosshead demo

# Each of the two test processes uses one core; extra BLAS threads would only compete for it.
test: export OPENBLAS_NUM_THREADS = 1
test: setup ## run the tests
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal -m "not thorough"

unit: setup ## run the tests that need no server
	$(BIN)/python -m pytest --numprocesses 2 --dist worksteal tests/unit tests/conformance/test_embedders.py \
	tests/conformance/test_scenarios.py::test_single_batch_scenario_is_believed

check: setup ## lint, types, and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup ## drive conversations through the real queue and workers: make bench DATA=FILE
	$(BIN)/python -m benchmarks.ingest --data $(DATA)

peers: setup .venv-peers/.installed ## Mosshead beside mem0 and langmem, which it installs into .venv-peers: make peers DATA=FILE
	$(BIN)/python -m benchmarks.peers $(if $(DATA),--data $(DATA))

.venv-peers/.installed: requirements-peers.lock
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-peers.lock
	@touch $@

fuzz: setup .venv-fuzz/.installed ## send requests that fit the server's OpenAPI document, or nearly (a quarter of an hour)
	$(BIN)/python -m pytest -s tests/acceptance/test_fuzzed_server.py

.venv-fuzz/.installed:
	$(PYTHON) -m venv .venv-fuzz
	.venv-fuzz/bin/python -m pip install --quiet --disable-pip-version-check schemathesis==4.32.5
	@touch $@

faults: setup ## kill everything, again and again, and check that nothing is lost (half an hour)
	$(BIN)/python -m benchmarks.faults --full

docs: .venv-docs/.installed ## the site of the docs with the API reference, made with .venv-docs: site/index.html
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --quiet
	sed -E 's#\(docs/index\.md\)#(index.html)#; s#\(docs/([^)]+)\.md#(\1/#' llms.txt > site/llms.txt

.venv-docs/.installed: requirements-docs.lock
	$(PYTHON) -m venv .venv-docs
	.venv-docs/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements-docs.lock
	@touch $@

# Properties that decide what a model, a message or a crash may do; asked 25 times by make test, and 1,000 times here (the state
# machine 15 and 200, what undoes who is who 12 and 500).
PROPERTIES := tests/integration/test_state_machine.py tests/integration/workers/test_identity_undone.py \
	tests/integration/workers/test_model_disposes.py \
	tests/unit/mosshead/contrib/managers/test_memories.py tests/unit/mosshead/contrib/managers/test_patching.py \
	tests/unit/mosshead/embeddings/test_minilm.py tests/unit/mosshead/publishing/test_spool.py \
	tests/unit/mosshead/publishing/test_window.py tests/unit/mosshead/redaction/test_redact.py \
	tests/unit/pipeline/rules_en/test_properties.py tests/unit/pipeline/test_consolidate_answers.py \
	tests/unit/pipeline/test_extract.py tests/unit/pipeline/test_form_document.py tests/unit/pipeline/test_portions.py

thorough: setup ## what make test leaves out: every case with a model that is never wrong, more seeds and more examples (half an hour)
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -m thorough tests
	HYPOTHESIS_PROFILE=thorough $(BIN)/python -m pytest -m "not thorough" $(PROPERTIES) tests/acceptance/test_two_pieces.py

image: ## build the container image
	docker build --tag mosshead .

clean: ## remove .venv, the data folder and caches
	rm -rf .venv .venv-peers .venv-fuzz .venv-docs .mosshead site .mypy_cache .ruff_cache .pytest_cache .hypothesis
