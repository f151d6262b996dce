// Which of the commonest languages in Latin script a text is in, told by its small words. For warnings; no
// score depends on it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace markeval::lexical {

inline constexpr std::size_t kLanguages = 20;

/// Their English names; English is the first.
std::span<const std::string_view, kLanguages> language_names();

struct LanguageCounts {
  std::uint64_t words = 0;                        ///< of letters; split at blanks and punctuation
  std::array<std::uint64_t, kLanguages> found{};  ///< of them: small words of each language

  LanguageCounts& operator+=(const LanguageCounts& other);
};

/// "Der Hund und die Katze" -> 5 words, 3 of German.
LanguageCounts count_small_words(std::string_view text);

}  // namespace markeval::lexical
