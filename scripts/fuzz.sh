#!/usr/bin/env bash
# Fuzzes every target of tests/fuzz for SECONDS, as many at once as there are cores, and prints how many inputs each one
# took. Inputs that led somewhere new are kept in build/fuzz/corpus; one that found a fault is kept in build/fuzz/findings,
# and the script ends with 1.
#   scripts/fuzz.sh SECONDS [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS [TARGET...]}
shift
scripts/install-packages.sh --with clang libclang-rt-dev
cmake --preset fuzz >/dev/null
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(ls tests/fuzz/corpus)  # every target has its corpus
cmake --build build/fuzz -j "${JOBS:-$(nproc)}" --target "${targets[@]/#/fuzz_}"
mkdir -p build/fuzz/findings build/fuzz/logs
fuzz_one() {
  local target=$1 seconds=$2 kept=build/fuzz/corpus/$1
  mkdir -p "$kept"
  local status=0
  build/fuzz/tests/fuzz/fuzz_"$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix=build/fuzz/findings/"$target"- "$kept" tests/fuzz/corpus/"$target" >build/fuzz/logs/"$target" 2>&1 || status=$?
  local runs
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' build/fuzz/logs/"$target")
  printf '%-18s %12s inputs%s\n' "$target" "${runs:-?}" "$([ "$status" -eq 0 ] || echo "  FOUND SOMETHING, see build/fuzz/logs/$target")"
  return "$status"
}
export -f fuzz_one
printf '%s\n' "${targets[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c "fuzz_one {} $seconds"
