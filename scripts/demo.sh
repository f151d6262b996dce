#!/usr/bin/env bash
# Scores the example vectors: a good system and a poor one against the same reference.
set -euo pipefail
cd "$(dirname "$0")/.."
show() {
  echo "\$ markeval $*"
  build/release/markeval "$@"
  echo
}
show score -r examples/reference.npy -s examples/good.npy -s examples/poor.npy -m me -m impar -m prdc -m prd -m fid --report build/report.html
echo "good knows all that the reference knows; poor repeats a third of it and is off the mark."
echo "Its report, to open in a browser: build/report.html"
echo "Next: build/release/markeval score --help, and docs/cli.md"
