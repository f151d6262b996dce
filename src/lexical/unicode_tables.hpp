// Tables of character properties as the public metric tools see them; see
// scripts/make_unicode_tables.py. Sorted by code point, ranges do not overlap.
#pragma once

#include <cstddef>
#include <cstdint>

namespace markeval::lexical {

struct CodeRange {
  std::uint32_t first, last;
  std::uint32_t value;
};
struct LowerRange {
  std::uint32_t first, last;
  std::uint32_t step;
  std::int32_t difference;
};

extern const CodeRange category_ranges[];  ///< 1 punctuation, 2 symbol, 3 number
extern const std::size_t category_ranges_count;
extern const CodeRange casing_ranges[];  ///< 1 cased, 2 ignored when looking for a cased neighbour
extern const std::size_t casing_ranges_count;
extern const LowerRange
    lower_ranges[];  ///< simple lower case: first, first + step, ..., last move by the difference
extern const std::size_t lower_ranges_count;

}  // namespace markeval::lexical
