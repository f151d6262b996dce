// Vectors of texts that another process has made, under the keys of the cache: all a vector depends on is in
// its key, so a carried vector is the one this process would have made. They travel as records of the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/matrix_view.hpp"
#include "base/packing.hpp"
#include "cache/record.hpp"
#include "cache/vector_cache.hpp"

namespace markeval::embed {

/// Written by the process that encodes.
class VectorsToCarry {
 public:
  void add(const cache::Key& key, MatrixView<const float> rows, std::uint64_t note);
  std::string take() { return packer_.take(); }

 private:
  Packer packer_;
};

/// Read by the one that scores.
class CarriedVectors {
 public:
  /// Adds what VectorsToCarry::take() gave. The bytes must outlive it. Throws Error(invalid_input) for
  /// damaged ones.
  void add(std::string_view packed);
  /// As cache::VectorCache::read(), but throws Error(invalid_input) for a damaged record.
  void read(std::span<const cache::Key> keys, cache::VectorCache::Accept accept) const;

 private:
  struct Hash {
    std::size_t operator()(const cache::Key& key) const { return static_cast<std::size_t>(key.high); }
  };
  std::unordered_map<cache::Key, std::span<const std::byte>, Hash> records_;
};

}  // namespace markeval::embed
