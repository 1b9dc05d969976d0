# Every target installs what it needs. Required: git, make and Python 3.11 or newer.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= ./data
SANDBOX ?= ./sandbox-data
DRIVERS := $(VENV)/drivers
TYPESCRIPT := $(VENV)/typescript
SITE    := site

.PHONY: help serve sandbox test test-long test-times attack cluster cluster-rounds cluster-upgrade bench-cluster bench-fan-out home-assistant fuzz fuzz-heads long-rounds direct-answers crosses reproduce simulate simulate-leaders simulate-year judge check format docs tables screenshots bench release bench-growth bench-answers bench-ingest bench-known bench-page bench-quotas bench-stream image test-image wheels lock clean

help:            ## list the targets
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

serve: $(VENV)/.serve  ## run the service on http://127.0.0.1:8000, keeping its data in ./data
	@$(CHOSEN) $(BIN)/cambist serve --data $(DATA)

sandbox: $(VENV)/.serve  ## run the service on a simulated market, keeping its data in ./sandbox-data
	@$(CHOSEN) $(BIN)/cambist serve --sandbox --data $(SANDBOX)

# Settings of the service can be passed to make: make serve PORT=8100 HOST=0.0.0.0 WORKERS=4.
# From the environment only CAMBIST_* is used, because many shells set HOST.
CHOSEN = $(foreach name,HOST PORT STREAM_PORT OPERATOR_PORT WORKERS,$(if $(filter command,$(origin $(name))),CAMBIST_$(name)=$($(name))))

FOR_TESTS = $(VENV)/.develop $(DRIVERS)/.installed $(TYPESCRIPT)/.installed $(VENV)/.docs $(VENV)/.browser $(VENV)/.programs $(VENV)/.manifests

test: $(FOR_TESTS)  ## run the tests, and what fails once more; the last line has the totals
	@$(BIN)/python tools/run_tests.py

test-long: $(FOR_TESTS)  ## run the tests that take long, such as rounds of kills and clusters, in the same way
	@$(BIN)/python tools/run_tests.py long

test-times:      ## show the slowest tests of the last `make test` or `make test-long`
	@cat .cache/tests/durations.txt

attack: $(VENV)/.develop  ## run hostile clients against a service on loopback, and show what they cost one that behaves; SEED=1 ONLY=trailers,slow SECONDS=10
	@$(BIN)/python -m tools.attack.run --seed $(or $(SEED),1) --seconds $(or $(SECONDS),10) $(if $(ONLY),--only $(ONLY)) $(if $(URL),--url $(URL)) $(if $(PID),--pid $(PID)) $(if $(STREAM),--stream $(STREAM)) $(if $(OPERATOR),--operator $(OPERATOR))

cluster: $(VENV)/.develop  ## run three nodes, a PostgreSQL and a Redis on this machine until Ctrl-C; NODES=5 WORKERS=2
	@$(BIN)/python -m tools.cluster.start --nodes $(or $(NODES),3) --workers $(or $(WORKERS),1)

cluster-rounds: $(VENV)/.develop  ## disturb such nodes under load and check what must hold; ROUNDS=100 SEED=7 NODES=3 WORKERS=1
	@$(BIN)/python -m tools.cluster.rounds --rounds $(or $(ROUNDS),20) --nodes $(or $(NODES),3) \
	  --workers $(or $(WORKERS),1) $(if $(SEED),--seed $(SEED)) $(OPTIONS)

home-assistant: $(VENV)/.homeassistant  ## install Home Assistant with Python 3.13, and test the integration in it
	@$(BIN)/pytest -n 0 tests/programs/test_home_assistant.py

fuzz: $(VENV)/.develop  ## run every adapter on thousands of damaged answers, and state machines for many steps, different ones each time
	@HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest tests/sources tests/simulation/test_state_machines.py -k "any_" $(FUZZ)

fuzz-heads: $(VENV)/.develop  ## send the service damaged heads of requests; HEADS=20000 SEED=1
	@HEADS=$(or $(HEADS),20000) SEED=$(or $(SEED),1) $(BIN)/pytest tests/service/test_damaged_heads.py

long-rounds: $(VENV)/.develop  ## run what the suite does in a few random rounds at length; LONGER=10
	@LONGER=$(or $(LONGER),10) $(BIN)/pytest tests/api/test_spliced_history.py tests/storage/test_archive_suite.py tests/service/test_ledger.py \
	  tests/cli/test_killed_upgrade.py tests/cli/test_releases.py tests/cluster/test_start.py

