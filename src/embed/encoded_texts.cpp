// Joining of requests, removal of duplicate texts, and the layout of states and sentence vectors in one
// buffer each.
#include "embed/encoded_texts.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <unordered_map>

namespace markeval::embed {

void EncodeRequest::join(const EncodeRequest& other) {
  std::vector<std::size_t> joined;
  std::set_union(layers.begin(), layers.end(), other.layers.begin(), other.layers.end(),
                 std::back_inserter(joined));
  layers = std::move(joined);
  for (const SentenceRequest& sentence : other.sentences) {
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(sentence);
  }
  keeps_states = keeps_states || other.keeps_states;
}

std::vector<std::size_t> EncodeRequest::all_layers() const {
  std::vector<std::size_t> all = layers;
  for (const SentenceRequest& sentence : sentences) all.push_back(sentence.layer);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::size_t EncodeRequest::index_of(std::size_t layer) const {
  const auto found = std::lower_bound(layers.begin(), layers.end(), layer);
  assert(found != layers.end() && *found == layer);
  return static_cast<std::size_t>(found - layers.begin());
}

std::size_t EncodeRequest::index_of(const SentenceRequest& sentence) const {
  const auto found = std::find(sentences.begin(), sentences.end(), sentence);
  assert(found != sentences.end());
  return static_cast<std::size_t>(found - sentences.begin());
}

EncodedTexts::EncodedTexts(std::span<const std::string_view> texts, EncodeRequest request, std::size_t width,
                           EqualTexts equal)
    : request_(std::move(request)), width_(width) {
  std::unordered_map<std::string_view, std::uint32_t> first;
  slots_.reserve(texts.size());
  for (const std::string_view text : texts) {
    const auto next = static_cast<std::uint32_t>(entries_.size());
    const std::uint32_t slot = equal == EqualTexts::apart ? next : first.emplace(text, next).first->second;
    slots_.push_back(slot);
    if (slot != next) continue;
    entries_.emplace_back().text = text;
  }
}

void EncodedTexts::allocate() {
  std::size_t values = 0;
  for (TextEntry& entry : entries_) {
    entry.first_state = values;
    values += entry.tokens.size() * request_.layers.size() * width_;
  }
  if (request_.wants_tokens()) states_ = AlignedBuffer<float>(values);
  sentences_ = AlignedBuffer<float>(entries_.size() * request_.sentences.size() * width_);
}

EncodedText EncodedTexts::text(std::size_t slot) const {
  const TextEntry& entry = entries_[slot];
  return {entry.tokens, states_.data() + entry.first_state, width_, request_};
}

std::span<const float> EncodedTexts::sentence(std::size_t slot, std::size_t which) const {
  return {sentences_.data() + (slot * request_.sentences.size() + which) * width_, width_};
}

std::span<float> EncodedTexts::sentence_row(std::size_t slot, std::size_t which) {
  return {sentences_.data() + (slot * request_.sentences.size() + which) * width_, width_};
}

void to_unit_length(std::span<float> row) {
  double squares = 0;
  for (const float value : row) squares += static_cast<double>(value) * value;
  const auto length = static_cast<float>(std::max(std::sqrt(squares), 1e-12));
  for (float& value : row) value /= length;
}

MatrixView<float> EncodedTexts::states(std::size_t slot, std::size_t layer_index) {
  const TextEntry& entry = entries_[slot];
  return {states_.data() + entry.first_state + layer_index * entry.tokens.size() * width_,
          entry.tokens.size(), width_};
}

}  // namespace markeval::embed
