#!/usr/bin/env bash
# Runs test programs under Valgrind's memcheck, which notes every use of memory that nobody wrote. Valgrind knows no
# AVX-512: the program finds AVX2 there and takes it. Tests that wait, fork or measure time are left out. Prints how many
# tests each program ran, and ends with 1 where there was a report. A run that was stopped goes on where it was: parts of a
# program that were clean are not run again until the program is another one.
#   scripts/test-valgrind.sh [FOLDER...]      folders of tests (all that have a test program)
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-packages.sh --with valgrind
cmake --preset release >/dev/null
folders=("$@")
[ $# -gt 0 ] || mapfile -t folders < <(sed -n 's/^markeval_test(\([a-z]*\).*/\1/p' tests/*/CMakeLists.txt)
cmake --build build/release -j "${JOBS:-$(nproc)}" --target "${folders[@]/#/test_}"
# Left out: tests of threads that must be fast, of killed processes, of limits on memory, of a million pieces, of the web.
left_out='Cancellation.Ends*:*Killed*:*Memory*:*FullDisk*:ThreadPool.*:UsableCores.*:*StandStill*:*Gzip*Larger*:TextPattern.HasTheLetters*:NormalForms.ComposeEvery*'
left_out+=':*LongTexts:*Endless*:BadTokenizer.DamagedFiles*:BadTokenizer.AddedTokensOfBlanks*:TorchFile.*Again*:TorchFile.APickle*:*Web*:*Hub*:Pull*'
left_out+=':Elementary.*:CacheLimits.*:CacheStress*:*Kill*:Npy.DamagedBytes*:*Trainer.*:*EveryCheckpoint*'
# A report without one name in it is of the machine code that PCRE2 makes of a pattern: it reads whole blocks of 16 bytes and
# then looks at those of the text. GoogleTest prints the bytes of parameters, with those between their members.
count='function close_report() { if (named > 0 && !of_test) reports++; named = of_test = 0 }
  / +(at|by) 0x/ { if ($0 !~ /\?\?\?$/) named++; if ($0 ~ /PrintBytesInObjectTo/) of_test = 1; next } { close_report() } END { close_report(); print reports + 0 }'
tests_in_a_part=25
status=0
for folder in "${folders[@]}"; do
  program=build/release/tests/$folder/test_$folder
  place=build/valgrind/$folder-$(sha256sum "$program" | head -c 12)
  mkdir -p "$place"
  tests=$("$program" --gtest_list_tests --gtest_filter="-$left_out" | grep -c '^  ')
  parts=$(( (tests + tests_in_a_part - 1) / tests_in_a_part ))
  result='no report'
  for ((part = 0; part < parts; part++)); do
    log=$place/$part
    [ ! -e "$log.clean" ] || continue
    GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part valgrind --quiet --trace-children=no --log-file="$log" \
      "$program" --gtest_brief=1 --gtest_filter="-$left_out" >"$log.out" 2>&1 || {
      result="a test failed, see $log.out"; status=1; continue; }
    reports=$(awk "$count" "$log")
    if [ "$reports" -eq 0 ]; then touch "$log.clean"; else result="$reports reports, see $log"; status=1; fi
  done
  printf '%-10s %6s tests  %s\n' "$folder" "$tests" "$result"
done
exit "$status"
