# The two commands that do everything, and the few beside them.
#   make demo   install what is missing, build, score the example, write its report
#   make test   install what is missing, build, run every test
PRESET ?= release
JOBS ?= $(shell nproc)

.PHONY: build demo install test test-python test-clusters test-openapi test-clang test-asan test-tsan test-valgrind test-cross fuzz faults check-claims check-all bench bench-cuda peers install-packages format clean

build: build/$(PRESET)/build.ninja
	cmake --build build/$(PRESET) -j $(JOBS)

build/%/build.ninja: | install-packages
	cmake --preset $* > build-$*.log 2>&1 || { cat build-$*.log; rm -f build-$*.log; exit 1; }
	@rm -f build-$*.log

install-packages:
	@scripts/install-packages.sh

demo: build/$(PRESET)/build.ninja  # the program alone: the tests take longer to build than all the rest
	cmake --build build/$(PRESET) -j $(JOBS) --target markeval
	@scripts/demo.sh

# The program, its manual page and completions below PREFIX.
PREFIX ?= $(HOME)/.local
install: build/$(PRESET)/build.ninja
	cmake --build build/$(PRESET) -j $(JOBS) --target markeval
	cmake --install build/$(PRESET) --component program --prefix $(PREFIX)

test: build
	ctest --preset $(PRESET) -j $(JOBS)

# The Python module in an environment of its own; pip fetches scikit-build-core, nanobind, NumPy and pandas.
test-python: install-packages
	test -x build/venv/bin/python || python3 -m venv build/venv
	build/venv/bin/pip install --quiet --upgrade . pandas polars pyarrow mypy nbclient ipykernel
	MALLOC_PERTURB_=85 build/venv/bin/python -W ignore -m unittest discover -s python/tests

# Real Ray and real Spark, from PyPI; Java from Debian.
test-clusters: install-packages
	@scripts/test-clusters.sh

# schemathesis, from PyPI, asks a server for all that its /openapi.json describes.
test-openapi: build
	test -x build/venv-openapi/bin/python || python3 -m venv build/venv-openapi
	build/venv-openapi/bin/pip install --quiet schemathesis
	python3 tests/serve/openapi_test.py --program build/$(PRESET)/markeval --encoder tests/encoder/models/bert --schemathesis $(CURDIR)/build/venv-openapi/bin/schemathesis

# The other compiler: the code keeps to the language, not to GCC.
test-clang:
	@scripts/install-packages.sh --with clang
	@$(MAKE) --no-print-directory test PRESET=clang

test-asan:
	@$(MAKE) --no-print-directory test PRESET=asan

# Where a kernel makes addresses too random, the thread sanitizer does not start.
test-tsan:
	@$(shell setarch -R true 2>/dev/null && echo setarch -R) $(MAKE) --no-print-directory test PRESET=tsan

# The figures of the pages against docs/background/studies; with DATA=FOLDER every study is run again first, which takes hours.
check-claims:
	python3 scripts/check_claims.py $(if $(DATA),--remake $(DATA) --program build/$(PRESET)/markeval $(if $(ONLY),--only $(ONLY)))

# Memory that nobody wrote: Valgrind over the folders that meet foreign bytes and those that make vectors of them.
test-valgrind:
	@scripts/test-valgrind.sh

# Every target of tests/fuzz for so many seconds, on its corpus; findings stay in build/fuzz/findings.
SECONDS ?= 60
fuzz:
	@scripts/fuzz.sh $(SECONDS)

# The n-th call of the system fails, for all n (of malloc 2,000, spread evenly); and a power cut at every n.
FAULTS = python3 tests/faults/run.py --program build/release/markeval --library build/release/tests/faults/libfaults.so
faults: build
	$(FAULTS) --most 2000
	$(FAULTS) --cut

# All that `make test` leaves out, for hours: figures of the last run are in docs/background/security.md.
check-all: test test-python test-clusters test-openapi test-clang test-asan test-tsan test-valgrind test-cross faults
	@$(MAKE) --no-print-directory fuzz SECONDS=600
	scripts/soak-cache.sh

# The other architecture: cross compiler from Debian, tests run by qemu-user.
test-cross:
	@scripts/test-cross.sh

# Each program of bench/kernels verifies, then times itself and the public library of the architecture by turns.
# The peers' threads spin long after a product is done and would sit on the core our second thread needs: they are told to sleep.
BENCH_PEER = $(if $(filter x86_64,$(shell uname -m)),libdnnl-dev,libopenblas-dev)
bench:
	@scripts/install-packages.sh --with libbenchmark-dev $(BENCH_PEER)
	@$(MAKE) --no-print-directory build PRESET=bench
	OPENBLAS_THREAD_TIMEOUT=4 OMP_WAIT_POLICY=passive build/bench/bench/kernels/bench_gemm
	build/bench/bench/kernels/bench_pairs

# Trial kernels for CUDA in build/cuda; bench/cuda/README.md says how to run them on a card.
bench-cuda: build/release/build.ninja
	cmake --build build/release -j $(JOBS) --target markeval_compute markeval_encoder
	sh bench/cuda/build.sh build/cuda

# Documentation and releases.
.PHONY: site picture dist packages wheel

# The documentation as a site with search, in build/site; pip fetches mkdocs-material. `scripts/site.sh serve` shows it.
site:
	@scripts/site.sh

# The picture of README.md, anew: needs chromium and the default model.
picture:
	python3 scripts/make_picture.py

# .deb, relocatable archive and wheel in dist/ (docs/how-to/install.md).
packages: install-packages
	@scripts/make-packages.sh

# The same, each tried in a bare root of this Debian; needs root and mmdebstrap.
wheel: packages
	@scripts/install-packages.sh --with mmdebstrap openssl
	@. /etc/os-release && scripts/make-packages.sh --try "$$VERSION_CODENAME"

# The files of a release in dist/: source archive, packages, SBOM, checksums. scripts/release.sh tags one.
dist:
	@scripts/release.sh --files

format:
	@git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

clean:
	rm -rf build
