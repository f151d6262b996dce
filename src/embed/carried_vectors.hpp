// Vectors of texts that another process has made, under the keys of the cache: all a vector depends on is in
// its key, so a carried vector is the one this process would have made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/packing.hpp"
#include "cache/record.hpp"

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
  struct Carried {
    std::size_t rows = 0, columns = 0;
    const char* values = nullptr;  ///< floats, anywhere in memory
    std::uint64_t note = 0;
  };
  /// Adds what VectorsToCarry::take() gave. The bytes must outlive it. Throws Error(invalid_input) for
  /// damaged ones.
  void add(std::string_view packed);
  const Carried* find(const cache::Key& key) const;

 private:
  struct Hash {
    std::size_t operator()(const cache::Key& key) const { return static_cast<std::size_t>(key.high); }
  };
  std::unordered_map<cache::Key, Carried, Hash> rows_;
};

}  // namespace markeval::embed
