#include "trained/word_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace markeval::trained {

std::string_view name(Pieces pieces) {
  return pieces == Pieces::all ? "all" : "first";
}

Pieces parse_pieces(std::string_view text) {
  for (const Pieces pieces : {Pieces::all, Pieces::first}) {
    if (text == name(pieces)) return pieces;
  }
  throw_usage(fmt::format("unknown pieces '{}', expected all or first", text));
}

embed::EncodeRequest word_request(std::size_t last_layer, bool keeps_states) {
  embed::EncodeRequest request;
  request.layers.resize(last_layer + 1);
  std::iota(request.layers.begin(), request.layers.end(), std::size_t{0});
  request.keeps_states = keeps_states;
  return request;
}

WordVectors::WordVectors(std::size_t layers, std::size_t width, Pieces pieces, const std::string& folder)
    : layers_(layers), pieces_(pieces), rows_(layers * width, folder) {}

void WordVectors::add(const embed::EncodedTexts& texts, ThreadPool& pool) {
  const embed::TokenRules rules{
      .specials = false, .continuations = pieces_ == Pieces::all, .punctuation = true};
  std::vector<std::vector<Half>> halves(texts.distinct());
  std::vector<std::size_t> words(texts.distinct());
  pool.for_each(texts.distinct(), [&](std::size_t place, std::size_t) {
    const embed::EncodedText text = texts.text(place);
    const std::vector<std::uint32_t> kept = embed::kept_tokens(text.tokens.facts, rules);
    words[place] = kept.size();
    halves[place].resize(kept.size() * rows_.columns());
    auto out = halves[place].begin();
    for (const std::uint32_t token : kept) {
      for (std::size_t layer = 0; layer < layers_; ++layer) {
        const std::span<const float> state = text.layer(layer).row(token);
        out = std::transform(state.begin(), state.end(), out, to_half);
      }
    }
  });
  for (std::size_t place = 0; place < texts.distinct(); ++place) {
    rows_.append(halves[place]);
    starts_.push_back(starts_.back() + words[place]);
  }
}

}  // namespace markeval::trained
