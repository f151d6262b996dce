#include "embed/encoder_source.hpp"

#include "encoder/sequence_encoder.hpp"
#include "token/packed_batch.hpp"

namespace markeval::embed {

std::vector<std::int32_t> EncoderSource::token_ids(std::string_view text) const {
  thread_local token::TokenizerScratch scratch;
  token::PackedBatch batch;
  tokenizer_.append(text, limit_, scratch, batch);
  return std::move(batch.ids);
}

std::vector<TokenText> EncoderSource::encode_needed(std::span<const std::string_view> texts,
                                                    std::span<const std::size_t> layers,
                                                    const TokenNeed& need, const RunContext& context) {
  std::vector<TokenText> encoded(texts.size());
  std::vector<std::vector<std::uint8_t>> masks(texts.size());
  std::vector<token::TokenizerScratch> scratch(context.pool.size());
  context.pool.for_each(texts.size(), [&](std::size_t index, std::size_t worker) {
    token::Encoding tokens;
    tokenizer_.encode(texts[index], limit_, scratch[worker], tokens);
    TokenText& out = encoded[index];
    out.width = width();
    out.unknown = tokens.counts.unknown;
    out.cut = tokens.counts.cut;
    for (std::size_t token = 0; token < tokens.ids.size(); ++token) {
      out.facts.push_back(
          {tokenizer_.piece(tokens.ids[token]), tokens.special[token] != 0, tokens.starts_word(token)});
      out.offsets.push_back({tokens.offsets[token].begin, tokens.offsets[token].end});
    }
    out.ids = std::move(tokens.ids);
    out.layers.resize(layers.size());
    if (!need) return;
    masks[index].assign(out.tokens(), 0);
    need(index, out, masks[index]);
  });
  std::size_t next = 0;
  encoder::EncodeOptions options;
  options.layers.assign(layers.begin(), layers.end());
  options.concurrent_sink = true;
  options.text_of = [&](std::size_t sequence) { return texts[sequence]; };
  if (need)
    options.needed = [&](std::size_t sequence) { return std::span<const std::uint8_t>(masks[sequence]); };
  encoder::encode_sequences(
      encoder_,
      [&](std::vector<std::int32_t>& ids) {
        if (next == encoded.size()) return false;
        ids = encoded[next++].ids;
        return true;
      },
      options,
      [&](std::size_t sequence, std::span<const MatrixView<const float>> states) {
        for (std::size_t layer = 0; layer < states.size(); ++layer) {
          std::vector<float>& out = encoded[sequence].layers[layer];
          out.reserve(states[layer].rows() * states[layer].columns());
          for (std::size_t row = 0; row < states[layer].rows(); ++row) {
            const auto values = states[layer].row(row);
            out.insert(out.end(), values.begin(), values.end());
          }
        }
      },
      context);
  return encoded;
}

}  // namespace markeval::embed
