#!/usr/bin/env bash
# Runs test programs under Valgrind's memcheck, which notes every use of memory that nobody wrote. Valgrind knows no
# AVX-512: the program finds AVX2 there and takes it. Tests that wait, fork or measure time are left out. Prints how many
# tests each program ran, and ends with 1 where there was a report.
#   scripts/test-valgrind.sh [FOLDER...]      folders of tests (base text token vectors cache encoder models embed trained)
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/install-packages.sh --with valgrind
folders=("$@")
[ $# -gt 0 ] || folders=(base text token vectors cache encoder models embed trained)
cmake --preset release >/dev/null
cmake --build build/release -j "${JOBS:-$(nproc)}" --target "${folders[@]/#/test_}"
# Left out: tests of threads that must be fast, of killed processes, of limits on memory, of a million pieces, of the web.
left_out='Cancellation.Ends*:*Killed*:*Memory*:*FullDisk*:ThreadPool.*:UsableCores.*:*StandStill*:*Gzip*Larger*:TextPattern.HasTheLetters*:NormalForms.ComposeEvery*'
left_out+=':*LongTexts:*Endless*:BadTokenizer.DamagedFiles*:BadTokenizer.AddedTokensOfBlanks*:TorchFile.*Again*:TorchFile.APickle*:*Web*:*Hub*:Pull*'
left_out+=':Elementary.*:CacheLimits.*:*Trainer.*:*EveryCheckpoint*'
status=0
mkdir -p build/valgrind
for folder in "${folders[@]}"; do
  log=build/valgrind/$folder
  if valgrind --quiet --error-exitcode=9 --trace-children=no --log-file="$log" \
      build/release/tests/"$folder"/test_"$folder" --gtest_brief=1 --gtest_filter="-$left_out" >"$log.out" 2>&1; then
    result='no report'
  elif [ -s "$log" ]; then
    result="A REPORT, see $log"; status=1
  else
    result="a test failed, see $log.out"; status=1
  fi
  printf '%-10s %6s tests  %s\n' "$folder" "$(sed -n 's/^\[==========\] \([0-9]*\) tests\{0,1\} from.*ran.*/\1/p' "$log.out")" "$result"
done
exit "$status"
