// The few Hopper instructions the trial kernels need, by name: barriers in shared memory, bulk copies and the
// products of a warpgroup (wgmma). PTX ISA 8.x, sections "mbarrier", "cp.async.bulk" and "wgmma".
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                \
  do {                                                                             \
    const cudaError_t status_ = (call);                                            \
    if (status_ != cudaSuccess) {                                                  \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_)); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)

namespace hopper {

__device__ __forceinline__ std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// Barriers.

__device__ __forceinline__ void init_barrier(std::uint64_t* barrier, std::uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals));
}
/// Makes fresh barriers visible to the copy engine and to the other block of a cluster.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void expect_bytes(std::uint64_t* barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(bytes)
               : "memory");
}
/// Waits for the end of the phase with this parity. A wait of seconds is a mistake: it ends the kernel with
/// an error instead of hanging the card.
__device__ __forceinline__ void wait_barrier(std::uint64_t* barrier, std::uint32_t parity) {
  for (unsigned tries = 0;; ++tries) {
    std::uint32_t done;
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
    if (done) return;
    if (tries > 1u << 22) __trap();
  }
}
__device__ __forceinline__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
/// On the same barrier of block `rank` of the cluster.
__device__ __forceinline__ void arrive_at(std::uint64_t* barrier, std::uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 remote;\nmapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
}
/// The address of the same shared memory in block `rank` of the cluster.
__device__ __forceinline__ std::uint32_t address_in(const void* pointer, std::uint32_t rank) {
  std::uint32_t address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(shared_address(pointer)), "r"(rank));
  return address;
}
__device__ __forceinline__ void store_in(const void* pointer, std::uint32_t rank, float2 value) {
  asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(address_in(pointer, rank)), "f"(value.x),
               "f"(value.y)
               : "memory");
}
/// Arrives in block `rank`; whoever waits there with wait_cluster_barrier finds what this thread has stored.
__device__ __forceinline__ void arrive_with_stores(std::uint64_t* barrier, std::uint32_t rank) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(address_in(barrier, rank))
               : "memory");
}
__device__ __forceinline__ void wait_cluster_barrier(std::uint64_t* barrier, std::uint32_t parity) {
  for (unsigned tries = 0;; ++tries) {
    std::uint32_t done;
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
    if (done) return;
    if (tries > 1u << 22) __trap();
  }
}
__device__ __forceinline__ std::uint32_t rank_in_cluster() {
  std::uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
__device__ __forceinline__ void sync_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

// Copies.

__device__ __forceinline__ void copy_box(void* to, const CUtensorMap* map, int column, int row,
                                         std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
      "[%4];" ::"r"(shared_address(to)),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory");
}
/// To the same place in every block of the cluster that `mask` names.
__device__ __forceinline__ void copy_box_to(void* to, const CUtensorMap* map, int column, int row,
                                            std::uint64_t* barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(to)),
      "l"(map), "r"(column), "r"(row), "r"(shared_address(barrier)), "h"(mask)
      : "memory");
}
/// A piece of memory as it is; sizes and addresses are multiples of 16.
__device__ __forceinline__ void copy_bytes(void* to, const void* from, std::uint32_t bytes,
                                           std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
          shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// 16 bytes by this thread's own copy, zeros where `wanted` is false; wait_copies waits for all of them.
__device__ __forceinline__ void copy_sixteen(void* to, const void* from, bool wanted) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(wanted ? 16 : 0)
               : "memory");
}
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// Products of a warpgroup.

