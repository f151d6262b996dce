// Where the texts of a batch stand among the rows of its matrices: one row per word, texts one after the
// other, no padding. Used by every layer that looks along a text.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace markeval::trained {

/// What a forward pass is for.
enum class Pass {
  training,  ///< backward() comes next: a layer keeps what that needs
  scoring,   ///< nothing is kept
};

class TextSpans {
 public:
  TextSpans() = default;
  explicit TextSpans(std::span<const std::size_t> lengths)
      : length_(lengths.begin(), lengths.end()), by_length_(lengths.size()) {
    for (const std::size_t length : lengths) {
      begin_.push_back(rows_);
      rows_ += length;
    }
    std::iota(by_length_.begin(), by_length_.end(), std::size_t{0});
    std::ranges::stable_sort(by_length_,
                             [&](std::size_t a, std::size_t b) { return length_[a] > length_[b]; });
  }

  std::size_t count() const { return length_.size(); }
  std::size_t rows() const { return rows_; }
  std::size_t begin(std::size_t sequence) const { return begin_[sequence]; }
  std::size_t length(std::size_t sequence) const { return length_[sequence]; }
  /// All sequences, the longest first.
  std::span<const std::size_t> by_length() const { return by_length_; }

 private:
  std::vector<std::size_t> length_;
  std::vector<std::size_t> begin_;
  std::vector<std::size_t> by_length_;
  std::size_t rows_ = 0;
};

}  // namespace markeval::trained
