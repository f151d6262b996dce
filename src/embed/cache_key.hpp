// The name of one cached result: what was encoded, by which model, under which settings.
//
// Nothing of a text is stored but hashes of it, so a wrong hit would need two texts (or settings) that agree
// in the 128 bits the entry is found by, in the 64 bits of another hash function the entry is then checked
// with, and in their length. For n entries the chance is below n^2 / 2^193: with 10^12 texts under 10^-34.
// Neither hash resists somebody who builds colliding texts on purpose; such a person can only spoil the
// scores of the texts that person wrote.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace markeval::embed {

struct CacheKey {
  std::uint64_t high = 0, low = 0;  ///< XXH3, 128 bits: the entry is found by these
  std::uint64_t check = 0;          ///< XXH64: and must agree in this
  std::uint64_t length = 0;         ///< and in the text's bytes

  bool operator==(const CacheKey&) const = default;
};

/// All that changes a vector besides its text.
class CacheContext {
 public:
  using Setting = std::pair<std::string, std::string>;

  /// The order of the settings does not matter; names and values may hold any byte.
  explicit CacheContext(std::vector<Setting> settings);

  CacheKey key(std::string_view text) const;

 private:
  std::uint64_t high_ = 0, low_ = 0;
};

}  // namespace markeval::embed
