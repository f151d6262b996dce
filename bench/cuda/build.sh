#!/bin/sh
# Builds the trial kernels into the folder $1; needs nvcc 12.8 or newer, g++ and the project built in build/release
# (target markeval_compute). Run from the root of the project.
set -e
out=${1:-build/cuda}
mkdir -p "$out"
flags="-std=c++20 -O3 -gencode=arch=compute_90a,code=sm_90a -Ibench/cuda -Isrc"
for kernel in direct_kernels approximate_kernel; do
  g++ -std=c++20 -O2 -ffp-contract=off -DMARKEVAL_KERNEL_ISA=portable -Isrc -c src/geometry/$kernel.cpp -o "$out/$kernel.o"
done
nvcc $flags bench/cuda/set_geometry.cu "$out/direct_kernels.o" "$out/approximate_kernel.o" -o "$out/set_geometry"
nvcc $flags -fmad=false bench/cuda/encoder_layer.cu -o "$out/encoder_layer"
nvcc $flags bench/cuda/bf16_products.cu -o "$out/bf16_products"
nvcc $flags bench/cuda/mma_sync_rate.cu -o "$out/mma_sync_rate"
g++ -std=c++20 -O2 -Isrc -Ibench/cuda bench/cuda/layer_reference.cpp build/release/src/compute/libmarkeval_compute.a \
  build/release/src/base/libmarkeval_base.a -lfmt -lcrypto -lpthread -o "$out/layer_reference"
"$out/layer_reference" "$out/layer.bin"
