#!/usr/bin/env bash
# Builds src/compute, the parts of src/base it needs and standalone_check.cpp with a plain compiler and no other library,
# for a machine that has nothing else, and runs it:
#   bench/kernels/standalone.sh [argument of standalone_check ...]
# CXX (g++), OUT (build/standalone), RUN (a command to run the program with, such as an emulator), JOBS.
# Sources and flags are those of src/compute/CMakeLists.txt and cmake/isa.cmake.
set -euo pipefail
cd "$(dirname "$0")/../.."
CXX=${CXX:-g++}
OUT=${OUT:-build/standalone}
JOBS=${JOBS:-$(nproc)}
mkdir -p "$OUT"
common="-std=c++20 -O3 -DNDEBUG -ffp-contract=off -Wall -Wextra -Wno-maybe-uninitialized -Wno-uninitialized -Isrc -Itests -pthread"
case $($CXX -dumpmachine) in
  x86_64*) isas=" portable avx2 avx512 avx512_vnni avx512_bf16 amx " ;;
  aarch64*) isas=" portable neon neon_dotprod neon_i8mm " ;;
  *) isas=" portable " ;;
esac
# `set(MARKEVAL_FLAGS_avx512 ${MARKEVAL_FLAGS_avx2} -mavx512f)` becomes a shell variable of the same name.
eval "$(sed -nE 's/^set\((MARKEVAL_FLAGS_[a-z0-9_]+) (.*)\)$/\1="\2"/p' cmake/isa.cmake | sed 's/=""""*/=""/')"

commands=()
objects=()
compile() {  # source, object, flags
  commands+=("$CXX $common $3 -c $1 -o $OUT/$2")
  objects+=("$OUT/$2")
}
for source in base/aligned_buffer base/cpu_features base/error base/parallel base/random base/suggestion \
              $(sed -n '/markeval_module/,/MODULES/p' src/compute/CMakeLists.txt | grep -oE '[a-z_0-9]+/[a-z_0-9]+\.cpp' | sed 's|^|compute/|; s|\.cpp$||'); do
  compile "src/$source.cpp" "${source//\//_}.o" ""
done
while read -r line; do
  for source in $(sed -E 's/.*SOURCES (.*) ISAS.*/\1/' <<<"$line"); do
    for isa in $(sed -E 's/.*ISAS (.*)\)/\1/' <<<"$line"); do
      [[ $isas == *" $isa "* ]] || continue
      flags=MARKEVAL_FLAGS_$isa
      compile "src/compute/$source" "$(basename "$source" .cpp)_$isa.o" "-DMARKEVAL_KERNEL_ISA=$isa ${!flags}"
    done
  done
done < <(grep -E '^markeval_isa_objects' src/compute/CMakeLists.txt)
compile bench/kernels/standalone_check.cpp standalone_check.o ""
printf '%s\n' "${commands[@]}" | xargs -P "$JOBS" -I{} sh -c '{}'
$CXX -pthread ${LINK:-} "${objects[@]}" -o "$OUT/standalone_check"
${RUN:-} "$OUT/standalone_check" "$@"
