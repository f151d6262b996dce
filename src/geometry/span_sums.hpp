// Sums over the rows of a set that do not depend on how the rows were shared out. Rows are added up one after
// the other inside spans of a fixed length; sums of spans are added as the leaves of a binary tree that hangs
// on the number of the span alone. So parts that are put together have the bits of the whole.
#pragma once

#include <cstddef>
#include <vector>

namespace markeval::geometry {

class SpanSums {
 public:
  static constexpr std::size_t kSpanRows = 8192;

  /// Begins with this span.
  explicit SpanSums(std::size_t first_span = 0) : next_(first_span) {}

  /// The sums of the next span.
  void append(std::vector<double> sums);
  /// A part that begins where this one ends.
  void append(SpanSums part);
  /// Sum of all spans; there must be one.
  std::vector<double> total() const;

 private:
  /// Spans [first, first + 2^level).
  struct Node {
    std::size_t first, level;
    std::vector<double> sums;
  };
  void push(Node node);

  std::size_t next_;
  std::vector<Node> nodes_;
};

}  // namespace markeval::geometry
