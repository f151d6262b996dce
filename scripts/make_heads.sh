#!/bin/bash
# Makes the heads of `match` that the program carries, to the byte:
#   scripts/make_heads.sh PROGRAM DATA [MODEL...]
# PROGRAM: markeval; DATA: a folder with wmt15/seglevel and wmt16/seglevel (columns lp, human, ref, hyp); models must be where
# markeval finds them ($MARKEVAL_MODELS). Writes heads/MODEL/match.safetensors and heads/learned_pairs.bin. All epochs are learned and the last one is kept.
# The recipe (epochs, learning rate, hidden units, layers) was chosen by training on WMT16 and looking at WMT15, nothing on WMT17.
set -eu
program=$(realpath "$1") data=$(realpath "$2")
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- all-MiniLM-L6-v2 bge-small-en-v1.5
for model in "$@"; do
  work=$(mktemp -d)
  "$program" train --arch match --model "$model" --seed 1 \
    --train "$data"/wmt15/seglevel/{cs,de,fi,ru}-en.tsv "$data"/wmt16/seglevel/{cs,de,fi,ro,ru,tr}-en.tsv \
    --ref ref --hyp hyp --gold human -o "$work/head"
  mkdir -p "$root/heads/$model"
  cp "$work/head/model.safetensors" "$root/heads/$model/match.safetensors"
  cp "$work/head/learned_pairs.bin" "$root/heads/learned_pairs.bin"  # the same for all: they learn from one set of pairs
  rm -r "$work"
  sha256sum "$root/heads/$model/match.safetensors"
done
