#include "embed/texts_ahead.hpp"

#include <algorithm>

#include "text/utf8.hpp"

namespace markeval::embed {

TextsAhead::TextsAhead(std::vector<std::string> texts) : texts_(std::move(texts)) {
  for (const std::string& text : texts_) stripped_.push_back(text::strip(text));
}

void TextsAhead::keep(std::shared_ptr<PooledModel> model, const LengthLimits& limits, EncodedTexts encoded) {
  model_ = std::move(model);
  limits_ = limits;
  encoded_.emplace(std::move(encoded));
  for (std::size_t place = 0; place < encoded_->distinct(); ++place)
    places_.emplace(encoded_->written(place), place);
}

std::optional<EncodedTexts> TextsAhead::find(const PooledModel& model, const LengthLimits& limits,
                                             const EncodeRequest& request,
                                             std::span<const std::string_view> texts) const {
  if (!encoded_ || model_.get() != &model || limits_ != limits || encoded_->request() != request)
    return std::nullopt;
  EncodedTexts out(texts, request, encoded_->width());
  std::vector<std::size_t> from(out.distinct());
  for (std::size_t place = 0; place < out.distinct(); ++place) {
    const auto found = places_.find(out.written(place));
    if (found == places_.end()) return std::nullopt;
    from[place] = found->second;
    EncodedTexts::TextEntry& entry = out.entry(place);
    entry.tokens = encoded_->text(found->second).tokens;
    entry.counts = encoded_->counts(found->second);
    entry.sentence_counts = encoded_->sentence_counts(found->second);
  }
  out.allocate();
  for (std::size_t place = 0; place < out.distinct(); ++place) {
    for (std::size_t layer = 0; layer < request.layers.size(); ++layer) {
      const MatrixView<const float> rows = encoded_->text(from[place]).layer(request.layers[layer]);
      std::copy_n(rows.data(), rows.rows() * rows.columns(), out.states(place, layer).data());
    }
    for (std::size_t which = 0; which < request.sentences.size(); ++which)
      std::ranges::copy(encoded_->sentence(from[place], which), out.sentence_row(place, which).begin());
  }
  return out;
}

}  // namespace markeval::embed
