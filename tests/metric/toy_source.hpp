// A source whose vectors are made from the letters of each word: equal words have equal vectors but for
// a touch of context from the neighbours, so that scores are sensible and everything can be followed by hand.
// [CLS] and [SEP] stand around every text; a word of more than four letters has a second piece; "?" words are
// unknown.
#pragma once

#include <cmath>
#include <limits>
#include <map>

#include "base/random.hpp"
#include "embed/vector_source.hpp"

namespace markeval::metric {

class ToySource : public embed::VectorSource {
 public:
  static constexpr std::size_t kWidth = 24;
  static constexpr std::size_t kLimit = 64;

  std::size_t last_layer() const override { return 3; }
  std::size_t width() const override { return kWidth; }
  std::size_t limit() override { return kLimit; }
  std::string model_name() const override { return "toy"; }
  std::vector<std::pair<std::string, std::string>> signature() override { return {{"model", "toy"}}; }
  std::vector<embed::TokenIds> token_ids(std::span<const std::string_view> texts,
                                         const RunContext&) override {
    std::vector<embed::TokenIds> out;
    for (const std::string_view text : texts) {
      embed::TokenIds& ids = out.emplace_back();
      ids.ids = tokens(text, ids.counts).ids;
    }
    return out;
  }
  embed::EncodedTexts encode(std::span<const std::string_view> texts, const embed::EncodeRequest& request,
                             const embed::TokenNeed& need, const RunContext&) override {
    embed::EncodedTexts out(texts, request, kWidth);
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      embed::EncodedTexts::TextEntry& entry = out.entry(place);
      entry.tokens = tokens(entry.text, entry.counts);
    }
    out.allocate();
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      ++encoded_[std::string(out.written(place))];
      const embed::TextTokens& tokens = out.entry(place).tokens;
      std::vector<std::uint8_t> needed(tokens.size(), need ? 0 : 1);
      if (need) need(tokens, needed);
      for (std::size_t index = 0; index < request.layers.size(); ++index) {
        const bool is_last = index + 1 == request.layers.size();
        const std::vector<float> values = states(tokens.ids, request.layers[index]);
        const MatrixView<float> rows = out.states(place, index);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const bool is_promised = !is_last || needed[i / kWidth] != 0;
          rows.data()[i] = is_promised ? values[i] : std::numeric_limits<float>::quiet_NaN();
        }
      }
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

  static embed::TextTokens tokens(std::string_view text, TextCounts& counts) {
    embed::TextTokens out;
    counts.texts = 1;
    const auto add = [&](std::int32_t id, std::string_view piece, bool special, bool starts,
                         std::size_t begin) {
      if (out.ids.size() + 1 >= kLimit && !special) {
        counts.cut_texts = 1;
        ++counts.cut_tokens;
        return;
      }
      counts.tokens += special ? 0 : 1;
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
      counts.unknown += word == "?" ? 1 : 0;
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
