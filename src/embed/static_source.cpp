#include "embed/static_source.hpp"

namespace markeval::embed {

std::vector<std::pair<std::string, std::string>> StaticSource::signature() const {
  return {{"embeddings", name_}, {"unknown", "skip"}};
}

StaticTokens StaticSource::tokens(std::string_view text, std::size_t& cut) const {
  StaticTokens found = static_tokens(vectors_, text, true);
  cut = found.rows.size() > limit_ ? found.rows.size() - limit_ : 0;
  found.rows.resize(found.rows.size() - cut);
  found.spans.resize(found.rows.size());
  return found;
}

std::vector<std::int32_t> StaticSource::token_ids(std::string_view text) const {
  std::size_t cut = 0;
  return tokens(text, cut).rows;
}

std::vector<TokenText> StaticSource::encode(std::span<const std::string_view> texts,
                                            std::span<const std::size_t> layers, const RunContext& context) {
  std::vector<TokenText> encoded(texts.size());
  context.pool.for_each(texts.size(), [&](std::size_t index, std::size_t) {
    TokenText& out = encoded[index];
    StaticTokens found = tokens(texts[index], out.cut);
    out.width = vectors_.width();
    out.unknown = found.unknown;
    std::vector<float> values;
    values.reserve(found.rows.size() * out.width);
    for (std::size_t token = 0; token < found.rows.size(); ++token) {
      const auto row = vectors_.vectors().row(static_cast<std::size_t>(found.rows[token]));
      values.insert(values.end(), row.begin(), row.end());
      out.facts.push_back({vectors_.word(found.rows[token]), false, true});
      out.offsets.push_back({found.spans[token].begin, found.spans[token].end});
    }
    out.ids = std::move(found.rows);
    out.layers.assign(layers.size(), values);
  });
  return encoded;
}

}  // namespace markeval::embed
