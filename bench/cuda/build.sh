#!/bin/sh
# Builds the trial kernels into the folder $1, some at a time; needs nvcc 12.8 or newer and g++, and for
# layer_reference the project built in build/release (target markeval_compute). Run from the root of the
# project.
out=${1:-build/cuda}
mkdir -p "$out"
flags="-std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a -Ibench/cuda -Isrc"
for kernel in direct_kernels approximate_kernel; do
  g++ -std=c++20 -O2 -ffp-contract=off -DMARKEVAL_KERNEL_ISA=portable -Isrc -c src/geometry/$kernel.cpp -o "$out/$kernel.o"
done
for program in set_geometry set_clouds; do
  nvcc $flags bench/cuda/$program.cu "$out/direct_kernels.o" "$out/approximate_kernel.o" -o "$out/$program" &
done
for program in encoder_f32 encoder_layer greedy_match; do  # the CPU's bits: nothing fused but what is written so
  nvcc $flags -fmad=false bench/cuda/$program.cu -o "$out/$program" &
done
for program in encoder_bf16 mma_sync_rate; do
  nvcc $flags bench/cuda/$program.cu -o "$out/$program" &
done
wait
compute=build/release/src/compute/libmarkeval_compute.a
[ -f $compute ] || exit 0
g++ -std=c++20 -O2 -Isrc -Ibench/cuda bench/cuda/layer_reference.cpp $compute \
  build/release/src/base/libmarkeval_base.a -lfmt -lcrypto -lpthread -o "$out/layer_reference"
"$out/layer_reference" "$out/layer.bin"
