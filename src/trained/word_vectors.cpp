// The choice of tokens, and conversion to float16.
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

std::vector<std::uint32_t> kept_words(const embed::EncodedText& text, Pieces pieces) {
  return embed::kept_tokens(text.tokens.facts,
                            {.specials = false, .continuations = pieces == Pieces::all, .punctuation = true});
}

WordVectors::WordVectors(std::size_t layers, std::size_t width, Pieces pieces, const std::string& folder)
    : layers_(layers), pieces_(pieces), rows_(layers * width, folder) {}

void WordVectors::add(const embed::EncodedTexts& texts, ThreadPool& pool) {
  const std::size_t before = this->texts(), first = starts_.back();
  std::vector<std::vector<std::uint32_t>> kept(texts.distinct());
  for (std::size_t slot = 0; slot < texts.distinct(); ++slot) {
    kept[slot] = kept_words(texts.text(slot), pieces_);
    starts_.push_back(starts_.back() + kept[slot].size());
  }
  if (starts_.back() == first) return;
  const MatrixView<Half> rows = rows_.extend(starts_.back() - first);
  pool.for_each(texts.distinct(), [&](std::size_t slot, std::size_t) {
    const embed::EncodedText text = texts.text(slot);
    std::size_t row = starts_[before + slot] - first;
    for (const std::uint32_t token : kept[slot]) {
      Half* out = rows.row(row++).data();
      for (std::size_t layer = 0; layer < layers_; ++layer) {
        for (const float value : text.layer(layer).row(token)) *out++ = to_half(value);
      }
    }
  });
}

}  // namespace markeval::trained