/// Rows of 128 bytes in the copy engine's 128-byte swizzle, eight rows to a block of 1,024 bytes.
__device__ __forceinline__ std::uint64_t tile_descriptor(const void* tile) {
  return ((shared_address(tile) & 0x3ffff) >> 4) | (std::uint64_t{1} << 16) | (std::uint64_t{64} << 32) |
         (std::uint64_t{1} << 62);
}
__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kOpenGroups>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kOpenGroups) : "memory");
}
/// No use of the sums moves in front of this.
template <int kCount>
__device__ __forceinline__ void settle(int (&d)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+r"(d[i])::"memory");
}
template <int kCount>
__device__ __forceinline__ void settle(float (&d)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

#define HOPPER_R8(C, b) \
  C(d[b]), C(d[b + 1]), C(d[b + 2]), C(d[b + 3]), C(d[b + 4]), C(d[b + 5]), C(d[b + 6]), C(d[b + 7])
#define HOPPER_R32(C, b) HOPPER_R8(C, b), HOPPER_R8(C, b + 8), HOPPER_R8(C, b + 16), HOPPER_R8(C, b + 24)
#define HOPPER_R128(C) HOPPER_R32(C, 0), HOPPER_R32(C, 32), HOPPER_R32(C, 64), HOPPER_R32(C, 96)
#define HOPPER_R96(C) HOPPER_R32(C, 0), HOPPER_R32(C, 32), HOPPER_R32(C, 64)
#define HOPPER_INT(x) "+r"(x)
#define HOPPER_FLOAT(x) "+f"(x)
#define HOPPER_N96                                                                                           \
  "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%" \
  "28,%29,%30,%31,"                                                                                          \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57," \
  "%58,%59,%60,%61,%62,%63,"                                                                                 \
  "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,%89," \
  "%90,%91,%92,%93,%94,%95"
#define HOPPER_N128                                                                                    \
  HOPPER_N96                                                                                           \
  ",%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%" \
  "116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"

/// d (64 x 256) = a (64 x 32 int8) * transposed(b (256 x 32 int8)), plus d where `add` is not 0.
/// Thread t of the warpgroup has rows 16 (t / 32) + t % 32 / 4 (+ 8 for registers 2, 3 of each four) and
/// columns 8 (r / 4) + 2 (t % 4) + r % 2.
__device__ __forceinline__ void multiply_codes(int (&d)[128], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 " HOPPER_N128 "}, %128, %129, p;\n}"
      : HOPPER_R128(HOPPER_INT)
      : "l"(a), "l"(b), "r"(add));
}
/// d (64 x 192) = a (64 x 16 bf16) * transposed(b (192 x 16 bf16)), likewise.
__device__ __forceinline__ void multiply_bf16(float (&d)[96], std::uint64_t a, std::uint64_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %98, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16 " HOPPER_N96 "}, %96, %97, p, 1, 1, 0, 0;\n}"
      : HOPPER_R96(HOPPER_FLOAT)
      : "l"(a), "l"(b), "r"(add));
}

// On the host.

/// A matrix of rows without gaps, read in boxes of `box_columns` (128 bytes) x `box_rows`.
inline CUtensorMap tensor_map(void* data, CUtensorMapDataType type, int element_bytes, std::uint64_t columns,
                              std::uint64_t rows, int box_rows) {
  using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                              const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  static Encode encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult state;
    CHECK(
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &state));
    return reinterpret_cast<Encode>(found);
  }();
  CUtensorMap map;
  const cuuint64_t sizes[2] = {columns, rows};
  const cuuint64_t strides[1] = {columns * static_cast<std::uint64_t>(element_bytes)};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(128 / element_bytes), static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  const CUresult status = encode(&map, type, 2, data, sizes, strides, box, steps,
                                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    std::printf("tensor map: error %d\n", static_cast<int>(status));
    std::exit(1);
  }
  return map;
}

/// Milliseconds of the device between two points.
class Clock {
 public:
  Clock() {
    CHECK(cudaEventCreate(&begin_));
    CHECK(cudaEventCreate(&end_));
    CHECK(cudaEventRecord(begin_));
  }
  float stop() {
    CHECK(cudaEventRecord(end_));
    CHECK(cudaEventSynchronize(end_));
    CHECK(cudaGetLastError());
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin_, end_));
    return ms;
  }

 private:
  cudaEvent_t begin_, end_;
};

}  // namespace hopper