direct-answers: $(VENV)/.develop  ## compare the direct way with the general one over 100,000 random requests; REQUESTS=5000 SEED=7
	@DIRECT_REQUESTS=$(or $(REQUESTS),100000) SEED=$(or $(SEED),1) $(BIN)/pytest tests/api/direct

crosses: $(VENV)/.develop  ## compare float and exact arithmetic on a million crosses
	@CROSSES=1000000 $(BIN)/pytest tests/pricing/test_one_arithmetic.py

reproduce: $(VENV)/.develop  ## ask 10,000 questions, and ask each again with its edition; REPRODUCED=500 SEED=7
	@REPRODUCED=$(or $(REPRODUCED),10000) SEED=$(or $(SEED),20261120) $(BIN)/pytest tests/api/test_reproduced_answers.py -k reproduced_from

simulate: $(VENV)/.develop  ## simulate deployments with scripted sources, and check what must hold; SEEDS=10000 SEED=17
	@$(BIN)/python -m tools.simulation.run $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),10000))

simulate-leaders: $(VENV)/.develop  ## simulate nodes of which one leads, with pauses and cut links; SEEDS=1000 SEED=17
	@$(BIN)/python -m tools.simulation.run --about leaders $(if $(SEED),--seed $(SEED),--seeds $(or $(SEEDS),1000))

simulate-year: $(VENV)/.develop  ## simulate a year of all sources, in quarters side by side; SEED=1
	@$(BIN)/python -m tools.simulation.run --year $(or $(SEED),1) $(OPTIONS)

judge: $(VENV)/.develop  ## measure the rules of verdicts: scenarios, crises, order, held rates, speed, each rule; ABOUT="crises speed" HISTORY=folder
	@$(BIN)/python -m tools.judge.run $(ABOUT) $(if $(HISTORY),--history $(HISTORY))

check: $(VENV)/.develop  ## check format, lint, types, layers and generated documents
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/mypy -p tools.simulation
	@$(BIN)/lint-imports
	@$(BIN)/cambist openapi --check docs/openapi.json
	@$(BIN)/python tools/write_tables.py --check
	@$(BIN)/python tools/typescript_types.py --check
	@$(BIN)/python tools/write_plots.py --check

format: $(VENV)/.develop  ## format the code
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

tables: $(VENV)/.develop  ## write the tables and plots in README.md and docs/: endpoints, settings, commands, figures
	@$(BIN)/python tools/write_tables.py
	@$(BIN)/python tools/typescript_types.py
	@$(BIN)/python tools/write_plots.py

docs: $(VENV)/.docs  ## build the documentation site in ./site, without a network once it is set up
	@if [ -s $(VENV)/.docs ]; then cat $(VENV)/.docs && rm $(VENV)/.docs; \
	else $(BIN)/zensical build --clean --strict && echo "Open $(SITE)/index.html"; fi

screenshots: $(VENV)/.develop $(VENV)/.browser  ## write pictures of every view of the page and the console to docs/screenshots; needs chromium
	@$(BIN)/python tools/take_screenshots.py
	@$(BIN)/python tools/take_console_screenshots.py

bench-answers: $(VENV)/.develop  ## check for some minutes that neither cache nor workers change an answer while books change
	@SAME_ANSWERS=$(or $(LENGTH),30) $(BIN)/pytest tests/service/test_same_answers.py

bench: $(VENV)/.develop  ## measure the API while the rate book changes, as ratios to a constant; RECORD=docs/performance.json for the docs
	@$(BIN)/python bench/metering.py
	@$(BIN)/python bench/run.py $(if $(RECORD),--json $(RECORD))
	@$(if $(RECORD),$(MAKE) --no-print-directory tables)

bench-growth: $(VENV)/.develop  ## measure how it grows, for docs/performance.md; ONLY=accounts,books for some curves
	@$(BIN)/python bench/growth.py $(if $(ONLY),--only $(ONLY))
	@$(MAKE) --no-print-directory tables

bench-ingest: $(VENV)/.develop  ## measure the time from a tick to its book, and how fast fixings are stored
	@$(BIN)/python bench/ingest.py
	@$(BIN)/python bench/archive.py

cluster-upgrade: $(VENV)/.develop  ## upgrade nodes of the last release to this code under load, one after another; NODES=3
	@$(BIN)/python -m tools.cluster.upgrade --nodes $(or $(NODES),3)

