# A thin front for CMake; everything it does can be done with `cmake --preset` too.

PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

# The presets ask for Ninja; without it, plain make will do. Asked when used: it may just have been installed.
GENERATOR = -G "$$(command -v ninja >/dev/null && echo Ninja || echo Unix Makefiles)"

# Debian's, which has the packages that scripts/install-deps installs; elsewhere the one on the path.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

SOURCES = find include src cli tests bench examples python -name '*.[ch]pp' 2>/dev/null

.NOTPARALLEL:
.DEFAULT_GOAL := all

.PHONY: all
all: build/release/.configured ## build the program (default); it is left at build/thud
	cmake --build build/release --parallel $(JOBS) --target thud_cli
	@ln -sfn release/bin/thud build/thud

# The small program, unless the whole one is there already.
.PHONY: demo
demo: $(if $(wildcard build/release/bin/thud),all,first) ## drop a free link into sand; builds what that needs, and `make` the rest
	build/thud run free_link
	@[ "$$(readlink build/thud)" != first/bin/thud ] || \
	  echo 'This is the program for a first look: run, check, list, laws, new. `make` builds the rest.'

.PHONY: first
first: ## build a small program, quickly: run, check, list, laws and new; `make` then builds the whole one
	@scripts/install-deps first
	@cmake --preset first $(GENERATOR) --log-level=NOTICE
	cmake --build build/first --parallel $(JOBS)
	@ln -sfn first/bin/thud build/thud

.PHONY: test
test: ## run all tests, the marked ones again under sanitizers, and the format check
	@scripts/install-deps test
	@cmake --preset release $(GENERATOR) -DTHUD_BUILD_TESTS=ON --log-level=NOTICE && touch build/release/.configured
	cmake --build build/release --parallel $(JOBS)
	@ln -sfn release/bin/thud build/thud
	ctest --preset release -j $(JOBS)
	@cmake --preset asan $(GENERATOR) -DTHUD_BUILD_TESTS=ON --log-level=NOTICE
	cmake --build build/asan --parallel $(JOBS) --target sanitize_tests
	ctest --preset asan -j $(JOBS)
	@if command -v clang-format >/dev/null; then \
	   echo 'format check'; $(SOURCES) | xargs -r clang-format --dry-run --Werror; \
	 else \
	   echo 'format check skipped: no clang-format'; \
	 fi

# N scenarios of each class from seed SEED on; CLASS: of one class alone. What fails is left, shrunk, in build/campaign.
N = 100
SEED = 1
CLASS =

.PHONY: campaign
campaign: ## run N random scenarios of each class and count what fails: N=100 SEED=1 CLASS=piles-loose (minutes)
	@cmake --preset release $(GENERATOR) -DTHUD_BUILD_TESTS=ON --log-level=NOTICE && touch build/release/.configured
	cmake --build build/release --parallel $(JOBS) --target campaign
	build/release/bin/campaign $(N) --seed $(SEED) $(if $(CLASS),--class $(CLASS)) --jobs $(JOBS) \
	  --keep build/campaign --markdown build/campaign/rates.md

# What libFuzzer makes is kept in build/fuzz/corpus, what it finds in build/fuzz/finds.
DEVICE = gpu
TARGET = scenario
SECONDS = 600

.PHONY: fuzz
fuzz: ## let libFuzzer feed a reader: TARGET=scenario study expression units csv json store, SECONDS=600 (clang, minutes)
	@scripts/install-deps fuzz
	@cmake --preset fuzz $(GENERATOR) --log-level=NOTICE
	cmake --build build/fuzz --parallel $(JOBS) --target fuzz_$(TARGET)
	@mkdir -p build/fuzz/corpus/$(TARGET) build/fuzz/finds
	build/fuzz/bin/fuzz_$(TARGET) -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
	  -print_final_stats=1 -print_funcs=0 -artifact_prefix=build/fuzz/finds/$(TARGET)- \
	  $(if $(wildcard tests/fuzz/words/$(TARGET).dict),-dict=tests/fuzz/words/$(TARGET).dict) \
	  build/fuzz/corpus/$(TARGET) tests/fuzz/corpus/$(TARGET) \
	  $(if $(filter scenario,$(TARGET)),scenarios) $(if $(filter study,$(TARGET)),studies)

.PHONY: campaign-fit
campaign-fit: ## count how often intervals of fits hold the truth, with 200 sets of synthetic measurements each (minutes)
	@cmake --preset release $(GENERATOR) -DTHUD_BUILD_TESTS=ON --log-level=NOTICE && touch build/release/.configured
	cmake --build build/release --parallel $(JOBS) --target campaign_fit
	build/release/bin/campaign_fit 200

.PHONY: bench
bench: ## build and run the benchmarks, peers beside us
	@scripts/install-deps bench
	@cmake --preset release $(GENERATOR) -DTHUD_BUILD_BENCH=ON --log-level=NOTICE && touch build/release/.configured
	cmake --build build/release --parallel $(JOBS) --target thud_bench thud_ensembles thud_jobs
	build/release/bin/thud_bench
	build/release/bin/thud_ensembles
	bench/instructions build/release/bin/thud_jobs

