#!/usr/bin/env bash
# Remakes docs/background/studies: runs the studies on the data in DATA (docs/reference/data.md says what it holds) at the papers'
# sizes. NAME.txt has the command and all it printed, with signatures; NAME-TABLE.svg are its curves. The page
# docs/background/studies.md tells what they show. A file is written whole when its study is done, and vectors of set metrics come from
# the cache, so a run that was stopped (Ctrl-C) goes on where it was with --only-missing. Models are found by name (docs/how-to/models.md): all-MiniLM-L6-v2 and
# bge-small-en-v1.5.
#   scripts/studies.sh DATA                         all of them; hours
#   scripts/studies.sh DATA STUDY...                only these; the others keep what they show
#   scripts/studies.sh DATA --only-missing          those whose file is not there or was made by another command
#   scripts/studies.sh DATA --model NAME            all that need a model, scripts of bench/studies too (but for trainings), with this
#                                                   one: files in build/studies/NAME, the papers' rows
#                                                   beside yours in each. bert-base-uncased fills the column the papers have.
#                                                   `match` is left out where the program has no head for the model.
#   scripts/studies.sh ... --program FILE           another markeval than build/release/markeval
#   scripts/studies.sh --papers                     no study: the papers' rows of WMT17 and the marks' floor in the files
#                                                   as the program has them now; our figures stay
#   scripts/studies.sh --list [--model NAME]        the studies and their commands; with NAME also how long each took
# Each study's seconds are told, and with --model kept in times.tsv beside the files.
# Trainings take days and run only where named: trained, match (their tables are in docs/reference/metrics/trained.md).
set -euo pipefail
cd "$(dirname "$0")/.."
[ $# -ge 1 ] || { echo "usage: scripts/studies.sh DATA [--model NAME] [--only-missing] [--program FILE] [STUDY...]" >&2; exit 2; }
exec python3 scripts/studies.py "$@"
