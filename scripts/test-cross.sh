#!/usr/bin/env bash
# Builds and tests for the other architecture (x86-64 on aarch64 and the reverse): cross compiler and libraries from
# Debian, programs run by qemu-user, which has AVX2 on one side and bf16 and i8mm on the other.
# Arguments go to ctest: scripts/test-cross.sh -L contract
# SANITIZE=address or SANITIZE=thread builds with that sanitizer. Leaks are not looked for: qemu does not let a program trace
# itself. Tried from x86-64 only.
set -euo pipefail
cd "$(dirname "$0")/.."
case $(uname -m) in
  aarch64) other=x86_64 debian=amd64 compiler=g++-x86-64-linux-gnu ;;
  x86_64) other=aarch64 debian=arm64 compiler=g++-aarch64-linux-gnu ;;
  *) echo "test-cross knows x86_64 and aarch64, this is $(uname -m)" >&2; exit 1 ;;
esac

# Of the packages the build needs: libraries that differ between architectures, in the other one's flavour.
packages=("$compiler" qemu-user "libc6:$debian" "libstdc++6:$debian")
for package in $(scripts/install-packages.sh --list | grep -E '^(lib|zlib).*-dev$'); do
  # The whole output first: with pipefail a grep that leaves early would look like a package that is not there.
  description=$(apt-cache show "$package" 2>/dev/null || true)
  if grep -qx 'Architecture: all' <<< "$description"; then continue; fi
  packages+=("$package:$debian")
done
if ! dpkg --print-foreign-architectures | grep -qx "$debian"; then
  if [ "$(id -u)" -eq 0 ]; then
    dpkg --add-architecture "$debian"
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    sudo -n dpkg --add-architecture "$debian"
  else
    echo "test-cross needs packages of $debian, and you are not root. Ask for:" >&2
    echo "  dpkg --add-architecture $debian && apt-get update && apt-get install ${packages[*]}" >&2
    exit 1
  fi
fi
folder=build/cross-$other settings=()
if [ -n "${SANITIZE:-}" ]; then
  packages+=("libasan8:$debian" "libubsan1:$debian" "libtsan2:$debian")
  folder+=-$SANITIZE settings=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DMARKEVAL_SANITIZE="$SANITIZE")
  export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS="suppressions=$PWD/tests/support/tsan.supp die_after_fork=0"
fi
scripts/install-packages.sh --with "${packages[@]}"

jobs=${JOBS:-$(nproc)}
cmake --preset "cross-$other" -B "$folder" "${settings[@]}" >/dev/null
cmake --build "$folder" -j "$jobs"
ctest --test-dir "$folder" --output-on-failure -j "$jobs" "$@"
