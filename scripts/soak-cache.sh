#!/usr/bin/env bash
# The cache under longer trial than `make test` gives it: processes killed for SECONDS, a thousand kinds of damage.
#   scripts/soak-cache.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
MARKEVAL_SOAK_SECONDS="${1:-300}" build/release/tests/embed/test_cache --gtest_filter='CacheProcesses.Never*:DamagedCache.DamageAnywhere*'