bench-cluster: $(VENV)/.develop  ## measure several nodes: a book to all of them, a takeover, and what a node costs; NODES=3 WORKERS=1 COINS=0
	@$(BIN)/python -m tools.cluster.measure --nodes $(or $(NODES),3) --workers $(or $(WORKERS),1) --coins $(or $(COINS),0) $(OPTIONS)

bench-fan-out: $(VENV)/.develop  ## measure what Redis sends to each of several nodes, and how old a book is there; NODES=3,10,30,100
	@$(BIN)/python bench/fan_out.py $(if $(NODES),--nodes $(NODES))

bench-known: $(VENV)/.develop  ## measure answers as they were known at an edition, cold and warm, beside today's
	@$(BIN)/python bench/known_state.py

bench-quotas: $(VENV)/.develop  ## measure first calls of a period on a node, and those after midnight, in 15 minutes; ACCOUNTS=10000
	@$(BIN)/python bench/quota_grants.py
	@$(BIN)/python bench/midnight.py $(if $(ACCOUNTS),--accounts $(ACCOUNTS))

bench-page: $(VENV)/.develop $(VENV)/.browser  ## check that no view is busy for 50 ms, and that ten books a second keep the board quick; needs chromium and a quiet machine
	@MEASURED=1 $(BIN)/pytest -n 0 tests/web/test_board.py tests/web/test_budgets.py -k "ten_books or busy_for_long"

bench-stream: $(VENV)/.develop  ## measure the stream with thousands of connections and slow clients
	@$(BIN)/python bench/stream.py
	@$(BIN)/python bench/recovery.py

image: $(VENV)/.develop  ## build the container image without a daemon, on a base of Debian's packages, and print its size; BASE_IMAGE=… OUT=image.tar; needs root, buildah and mmdebstrap
	@$(if $(BASE_IMAGE),BASE_IMAGE=$(BASE_IMAGE)) $(if $(OUT),OUT=$(OUT)) $(BIN)/python -m tools.image.build

test-image: $(VENV)/.develop  ## build the container image and run it: read-only, as its user, on empty and restored volumes, as a node; needs root, buildah and mmdebstrap
	@$(BIN)/pytest -n 0 tests/deploy/test_image.py

release: $(VENV)/.develop  ## build wheel, sdist, client, image context, SBOM and checksums into OUT=dist; VERSION=0.2.0 sets the version first
	@$(BIN)/python -m tools.release $(or $(VERSION),--build) --target $(or $(OUT),dist)

wheels: $(VENV)/.develop  ## ask for which platforms all dependencies have wheels, and write the table; needs the package registry
	@$(BIN)/python tools/wheels.py
	@$(MAKE) --no-print-directory tables

lock: $(VENV)/.develop  ## pin the newest allowed dependencies, with hashes
	@$(BIN)/python -m uv pip compile pyproject.toml --upgrade $(LOCKED) -o requirements.lock
	@$(BIN)/python -m uv pip compile pyproject.toml --upgrade --extra cluster --extra otlp --constraint requirements.lock $(LOCKED) -o requirements-cluster.lock
	@$(BIN)/python -m uv pip compile pyproject.toml --upgrade --extra dev $(LOCKED) -o requirements-dev.lock
	@$(BIN)/python -m uv pip compile pyproject.toml --upgrade --extra docs --constraint requirements-dev.lock $(LOCKED) -o requirements-docs.lock
	@$(BIN)/python -m uv pip compile pyproject.toml --upgrade --extra browser --constraint requirements-dev.lock $(LOCKED) -o requirements-browser.lock
	@$(BIN)/python -m uv pip compile tests/programs/requirements.in --upgrade $(LOCKED) -o requirements-programs.lock
	@$(BIN)/python -m uv pip compile tests/programs/requirements-mcp1.in --upgrade $(LOCKED) -o requirements-mcp1.lock
	@$(BIN)/python -m uv pip compile tests/programs/requirements-homeassistant.in --upgrade $(subst 3.11,3.13,$(LOCKED)) -o requirements-homeassistant.lock
	@$(BIN)/python -m uv pip compile tests/deploy/requirements-manifests.in --upgrade $(LOCKED) -o requirements-manifests.lock
LOCKED := --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --quiet

clean:           ## remove what the targets made, except ./data and ./sandbox-data
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .cache $(SITE)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Cambist needs Python 3.11 or newer; $(PYTHON) is older. Name another: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.serve: $(BIN)/python requirements.lock pyproject.toml
	@echo "Setting up $(VENV) …"
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@PYTHONPATH= $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.cluster: $(VENV)/.serve requirements-cluster.lock  # the drivers of PostgreSQL and Redis, for several nodes
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-cluster.lock
	@touch $@

