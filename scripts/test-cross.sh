#!/usr/bin/env bash
# Builds and tests for the other architecture (x86-64 on aarch64 and the reverse): cross compiler and libraries from
# Debian, programs run by qemu-user, which has AVX2 on one side and bf16 and i8mm on the other.
# Arguments go to ctest: scripts/test-cross.sh -L contract
# SANITIZE=address or SANITIZE=thread builds with that sanitizer. Leaks are not looked for: qemu does not let a program trace
# itself. Tried from x86-64 only.
set -euo pipefail
cd "$(dirname "$0")/.."
case $(uname -m) in
  aarch64) other=x86_64 ;;
  x86_64) other=aarch64 ;;
  *) echo "test-cross knows x86_64 and aarch64, this is $(uname -m)" >&2; exit 1 ;;
esac

folder=build/cross-$other settings=() packages=()
if [ -n "${SANITIZE:-}" ]; then
  packages=(libasan8 libubsan1 libtsan2)
  folder+=-$SANITIZE settings=(-DCMAKE_BUILD_TYPE=RelWithDebInfo -DMARKEVAL_SANITIZE="$SANITIZE")
  export ASAN_OPTIONS=detect_leaks=0 TSAN_OPTIONS="suppressions=$PWD/tests/support/tsan.supp die_after_fork=0"
fi
scripts/install-cross.sh "$other" "${packages[@]}"

jobs=${JOBS:-$(nproc)}
cmake --preset "cross-$other" -B "$folder" "${settings[@]}" >/dev/null
cmake --build "$folder" -j "$jobs"
ctest --test-dir "$folder" --output-on-failure -j "$jobs" "$@"
