// The full table of weights and run lengths, and the way back through it.
#include "lexical/weighted_subsequence.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/cancellation.hpp"
#include "base/elementary.hpp"
#include "lexical/common_subsequence.hpp"

namespace markeval::lexical {

void mark_weighted_subsequence(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other,
                               double weight, std::span<std::uint8_t> hit) {
  const std::size_t width = table_width(reference, other);
  std::vector<double> power(std::min(reference.size(), other.size()) + 2);
  for (std::size_t k = 0; k < power.size(); ++k) power[k] = elementary::pow(static_cast<double>(k), weight);
  enum Move : std::uint8_t { diagonal, up, left };
  std::vector<Move> moves((reference.size() + 1) * width, up);
  std::vector<double> above(width, 0), row(width, 0);
  std::vector<std::uint32_t> run_above(width, 0), run(width, 0);  // consecutive matches that end in this cell
  for (std::size_t i = 1; i <= reference.size(); ++i) {
    check_cancelled();
    for (std::size_t j = 1; j < width; ++j) {
      Move& move = moves[i * width + j];
      run[j] = 0;
      if (reference[i - 1] == other[j - 1]) {
        const std::uint32_t k = run_above[j - 1];
        row[j] = above[j - 1] + power[k + 1] - power[k];
        run[j] = k + 1;
        move = diagonal;
      } else if (above[j] >= row[j - 1]) {
        row[j] = above[j];
        move = up;
      } else {
        row[j] = row[j - 1];
        move = left;
      }
    }
    above.swap(row);
    run_above.swap(run);
  }
  std::size_t i = reference.size(), j = other.size();
  while (i > 0 && j > 0) {
    switch (moves[i * width + j]) {
      case diagonal:
        --i;
        --j;
        hit[i] = 1;
        break;
      case up:
        --i;
        break;
      case left:
        --j;
        break;
    }
  }
}

}  // namespace markeval::lexical
