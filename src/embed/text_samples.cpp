#include "embed/text_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "embed/token_set.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kWindowTexts = 8192;                   // at most
constexpr std::size_t kWindowBytes = std::size_t{64} << 20;  // of vectors, by a cautious guess

VectorRequest vector_request(const SampleRequest& request) {
  VectorRequest out;
  out.layers = request.layers;
  out.pool = request.unit == SampleUnit::word ? VectorRequest::Pool::none : VectorRequest::Pool::model;
  out.max_length = request.max_length;
  out.long_text = request.long_text;
  out.precision = request.precision;
  return out;
}

/// The tokens that count as words: their places, and what they cover of the text.
std::vector<std::uint32_t> words_of(const token::Tokenizer& tokenizer, const token::Encoding& tokens,
                                    std::vector<TextRange>& ranges) {
  std::vector<TokenFact> facts;
  facts.reserve(tokens.ids.size());
  for (std::size_t token = 0; token < tokens.ids.size(); ++token) {
    facts.push_back(
        {tokenizer.piece(tokens.ids[token]), tokens.special[token] != 0, tokens.starts_word(token)});
  }
  std::vector<std::uint32_t> kept = kept_tokens(facts, {.specials = false});
  for (const std::uint32_t token : kept) {
    ranges.push_back({tokens.offsets[token].begin, tokens.offsets[token].end});
  }
  return kept;
}

}  // namespace

SampleCounts& SampleCounts::operator+=(const SampleCounts& other) {
  texts += other.texts;
  truncated += other.truncated;
  unknown += other.unknown;
  return *this;
}

std::size_t TextSamples::text_of(std::size_t row) const {
  assert(row < rows());
  return static_cast<std::size_t>(std::upper_bound(starts.begin(), starts.end(), row) - starts.begin()) - 1;
}

SampleEncoder::SampleEncoder(const std::string& folder, EncoderStore& encoders, cache::VectorCache& cache,
                             const SampleRequest& request, const RunContext& context)
    : unit_(request.unit),
      context_(context),
      encoder_(folder, encoders, cache, vector_request(request), context) {
  assert(unit_ == SampleUnit::word || encoder_.layers() == 1);
}

std::vector<std::vector<std::uint32_t>> SampleEncoder::find_words(std::span<const std::string_view> texts,
                                                                  TextSamples& samples) {
  const token::Tokenizer& tokenizer = encoder_.encoder().tokenizer();
  const std::size_t limit = encoder_.token_limit();
  std::vector<std::vector<std::uint32_t>> words(texts.size());
  std::vector<std::vector<TextRange>> ranges(texts.size());
  std::vector<token::TokenizerScratch> scratch(context_.pool.size());
  context_.pool.for_each(texts.size(), [&](std::size_t text, std::size_t worker) {
    context_.check_cancelled();
    token::Encoding tokens;
    tokenizer.encode(texts[text], limit, scratch[worker], tokens);
    words[text] = words_of(tokenizer, tokens, ranges[text]);
  });
  for (std::size_t text = 0; text < texts.size(); ++text) {
    samples.starts.push_back(samples.starts.back() + words[text].size() * samples.layers);
    samples.words.insert(samples.words.end(), ranges[text].begin(), ranges[text].end());
  }
  return words;
}

TextSamples SampleEncoder::encode(std::span<const std::string_view> texts, const std::string& name) {
  TextSamples samples;
  samples.columns = encoder_.width();
  samples.layers = encoder_.layers();
  samples.counts.texts = texts.size();
  std::vector<std::vector<std::uint32_t>> words;
  if (unit_ == SampleUnit::word) {
    words = find_words(texts, samples);
  } else {
    for (std::size_t text = 1; text <= texts.size(); ++text) samples.starts.push_back(text);
  }
  samples.values = AlignedBuffer<float>(samples.rows() * samples.columns);

  // A window holds all its token vectors. A byte of text makes at most one token and mostly a quarter of one.
  const std::size_t row_bytes = encoder_.layers() * encoder_.width() * sizeof(float);
  const std::size_t most_bytes =
      unit_ == SampleUnit::word ? std::max<std::size_t>(4096, 4 * kWindowBytes / row_bytes) : kWindowBytes;
  const std::string stage = fmt::format("encoding {}", name);
  float* out = samples.values.data();
  std::size_t begin = 0;
  while (begin < texts.size()) {
    context_.check_cancelled();
    context_.report_progress(stage, begin, texts.size());
    std::size_t end = begin;
    for (std::size_t bytes = 0; end < texts.size() && end - begin < kWindowTexts && bytes < most_bytes;
         ++end) {
      bytes += texts[end].size();
    }
    encoder_.encode(texts.subspan(begin, end - begin), [&](std::size_t index, MatrixView<const float> rows,
                                                           const TextNote& note) {
      samples.counts.truncated += note.cut > 0;
      samples.counts.unknown += note.unknown;
      if (unit_ == SampleUnit::sentence) {
        out = std::copy_n(rows.row(0).data(), samples.columns, out);
        return;
      }
      for (const std::uint32_t token : words[begin + index]) {
        for (std::size_t layer = 0; layer < samples.layers; ++layer) {
          out = std::copy_n(rows.row(token * samples.layers + layer).data(), samples.columns, out);
        }
      }
    });
    begin = end;
  }
  context_.report_progress(stage, texts.size(), texts.size());
  assert(out == samples.values.end());
  return samples;
}

}  // namespace markeval::embed
