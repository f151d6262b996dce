#!/bin/sh
# Builds the trial kernels into the folder $1, some at a time; needs nvcc 12.8 or newer and g++, and for the
# programs card_* the project built in build/release (targets markeval_compute and markeval_encoder). Run from
# the root of the project.
command -v nvcc > /dev/null || { echo "nvcc is not on the PATH; the CUDA toolkit, 12.8 or newer, has it" >&2; exit 1; }
out=${1:-build/cuda}
mkdir -p "$out"
flags="-std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a -Ibench/cuda -Isrc"
for part in memory work; do  # the CPU's bits: only what is written so is fused
  nvcc $flags -fmad=false -c bench/cuda/card_$part.cu -o "$out/card_$part.o" &
done
for kernel in direct_kernels approximate_kernel; do
  g++ -std=c++20 -O2 -ffp-contract=off -DMARKEVAL_KERNEL_ISA=portable -Isrc -c src/geometry/$kernel.cpp -o "$out/$kernel.o"
done
for program in set_geometry set_clouds; do
  nvcc $flags bench/cuda/$program.cu "$out/direct_kernels.o" "$out/approximate_kernel.o" -o "$out/$program" &
done
nvcc $flags -fmad=false bench/cuda/greedy_match.cu -o "$out/greedy_match" &
for program in encoder_bf16 mma_sync_rate; do
  nvcc $flags bench/cuda/$program.cu -o "$out/$program" &
done
wait
build=build/release/src
[ -f $build/encoder/libmarkeval_encoder.a ] || exit 0
libraries="$out/card_work.o $out/card_memory.o $build/encoder/libmarkeval_encoder.a $build/compute/libmarkeval_compute.a
  $build/base/libmarkeval_base.a -lfmt -lcrypto -lz -lpthread
  $(dirname "$(command -v nvcc)")/../lib64/libcudart_static.a -ldl -lrt"
for program in card_operations card_models card_steps; do
  g++ -std=c++20 -O2 -Isrc -Ibench/cuda bench/cuda/$program.cpp $libraries -o "$out/$program"
done
g++ -std=c++20 -O1 -Ibench/cuda -Isrc -Itests tests/contract/multiply_test.cpp tests/contract/transfer_test.cpp \
  tests/contract/transformer_test.cpp tests/contract/same_bits_test.cpp $libraries -lgtest_main -lgtest \
  -o "$out/card_contract"
g++ -std=c++20 -O2 -mfma -ffp-contract=off -Isrc -Ibench/cuda bench/cuda/encoder_math_test.cpp \
  $build/compute/libmarkeval_compute.a $build/base/libmarkeval_base.a -lfmt -lcrypto -lz -lpthread \
  -o "$out/encoder_math_test"
