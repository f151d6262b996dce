// What stands behind the names of card.h: memory, streams, packed weights and sequences, and what every call
// does around its launches. One stream takes all work in the order of the calls; another brings results to
// the host as soon as what they are read from is written, while later work goes on.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "card.h"
#include "f32_types.cuh"
#include "hopper.cuh"

struct CardMemory {
  std::byte* data;
  cudaEvent_t written;  // behind the last work that writes here
};

struct CardWeights {
  CardMemory* panels;
  int inputs, outputs;
};

struct CardSequences {
  /// Chunks of sequences up to a length, which take the same shared memory.
  struct Class {
    int first, count, longest;
  };
  CardMemory* memory;  // starts, sequence of each row, chunks
  int count, rows;
  Class classes[4];
  const int* starts() const { return reinterpret_cast<const int*>(memory->data); }
  const int* sequence_of() const { return starts() + count + 1; }
  const f32::QueryChunk* chunks() const {
    return reinterpret_cast<const f32::QueryChunk*>(sequence_of() + rows);
  }
};

struct Card {
  /// Host memory the card reads by itself, so that an upload waits for nothing.
  struct Staging {
    void* memory;
    std::size_t bytes;
    cudaEvent_t read;
  };
  int device = 0;
  cudaStream_t work = nullptr, copies = nullptr;
  std::vector<Staging> staging;
  std::mutex mutex;
  std::string error;
};

namespace card_state {

constexpr std::size_t kStagedBytes = std::size_t{8} << 20;  // larger uploads wait
constexpr int kSharedBytes = 227 * 1024;                    // of a block

struct Failure {
  std::string message;
};
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) throw Failure{std::string(what) + ": " + cudaGetErrorString(status)};
}
[[noreturn]] inline void refuse(const char* message) {
  throw Failure{message};
}

/// Every call: one at a time, on the card's device; failures become sentences.
template <typename Body>
int call(Card* card, const Body& body) {
  const std::scoped_lock lock(card->mutex);
  try {
    check(cudaSetDevice(card->device), "the card");
    body();
    return 0;
  } catch (const Failure& failure) {
    card->error = failure.message;
    return 1;
  }
}

template <typename T>
T* pointer(CardMatrix matrix) {
  return matrix.memory == nullptr ? nullptr : reinterpret_cast<T*>(matrix.memory->data) + matrix.offset;
}
inline f32::Rows<const float> in_rows(CardMatrix matrix) {
  return {pointer<const float>(matrix), matrix.stride, static_cast<int>(matrix.rows),
          static_cast<int>(matrix.columns)};
}
inline f32::Rows<float> out_rows(CardMatrix matrix) {
  return {pointer<float>(matrix), matrix.stride, static_cast<int>(matrix.rows),
          static_cast<int>(matrix.columns)};
}
inline bool by_fours(CardMatrix matrix) {
  return matrix.memory == nullptr ||
         (matrix.stride % 4 == 0 && reinterpret_cast<std::uintptr_t>(pointer<float>(matrix)) % 16 == 0);
}
inline int divided_up(std::size_t count, std::size_t by) {
  return static_cast<int>((count + by - 1) / by);
}

inline CardMemory* allocate(Card* card, std::size_t bytes) {
  auto memory = std::make_unique<CardMemory>();
  check(
      cudaMallocAsync(reinterpret_cast<void**>(&memory->data), std::max<std::size_t>(bytes, 16), card->work),
      "memory of the card");
  check(cudaEventCreateWithFlags(&memory->written, cudaEventDisableTiming), "an event");
  return memory.release();
}
inline void release(Card* card, CardMemory* memory) {
  if (memory == nullptr) return;
  cudaFreeAsync(memory->data, card->work);
  cudaEventDestroy(memory->written);
  delete memory;
}
inline void note_written(Card* card, CardMemory* memory) {
  check(cudaGetLastError(), "a launch");
  check(cudaEventRecord(memory->written, card->work), "an event");
}

inline void* staged(Card* card, std::size_t bytes, cudaEvent_t& read) {
  for (const Card::Staging& staging : card->staging) {
    if (staging.bytes >= bytes && cudaEventQuery(staging.read) == cudaSuccess) {
      read = staging.read;
      return staging.memory;
    }
  }
  Card::Staging made{nullptr, std::max<std::size_t>(bytes, 1 << 20), nullptr};
  check(cudaMallocHost(&made.memory, made.bytes), "pinned memory");
  check(cudaEventCreateWithFlags(&made.read, cudaEventDisableTiming), "an event");
  card->staging.push_back(made);
  read = made.read;
  return made.memory;
}

inline void upload(Card* card, const void* from, std::size_t stride, std::byte* to, std::size_t to_stride,
                   std::size_t row_bytes, std::size_t rows) {
  if (row_bytes * rows <= kStagedBytes) {
    cudaEvent_t read = nullptr;
    auto* const host = static_cast<std::byte*>(staged(card, row_bytes * rows, read));
    for (std::size_t row = 0; row < rows; ++row)
      std::memcpy(host + row * row_bytes, static_cast<const std::byte*>(from) + row * stride, row_bytes);
    check(cudaMemcpy2DAsync(to, to_stride, host, row_bytes, row_bytes, rows, cudaMemcpyHostToDevice,
                            card->work),
          "an upload");
    check(cudaEventRecord(read, card->work), "an event");
    return;
  }
  check(cudaMemcpy2DAsync(to, to_stride, from, stride, row_bytes, rows, cudaMemcpyHostToDevice, card->work),
        "an upload");
  check(cudaStreamSynchronize(card->work), "an upload");
}

template <typename Kernel, typename... Arguments>
void launch(Card* card, Kernel kernel, dim3 blocks, int threads, int shared_bytes, Arguments... arguments) {
  if (shared_bytes > 48 * 1024)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          "a kernel");
  kernel<<<blocks, threads, shared_bytes, card->work>>>(arguments...);
}

}  // namespace card_state
