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
left_out+=':Elementary.*:CacheLimits.*:CacheStress*:*Kill*:Npy.DamagedBytes*:*Trainer.*:*EveryCheckpoint*'
# A report without one name in it is of the machine code that PCRE2 makes of a pattern: it reads whole blocks of 16 bytes and
# then looks at those of the text. GoogleTest prints the bytes of parameters, with those between their members.
count='function close_report() { if (named > 0 && !of_test) reports++; named = of_test = 0 }
  / +(at|by) 0x/ { if ($0 !~ /\?\?\?$/) named++; if ($0 ~ /PrintBytesInObjectTo/) of_test = 1; next } { close_report() } END { close_report(); print reports + 0 }'
status=0
mkdir -p build/valgrind
for folder in "${folders[@]}"; do
  log=build/valgrind/$folder
  result='no report'
  valgrind --quiet --trace-children=no --log-file="$log" \
    build/release/tests/"$folder"/test_"$folder" --gtest_brief=1 --gtest_filter="-$left_out" >"$log.out" 2>&1 || {
    result="a test failed, see $log.out"; status=1; }
  reports=$(awk "$count" "$log")
  [ "$reports" -eq 0 ] || { result="$reports reports, see $log"; status=1; }
  printf '%-10s %6s tests  %s\n' "$folder" "$(sed -n 's/^\[==========\] \([0-9]*\) tests\{0,1\} from.*ran.*/\1/p' "$log.out")" "$result"
done
exit "$status"
