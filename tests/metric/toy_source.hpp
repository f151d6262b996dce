// A token source whose vectors are made from the letters of each word: equal words have equal vectors but for
// a touch of context from the neighbours, so that scores are sensible and everything can be followed by hand.
// [CLS] and [SEP] stand around every text; a word of more than four letters has a second piece; "?" words are
// unknown.
#pragma once

#include <cmath>
#include <map>

#include "base/random.hpp"
#include "embed/token_source.hpp"

namespace markeval::metric {

class ToySource : public embed::TokenSource {
 public:
  static constexpr std::size_t kWidth = 24;
  static constexpr std::size_t kLimit = 64;

  std::size_t last_layer() const override { return 3; }
  std::size_t width() const override { return kWidth; }
  std::size_t limit() const override { return kLimit; }
  std::string model_name() const override { return "toy"; }
  std::vector<std::pair<std::string, std::string>> signature() const override { return {{"model", "toy"}}; }
  std::vector<std::int32_t> token_ids(std::string_view text) const override { return tokens(text).ids; }
  std::vector<embed::TokenText> encode(std::span<const std::string_view> texts,
                                       std::span<const std::size_t> layers, const RunContext&) override {
    std::vector<embed::TokenText> out;
    for (const std::string_view text : texts) {
      ++encoded_[std::string(text)];
      embed::TokenText tokens = this->tokens(text);
      for (const std::size_t layer : layers) tokens.layers.push_back(states(tokens.ids, layer));
      out.push_back(std::move(tokens));
    }
    return out;
  }
  /// How often each text was encoded.
  const std::map<std::string, int>& encoded() const { return encoded_; }

 private:
  static std::int32_t id_of(std::string_view piece) {
    std::uint32_t hash = 2166136261u;
    for (const char c : piece) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return static_cast<std::int32_t>(hash % 50000) + 10;
  }

  embed::TokenText tokens(std::string_view text) const {
    embed::TokenText out;
    out.width = kWidth;
    const auto add = [&](std::int32_t id, std::string_view piece, bool special, bool starts,
                         std::size_t begin) {
      if (out.ids.size() + 1 >= kLimit && !special) {
        ++out.cut;
        return;
      }
      out.ids.push_back(id);
      out.facts.push_back({piece, special, starts});
      out.offsets.push_back(special ? embed::TextRange{} : embed::TextRange{begin, begin + piece.size()});
    };
    add(1, "[CLS]", true, false, 0);
    std::size_t begin = 0;
    while ((begin = text.find_first_not_of(' ', begin)) != std::string_view::npos) {
      const std::size_t end = std::min(text.find(' ', begin), text.size());
      const std::string_view word = text.substr(begin, end - begin);
      const std::string_view first = word.substr(0, 4);
      out.unknown += word == "?" ? 1 : 0;
      add(id_of(first), first, false, true, begin);
      if (word.size() > 4) add(id_of(word.substr(4)) + 50000, word.substr(4), false, false, begin + 4);
      begin = end;
    }
    add(2, "[SEP]", true, false, 0);
    return out;
  }

  static std::vector<float> states(const std::vector<std::int32_t>& ids, std::size_t layer) {
    std::vector<float> values(ids.size() * kWidth);
    for (std::size_t token = 0; token < ids.size(); ++token) {
      for (const int neighbour : {0, -1, 1}) {
        const auto at = static_cast<std::ptrdiff_t>(token) + neighbour;
        if (at < 0 || at >= static_cast<std::ptrdiff_t>(ids.size())) continue;
        RandomStream random(static_cast<std::uint64_t>(ids[static_cast<std::size_t>(at)]), layer);
        const double weight = neighbour == 0 ? 1 : 0.1;
        for (std::size_t column = 0; column < kWidth; ++column) {
          values[token * kWidth + column] += static_cast<float>(weight * (random.normal() + 0.3));
        }
      }
    }
    return values;
  }

  std::map<std::string, int> encoded_;
};

}  // namespace markeval::metric
