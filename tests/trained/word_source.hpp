// Encoded texts without an encoder: every word has fixed vectors, made of its letters. "un+happy" is one word
// of two pieces. For tests of training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "trained/word_vectors.hpp"

namespace markeval::trained {

constexpr std::size_t kLetterLayers = 2, kLetterWidth = 6;

inline embed::EncodedTexts encode_letters(const std::vector<std::string_view>& texts) {
  embed::EncodedTexts out(texts, word_request(kLetterLayers - 1, false), kLetterWidth);
  for (std::size_t place = 0; place < out.distinct(); ++place) {
    const std::string_view text = out.written(place);
    embed::TextTokens& tokens = out.entry(place).tokens;
    tokens.facts.push_back({"[CLS]", true, true});
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find_first_of(" +", begin), text.size());
      tokens.facts.push_back({text.substr(begin, end - begin), false, begin == 0 || text[begin - 1] == ' '});
      begin = end + 1;
    }
    tokens.facts.push_back({"[SEP]", true, true});
    tokens.ids.resize(tokens.facts.size());
    tokens.offsets.resize(tokens.facts.size());
  }
  out.allocate();
  for (std::size_t place = 0; place < out.distinct(); ++place) {
    const embed::TextTokens& tokens = out.entry(place).tokens;
    for (std::size_t layer = 0; layer < kLetterLayers; ++layer) {
      for (std::size_t token = 0; token < tokens.size(); ++token) {
        std::uint64_t code = layer;
        for (const char letter : tokens.facts[token].piece)
          code = code * 131 + static_cast<unsigned char>(letter);
        RandomStream random(code, 0);
        for (float& value : out.states(place, layer).row(token))
          value = static_cast<float>(2 * random.uniform() - 1);
      }
    }
  }
  return out;
}

inline WordVectors letter_vectors(const std::vector<std::string>& texts, Pieces pieces, ThreadPool& pool,
                                  const std::string& folder = {}) {
  WordVectors vectors(kLetterLayers, kLetterWidth, pieces, folder);
  vectors.add(encode_letters({texts.begin(), texts.end()}), pool);
  return vectors;
}

}  // namespace markeval::trained
