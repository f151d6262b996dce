// The length by bit vectors, 64 words at a time; the words themselves by the full table.
#include "lexical/common_subsequence.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "lexical/word_table.hpp"

namespace markeval::lexical {

std::size_t SubsequenceLength::operator()(std::span<const std::uint32_t> reference,
                                          std::span<const std::uint32_t> other, std::size_t vocabulary) {
  if (positions_.size() < vocabulary) positions_.resize(vocabulary, 0);
  carry_.assign(other.size(), 0);
  std::size_t length = 0;
  for (std::size_t start = 0; start < reference.size(); start += 64) {
    check_cancelled();
    const auto block = reference.subspan(start, std::min<std::size_t>(64, reference.size() - start));
    for (std::size_t i = 0; i < block.size(); ++i) positions_[block[i]] |= std::uint64_t{1} << i;
    std::uint64_t rows = ~std::uint64_t{0};  // a zero where the length grows from one row to the next
    for (std::size_t j = 0; j < other.size(); ++j) {
      const std::uint64_t match = other[j] == WordTable::kUnknown ? 0 : positions_[other[j]];
      const std::uint64_t common = rows & match;
      const std::uint64_t partial = rows + common;
      const std::uint64_t sum = partial + carry_[j];
      carry_[j] = static_cast<std::uint8_t>((partial < rows) | (sum < partial));
      rows = sum | (rows & ~match);
    }
    const std::uint64_t used =
        block.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << block.size()) - 1;
    length += static_cast<std::size_t>(std::popcount(~rows & used));
    for (const std::uint32_t word : block) positions_[word] = 0;
  }
  return length;
}

std::size_t table_width(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other) {
  constexpr std::size_t kMostCells = std::size_t{1} << 28;
  const std::size_t width = other.size() + 1;
  if ((reference.size() + 1) > kMostCells / width) {
    throw_invalid("sentences of " + std::to_string(reference.size()) + " and " +
                  std::to_string(other.size()) +
                  " words are too long to compare, at most 2^28 pairs of words");
  }
  return width;
}

void mark_common_subsequence(std::span<const std::uint32_t> reference, std::span<const std::uint32_t> other,
                             std::span<std::uint8_t> hit) {
  const std::size_t width = table_width(reference, other);
  std::vector<std::uint32_t> table((reference.size() + 1) * width, 0);
  for (std::size_t i = 1; i <= reference.size(); ++i) {
    check_cancelled();
    const std::uint32_t* above = table.data() + (i - 1) * width;
    std::uint32_t* row = table.data() + i * width;
    for (std::size_t j = 1; j < width; ++j) {
      row[j] = reference[i - 1] == other[j - 1] ? above[j - 1] + 1 : std::max(above[j], row[j - 1]);
    }
  }
  std::size_t i = reference.size(), j = other.size();
  while (i > 0 && j > 0) {
    if (reference[i - 1] == other[j - 1]) {
      hit[i - 1] = 1;
      --i;
      --j;
    } else if (table[i * width + j - 1] > table[(i - 1) * width + j]) {
      --j;
    } else {
      --i;
    }
  }
}

}  // namespace markeval::lexical