$(VENV)/.develop: $(VENV)/.serve requirements-dev.lock
	@$(BIN)/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

# What builds the documentation. Without the package registry it is missing, and `make docs` says so and is skipped.
$(VENV)/.docs: $(VENV)/.serve requirements-docs.lock
	@if $(BIN)/pip install --quiet --disable-pip-version-check --retries 1 --require-hashes -r requirements-docs.lock >$(VENV)/docs.log 2>&1; \
	then : >$@; else echo "The documentation is not built: its tools cannot be installed ($(VENV)/docs.log)." >$@; fi

# What drives a browser in tests. Without the package registry it is missing, and the tests of the page are skipped.
$(VENV)/.browser: $(VENV)/.serve requirements-browser.lock
	@if $(BIN)/pip install --quiet --disable-pip-version-check --retries 1 --require-hashes -r requirements-browser.lock >$(VENV)/browser.log 2>&1; \
	then : >$@; else echo "The page is not tested in a browser: playwright cannot be installed ($(VENV)/browser.log)." | tee $@; fi

# Programs of others, which the tests run against the service, each set in an environment of its own. Without the package
# registry they are missing, and their tests are skipped.
$(VENV)/.programs: $(VENV)/.serve requirements-programs.lock requirements-mcp1.lock
	@if { $(call OF_OTHERS,programs) && $(call OF_OTHERS,mcp1); } >$(VENV)/programs.log 2>&1; \
	then : >$@; else echo "Programs of others are not run: they cannot be installed ($(VENV)/programs.log)." | tee $@; fi
OF_OTHERS = $(BIN)/python -m venv --clear $(VENV)/$(1) && $(VENV)/$(1)/bin/pip install --quiet \
            --disable-pip-version-check --retries 1 --require-hashes -r requirements-$(1).lock

# Home Assistant, which needs Python 3.13 and half a gigabyte: made on demand, and its tests are skipped without it.
$(VENV)/.homeassistant: $(VENV)/.develop $(VENV)/.programs requirements-homeassistant.lock
	@$(PYTHON313) -m venv --clear $(VENV)/homeassistant
	@$(VENV)/homeassistant/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-homeassistant.lock
	@touch $@
PYTHON313 ?= python3.13

# What renders and checks the files for Kubernetes and compose. Without the package registry it is missing, and their
# tests are skipped.
$(VENV)/.manifests: $(VENV)/.serve requirements-manifests.lock
	@if { $(call OF_OTHERS,manifests); } >$(VENV)/manifests.log 2>&1; \
	then : >$@; else rm -rf $(VENV)/manifests; \
	echo "The files for Kubernetes are not checked: their tools cannot be installed ($(VENV)/manifests.log)." | tee $@; fi

# What the clients in tests/drivers need. Without npm or its registry it is missing, and their tests are skipped.
$(DRIVERS)/.installed: tests/drivers/package.json tests/drivers/package-lock.json
	@rm -rf $(DRIVERS) && mkdir -p $(DRIVERS) && cp $^ $(DRIVERS)
	@if ! command -v npm >/dev/null; then \
	  echo "There is no npm: the tests with clients in Node are skipped."; \
	elif (cd $(DRIVERS) && npm ci $(QUIETLY) >npm.log 2>&1); then touch $@; \
	else echo "npm cannot install what the clients in Node need ($(DRIVERS)/npm.log): their tests are skipped."; fi
# The compiler of the TypeScript client. Without npm or its registry it is missing, and the tests of that client are skipped.
$(TYPESCRIPT)/.installed: packages/typescript-client/package.json packages/typescript-client/package-lock.json
	@rm -rf $(TYPESCRIPT) && mkdir -p $(TYPESCRIPT) && cp $^ $(TYPESCRIPT)
	@if ! command -v npm >/dev/null; then \
	  echo "There is no npm: the tests of the TypeScript client are skipped."; \
	elif (cd $(TYPESCRIPT) && npm ci $(QUIETLY) >npm.log 2>&1); then touch $@; \
	else echo "npm cannot install TypeScript ($(TYPESCRIPT)/npm.log): the tests of the TypeScript client are skipped."; fi
QUIETLY := --ignore-scripts --no-audit --no-fund --no-update-notifier \
           --fetch-retries 1 --fetch-retry-mintimeout 1000 --fetch-timeout 20000
