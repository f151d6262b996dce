// A token source without an encoder: every word has fixed vectors, made of its letters. "un+happy" is one
// word of two pieces. For tests of training.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/random.hpp"
#include "embed/token_source.hpp"

namespace markeval::trained {

class WordSource : public embed::TokenSource {
 public:
  static constexpr std::size_t kLayers = 2, kWidth = 6;

  std::size_t last_layer() const override { return kLayers - 1; }
  std::size_t width() const override { return kWidth; }
  std::size_t limit() const override { return 512; }
  std::string model_name() const override { return "letters"; }
  std::vector<std::pair<std::string, std::string>> signature() const override { return {}; }
  std::vector<std::int32_t> token_ids(std::string_view) const override { return {}; }
  std::vector<embed::TokenText> encode(std::span<const std::string_view> texts,
                                       std::span<const std::size_t> layers, const RunContext&) override {
    encoded += texts.size();
    std::vector<embed::TokenText> result;
    for (const std::string_view text : texts) {
      embed::TokenText& out = result.emplace_back();
      out.width = kWidth;
      out.layers.resize(layers.size());
      add(out, "[CLS]", true, layers);
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" +", begin), text.size());
        add(out, text.substr(begin, end - begin), false, layers);
        out.facts.back().starts_word = begin == 0 || text[begin - 1] == ' ';
        begin = end + 1;
      }
      add(out, "[SEP]", true, layers);
    }
    return result;
  }
  std::size_t encoded = 0;  ///< texts so far

 private:
  static void add(embed::TokenText& out, std::string_view word, bool special,
                  std::span<const std::size_t> layers) {
    out.ids.push_back(0);
    out.facts.push_back({word, special, true});
    out.offsets.push_back({});
    for (std::size_t index = 0; index < layers.size(); ++index) {
      std::uint64_t code = layers[index];
      for (const char letter : word) code = code * 131 + static_cast<unsigned char>(letter);
      RandomStream random(code, 0);
      for (std::size_t j = 0; j < kWidth; ++j)
        out.layers[index].push_back(static_cast<float>(2 * random.uniform() - 1));
    }
  }
};

}  // namespace markeval::trained
