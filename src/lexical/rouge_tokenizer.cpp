// One pass over the bytes with a table of letters.
#include "lexical/rouge_tokenizer.hpp"

#include <array>

#include "lexical/porter_stemmer.hpp"

namespace markeval::lexical {
namespace {

/// By byte: the letter or digit it is in lower case, else 0.
constexpr std::array<char, 256> kRougeLetters = [] {
  std::array<char, 256> letters{};
  for (std::size_t byte = '0'; byte <= '9'; ++byte) letters[byte] = static_cast<char>(byte);
  for (std::size_t byte = 'a'; byte <= 'z'; ++byte)
    letters[byte] = letters[byte - 32] = static_cast<char>(byte);
  return letters;
}();

}  // namespace

void rouge_words(std::string_view text, bool stem, std::string& storage, std::vector<std::string_view>& words,
                 std::vector<std::size_t>& line_ends) {
  static constexpr std::string_view kKelvinSign = "\xE2\x84\xAA", kCapitalDottedI = "\xC4\xB0";
  constexpr std::size_t kLongestUnstemmed = 3;
  storage.resize(text.size());  // no step makes it longer, so the words stay where they are
  words.clear();
  line_ends.clear();
  std::size_t start = 0, end = 0;
  const auto finish = [&] {
    if (end == start) return;
    if (stem && end - start > kLongestUnstemmed) {
      const std::string stemmed = porter_stem(std::string_view(storage).substr(start, end - start));
      end = start + stemmed.copy(storage.data() + start, end - start);
    }
    words.push_back(std::string_view(storage).substr(start, end - start));
    start = end;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (kRougeLetters[byte] != 0) {
      storage[end++] = kRougeLetters[byte];
    } else if (byte >= 0x80 &&
               text.substr(i, 3) == kKelvinSign) {  // the two whose lower case has an ASCII letter
      storage[end++] = 'k';
      i += 2;
    } else if (byte >= 0x80 && text.substr(i, 2) == kCapitalDottedI) {
      storage[end++] = 'i';  // and a combining dot, which ends the word
      i += 1;
      finish();
    } else {
      finish();
      if (byte == '\n') line_ends.push_back(words.size());
    }
  }
  finish();
  line_ends.push_back(words.size());
}

}  // namespace markeval::lexical
