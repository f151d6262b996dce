#!/usr/bin/env bash
# Beyond `make test`, in an hour with it: the address and undefined-behaviour sanitizers over the folders that meet foreign
# bytes, with some seconds of their fuzz targets; the thread sanitizer over those with threads; screens of a terminal; the
# Python module.
# The rest is `make check-all`.
#   scripts/ci-more.sh [SECONDS]      of each fuzz target (10)
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
jobs=${JOBS:-$(nproc)}
step() { printf '\n== %s (%s s so far)\n' "$1" "$SECONDS"; }

step 'foreign bytes, with the address and undefined-behaviour sanitizers'
scripts/install-packages.sh --with clang libclang-rt-dev
cmake --preset fuzz >/dev/null
folders=(base text token vectors cache encoder models)
cmake --build build/fuzz -j "$jobs" --target "${folders[@]/#/test_}"
for folder in "${folders[@]}"; do build/fuzz/tests/"$folder"/test_"$folder" --gtest_brief=1; done

step 'fuzzing'
scripts/fuzz.sh "$seconds"

step 'threads, with the thread sanitizer'
cmake --preset tsan >/dev/null
folders=(base cache compute embed)
cmake --build build/tsan -j "$jobs" --target "${folders[@]/#/test_}"
fixed_addresses=()  # where a kernel makes addresses too random, the thread sanitizer does not start
if setarch -R true 2>/dev/null; then fixed_addresses=(setarch -R); fi
"${fixed_addresses[@]}" ctest --preset tsan -j "$jobs" -R "^($(IFS='|'; echo "${folders[*]}"))\\."

step 'screens of a terminal'
[ -x build/pty/bin/python ] || python3 -m venv build/pty
build/pty/bin/python -c 'import pyte' 2>/dev/null || build/pty/bin/pip install --quiet pyte
build/pty/bin/python tests/pty/screens_test.py --program build/release/markeval --root .

step 'the Python module'
make --no-print-directory test-python
step 'done'
