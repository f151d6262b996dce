#include "lexical/rouge_tokenizer.hpp"

#include <utility>

#include "lexical/porter_stemmer.hpp"

namespace markeval::lexical {

void rouge_words(std::string_view text, bool stem, std::u32string& storage,
                 std::vector<std::u32string_view>& words, std::vector<std::size_t>& line_ends) {
  static constexpr std::string_view kKelvinSign = "\xE2\x84\xAA", kCapitalDottedI = "\xC4\xB0";
  constexpr std::size_t kLongestUnstemmed = 3;
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  storage.clear();
  words.clear();
  line_ends.clear();
  spans.reserve(text.size() / 4);
  std::size_t start = 0;
  const auto finish = [&] {
    if (storage.size() == start) return;
    if (stem && storage.size() - start > kLongestUnstemmed) {
      const std::u32string stemmed = porter_stem(std::u32string_view(storage).substr(start));
      storage.replace(start, storage.size() - start, stemmed);
    }
    spans.emplace_back(start, storage.size() - start);
    start = storage.size();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9')) {
      storage.push_back(byte);
    } else if (byte >= 'A' && byte <= 'Z') {
      storage.push_back(byte + 32u);
    } else if (byte >= 0x80 &&
               text.substr(i, 3) == kKelvinSign) {  // the two whose lower case has an ASCII letter
      storage.push_back('k');
      i += 2;
    } else if (byte >= 0x80 && text.substr(i, 2) == kCapitalDottedI) {
      storage.push_back('i');  // and a combining dot, which ends the word
      i += 1;
      finish();
    } else {
      finish();
      if (byte == '\n') line_ends.push_back(spans.size());
    }
  }
  finish();
  line_ends.push_back(spans.size());
  for (const auto& [first, length] : spans)
    words.push_back(std::u32string_view(storage).substr(first, length));
}

}  // namespace markeval::lexical
