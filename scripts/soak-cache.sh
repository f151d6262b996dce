#!/usr/bin/env bash
# The cache under longer trial than `make test` gives it: four processes that read and write, killed at random for
# SECONDS; then every byte of a file wrong in turn, and thousands of pages.
#   scripts/soak-cache.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
export MARKEVAL_SOAK_SECONDS="${1:-600}"
build/release/tests/cache/test_cache --gtest_filter='CacheProcesses.NeverRead*:DamagedCache.Any*'