.PHONY: bench-gpu
bench-gpu: all ## sweeps on a graphics card beside the processor: DEVICE=gpu, opencl or a number
	bench/devices build/release/bin/thud $(DEVICE)

.PHONY: python
python: ## build the Python module; import it with PYTHONPATH=build/release/python
	@scripts/install-deps python
	@cmake --preset release $(GENERATOR) -DTHUD_BUILD_PYTHON=REQUIRED --log-level=NOTICE && touch build/release/.configured
	cmake --build build/release --parallel $(JOBS) --target thud_python

.PHONY: docs
docs: all ## recompute docs/results.md, the reference of scenario files, and the pictures of the guide to figures
	@mkdir -p docs/reference
	build/thud schema > docs/thud-scenario.schema.json
	build/thud schema --markdown > docs/reference/scenario.md
	build/thud reproduce --markdown docs/results.md
	build/thud run double_pendulum --set "angle1=75 deg" --set "angle2=30 deg" --until rest --svg docs/img/still.svg --quiet
	build/thud reproduce --figures build/figures lee2009/figure-4.13
	cp build/figures/lee2009/figure_4_13.svg docs/img/
	build/thud run upright_rod --poses 4 --plot link.tip.depth,link.angle --svg docs/img/upright_rod.svg --quiet
	build/thud run free_link --set "angle=0.001 deg" --until rest --poses 4 --plot link.tip.depth,link.angle --svg docs/img/toppled_rod.svg --quiet
	build/thud sweep wheel_slip --svg build/figures --out build/figures/wheel_slip.h5 --quiet
	cp build/figures/wheel_slip_1.svg docs/img/wheel_slip.svg
	build/thud schema --study > docs/thud-study.schema.json
	$(PYTHON) scripts/make-gallery build/thud

.PHONY: site
site: all ## build the documentation site, build/site/index.html
	@scripts/install-deps docs
	$(PYTHON) scripts/build-site --program build/release/bin/thud --work build/site-work --out build/site --python build/release/python
	@echo 'The site is at build/site/index.html'

.PHONY: web
web: ## rebuild the web page that is embedded, web/dist/thud.html (needs Node)
	@scripts/web-deps
	cd web && npm run check && npm run build

# The engine for browsers, where the program looks for it: beside the scenarios.
LIVE = build/release/share/thud/live/engine.txt

.PHONY: live
live: all ## build the engine for browsers, which `thud run --report FILE --live` puts into reports (emscripten, minutes)
	@scripts/install-deps live
	scripts/build-live $(LIVE) -j $(JOBS)

.PHONY: live-test
live-test: live ## test pages that compute by themselves, in a browser with the network cut
	@scripts/install-deps test
	@scripts/web-deps
	THUD_PROGRAM=$(CURDIR)/build/release/bin/thud node --test tests/web/live.test.mjs

.PHONY: playground
playground: live ## write the playground with all scenarios as a page for any web space, build/playground/index.html
	build/thud serve --write build/playground

.PHONY: screenshots
screenshots: all ## pictures of every view of the web page, in build/screenshots
	@scripts/install-deps test
	@scripts/web-deps
	node web/screenshots.mjs build/screenshots

.PHONY: format
format: ## format the sources in place
	@scripts/install-deps tools
	$(SOURCES) | xargs -r clang-format -i

.PHONY: tidy
tidy: deps ## run clang-tidy over the library and the program
	@scripts/install-deps tools
	@cmake --preset dev $(GENERATOR) -DTHUD_BUILD_TESTS=OFF --log-level=NOTICE
	run-clang-tidy -quiet -p build/dev -j $(JOBS) "^$(CURDIR)/(src|cli)/"

.PHONY: install
install: all ## install below PREFIX (default /usr/local)
	@mkdir -p "$(DESTDIR)$(PREFIX)" 2>/dev/null; \
	 if [ -w "$(DESTDIR)$(PREFIX)" ]; then cmake --install build/release --prefix "$(PREFIX)"; \
	 else sudo env DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"; fi

.PHONY: deb
deb: all ## make a Debian package of the program, build/thud_*.deb
	@scripts/install-deps deb
	@scripts/make-deb build/release build

.PHONY: wheel
wheel: ## make a wheel of the Python module, build/wheel/thud-*.whl
	@scripts/install-deps python
	@PYTHON=$(PYTHON) scripts/make-wheel build/wheel

.PHONY: package-test
package-test: deb wheel ## install package and wheel on this machine, which should be a bare one, and try them
	tests/package/check_packages build build/wheel

.PHONY: clean
clean: ## remove everything that was built
	rm -rf build

.PHONY: help
help: ## show this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

.PHONY: deps
deps:
	@scripts/install-deps

# CMake reruns itself when a CMakeLists.txt changes, but does not watch the presets.
build/%/.configured: CMakePresets.json | deps
	cmake --preset $* $(GENERATOR) -DTHUD_BUILD_TESTS=OFF --log-level=NOTICE
	@touch $@
