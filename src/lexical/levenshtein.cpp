// The table goes in blocks of 64 rows, whose lower edges are carried from block to block.
#include "lexical/levenshtein.hpp"

#include <algorithm>

#include "base/cancellation.hpp"

namespace markeval::lexical {

std::size_t Levenshtein::operator()(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                    std::size_t symbols) {
  if (a.empty()) return b.size();
  if (positions_.size() < symbols) positions_.resize(symbols, 0);
  carry_.assign(b.size(), 1);  // above the first row every column costs one more than the one before
  auto distance = static_cast<std::ptrdiff_t>(a.size());
  for (std::size_t start = 0; start < a.size(); start += 64) {
    check_cancelled();
    const auto block = a.subspan(start, std::min<std::size_t>(64, a.size() - start));
    const bool is_last = start + block.size() == a.size();
    for (std::size_t i = 0; i < block.size(); ++i) positions_[block[i]] |= std::uint64_t{1} << i;
    const std::uint64_t bottom = std::uint64_t{1} << (block.size() - 1);
    std::uint64_t plus = ~std::uint64_t{0}, minus = 0;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int in = carry_[j];
      const std::uint64_t match = positions_[b[j]], vertical = match | minus;
      const std::uint64_t with_carry = match | (in < 0 ? 1u : 0u);
      const std::uint64_t horizontal = (((with_carry & plus) + plus) ^ plus) | with_carry;
      std::uint64_t up = minus | ~(horizontal | plus), down = plus & horizontal;
      const int out = (up & bottom) != 0 ? 1 : (down & bottom) != 0 ? -1 : 0;
      carry_[j] = static_cast<std::int8_t>(out);
      if (is_last) distance += out;
      up = (up << 1) | (in > 0 ? 1u : 0u);
      down = (down << 1) | (in < 0 ? 1u : 0u);
      plus = down | ~(vertical | up);
      minus = up & vertical;
    }
    for (const std::uint32_t symbol : block) positions_[symbol] = 0;
  }
  return static_cast<std::size_t>(distance);
}

}  // namespace markeval::lexical
