// Texts -> matrices through the cache: what is there is read, what is missing is encoded once and written,
// and everything comes out in the order it went in. Knows nothing of models: who encodes is a function it is
// given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "cache/vector_cache.hpp"
#include "embed/cache_context.hpp"

namespace markeval::embed {

/// What is told about a text besides its vectors, from the cache as well.
struct TextNote {
  std::uint32_t unknown = 0;  ///< tokens the vocabulary lacks
  std::uint32_t cut = 0;      ///< tokens beyond the length limit

  std::uint64_t packed() const { return (std::uint64_t{unknown} << 32) | cut; }
  static TextNote unpacked(std::uint64_t note) {
    return {static_cast<std::uint32_t>(note >> 32), static_cast<std::uint32_t>(note)};
  }
};

/// Text number `index` of those given, its rows and counts; the rows are valid during the call.
using RowsSink = FunctionRef<void(std::size_t index, MatrixView<const float> rows, const TextNote& counts)>;
/// Encodes all of `texts` and gives each of them to `sink` once, in any order.
using EncodeTexts = FunctionRef<void(std::span<const std::string_view> texts, RowsSink sink)>;

class CachedEncoding {
 public:
  /// `columns`: the width every row has; a cached entry of another width is encoded again.
  CachedEncoding(cache::VectorCache& cache, CacheContext context, std::size_t columns, ThreadPool& pool);

  /// One window of texts: `sink` gets them all, in order. Holds the matrices of the whole window, so its size
  /// bounds the memory. Texts that occur several times in it are encoded once.
  void run(std::span<const std::string_view> texts, EncodeTexts encode, RowsSink sink);

 private:
  struct Slot {
    std::vector<float> values;
    std::size_t rows = 0;
    TextNote counts;
    bool filled = false;
  };

  cache::VectorCache* cache_;
  CacheContext context_;
  std::size_t columns_;
  ThreadPool* pool_;
  std::vector<cache::Key> keys_;
  std::vector<Slot> slots_;  ///< kept from window to window, and with them their memory
};

}  // namespace markeval::embed
