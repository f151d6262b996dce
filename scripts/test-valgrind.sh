#!/usr/bin/env bash
# Runs the test programs under Valgrind's memcheck, which notes every use of memory that nobody wrote. Valgrind has no
# AVX-512: the program finds AVX2 there and takes it. Prints how many tests each program ran, and ends with 1 where there was
# a report. A run that was stopped goes on where it was: parts of a program that were clean are not run again until the
# program is another one.
#   scripts/test-valgrind.sh [FOLDER...]      folders of tests (all that have a test program)
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-packages.sh --with valgrind
cmake --preset release >/dev/null
folders=("$@")
[ $# -gt 0 ] || mapfile -t folders < <(sed -n 's/^markeval_test(\([a-z]*\).*/\1/p' tests/*/CMakeLists.txt)
cmake --build build/release -j "${JOBS:-$(nproc)}" --target "${folders[@]/#/test_}"
left_out=(
  '*Killed*' '*Kill*' '*StandStill*' '*FullDisk*'                    # processes that are killed, at a moment or at a limit
  '*Memory*' 'JsonValues.*' '*Gzip*Larger*' '*Endless*' 'TorchFile.APickle*'  # limits on memory; an allocator of the test's own
  'Cancellation.Ends*' 'ThreadPool.*' 'UsableCores.*'      # threads and waits that must be fast
  '*Web*' '*Hub*' 'Pull*'                                            # a server of the test's own that answers by the clock
  'TextPattern.HasTheLetters*' 'NormalForms.ComposeEvery*' 'Elementary.*' '*LongTexts'  # a million of one thing: hours
  'BadTokenizer.DamagedFiles*' 'BadTokenizer.AddedTokensOfBlanks*' 'TorchFile.*Again*' 'Npy.DamagedBytes*'
  'CacheLimits.*' 'CacheStress*' '*Trainer.*' '*EveryCheckpoint*'
)
export filter="-$(IFS=:; echo "${left_out[*]}")"
tests_in_a_part=10
run_part() {  # PROGRAM FOLDER PARTS PART
  local log=$2/$4
  [ ! -e "$log.clean" ] || return 0
  rm -f "$log".*
  GTEST_TOTAL_SHARDS=$3 GTEST_SHARD_INDEX=$4 timeout "${PART_SECONDS:-3600}" valgrind --quiet --trace-children=no --log-file="$log.log" \
    "$1" --gtest_brief=1 --gtest_filter="$filter" >"$log.out" 2>&1 || { touch "$log.failed"; return 0; }
  # A report without one name in it is of the machine code that PCRE2 makes of a pattern: it reads whole blocks of 16 bytes
  # and then looks at those of the text. GoogleTest prints the bytes of parameters, with those between their members.
  local reports
  reports=$(awk 'function close_report() { if (named > 0 && !of_test) reports++; named = of_test = 0 }
    / +(at|by) 0x/ { if ($0 !~ /\?\?\?$/) named++; if ($0 ~ /PrintBytesInObjectTo/) of_test = 1; next } { close_report() } END { close_report(); print reports + 0 }' "$log.log")
  if [ "$reports" -eq 0 ]; then touch "$log.clean"; else touch "$log.reports"; fi
}
export -f run_part
parts_of() {  # FOLDER: the words of run_part for each of its parts
  local program=build/release/tests/$1/test_$1 place tests parts
  place=build/valgrind/$1-$(sha256sum "$program" | head -c 12)
  mkdir -p "$place"
  "$program" --gtest_list_tests --gtest_filter="$filter" | grep -c '^  ' >"$place/tests"
  parts=$((($(cat "$place/tests") + tests_in_a_part - 1) / tests_in_a_part))
  for ((part = 0; part < parts; part++)); do echo "$program $place $parts $part"; done
}
work=$(for folder in "${folders[@]}"; do parts_of "$folder"; done)
xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'run_part "$@"' _ <<<"$work"
status=0
while read -r place; do
  shopt -s nullglob
  clean=("$place"/*.clean) wrong=("$place"/*.failed "$place"/*.reports)
  result="no report"
  if [ ${#wrong[@]} -gt 0 ]; then result="a failed test or a report, see ${wrong[*]%.*}"; status=1; fi
  printf '%-24s %6s tests  %4s clean parts  %s\n' "$(basename "${place%-*}")" "$(cat "$place/tests")" "${#clean[@]}" "$result"
done < <(cut -d' ' -f2 <<<"$work" | uniq)
exit "$status"
