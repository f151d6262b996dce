// The steps for a block of texts: cache lookup, tokenisation, encoding of what is missing, cache writes.
#include "embed/text_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/suggestion.hpp"
#include "encoder/pooling.hpp"
#include "text/utf8.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kTextsPerTask = 4;

compute::Precision parse_precision(const std::string& precision) {
  if (precision == "f32") return compute::Precision::f32;
  if (precision == "bf16") return compute::Precision::bf16;
  const std::array<std::string, 2> known{"f32", "bf16"};
  throw_usage(fmt::format("unknown precision '{}'{}", precision, suggestion(precision, known)));
}

/// A record of the cache has room for one number besides the row: three counts of 21 bits.
constexpr unsigned kCountBits = 21;
constexpr std::uint64_t kMaxCount = (std::uint64_t{1} << kCountBits) - 1;
std::uint64_t packed(const TextCounts& counts) {
  const auto bounded = [](std::size_t count) { return std::min<std::uint64_t>(count, kMaxCount); };
  return (bounded(counts.tokens) << kCountBits | bounded(counts.unknown)) << kCountBits |
         bounded(counts.cut_tokens);
}
TextCounts unpacked(std::uint64_t note) {
  const auto count = [&](unsigned slot) {
    return static_cast<std::size_t>(note >> (slot * kCountBits) & kMaxCount);
  };
  return TextCounts::of_text(count(2), count(0), count(1));
}

TextCounts counts_of(const token::Encoding& encoding, std::size_t specials, std::size_t limit) {
  const std::size_t total = encoding.ids.size() + encoding.counts.cut_tokens;
  const std::size_t cut = total > limit ? total - limit : 0;
  return TextCounts::of_text(total - cut - specials, cut, encoding.counts.unknown);
}

TextTokens tokens_of(const token::Encoding& encoding, const token::Tokenizer& tokenizer) {
  TextTokens tokens;
  tokens.ids = encoding.ids;
  for (std::size_t i = 0; i < encoding.ids.size(); ++i) {
    tokens.facts.push_back(
        {tokenizer.piece(encoding.ids[i]), encoding.special[i] != 0, encoding.starts_word(i)});
    tokens.offsets.push_back({encoding.offsets[i].begin, encoding.offsets[i].end});
  }
  return tokens;
}

/// Calls `body(text, scratch)` for every text, some at a time on each thread.
template <typename Body>
void for_texts(std::size_t texts, const RunContext& context, const Body& body) {
  std::vector<token::TokenizerScratch> scratch(context.pool.size());
  context.pool.for_each((texts + kTextsPerTask - 1) / kTextsPerTask,
                        [&](std::size_t task, std::size_t worker) {
                          context.check_cancelled();
                          const std::size_t end = std::min(texts, (task + 1) * kTextsPerTask);
                          for (std::size_t text = task * kTextsPerTask; text < end; ++text)
                            body(text, scratch[worker]);
                        });
}

bool all_set(std::span<const std::uint8_t> flags) {
  return std::all_of(flags.begin(), flags.end(), [](std::uint8_t flag) { return flag != 0; });
}

}  // namespace

TextEncoder::TextEncoder(ModelPool& models, const EncoderOptions& options, cache::VectorCache& cache)
    : model_(models.get(options.model, parse_precision(options.precision))),
      cache_(cache),
      limits_{model_->limit(token::LimitFor::tokens, options.max_length),
              model_->limit(token::LimitFor::sentences, options.max_length), options.windows} {}

SentenceRequest TextEncoder::default_sentence() const {
  const models::ModelSettings& settings = model_->folder().settings();
  return {model_->last_layer(), settings.pooling, settings.normalize};
}

std::vector<std::pair<std::string, std::string>> TextEncoder::signature() {
  std::vector<std::pair<std::string, std::string>> parts{{"model", model_->folder().signature()},
                                                         {"precision", numerics()},
                                                         {"max_length", std::to_string(limits_.tokens)}};
  if (limits_.windows) parts.emplace_back("long", "window");
  return parts;
}

std::vector<TokenIds> TextEncoder::token_ids(std::span<const std::string_view> texts,
                                             const RunContext& context) {
  const token::Tokenizer& tokenizer = model_->tokenizer();
  const std::size_t limit = limits_.windows ? token::kNoLimit : limits_.tokens;
  std::vector<TokenIds> found(texts.size());
  for_texts(texts.size(), context, [&](std::size_t text, token::TokenizerScratch& scratch) {
    token::PackedBatch batch;
    const TextCounts counts = tokenizer.append(texts[text], limit, scratch, batch);
    found[text] = {std::move(batch.ids), counts};
  });
  return found;
}

EncodedTexts TextEncoder::encode(std::span<const std::string_view> texts, const EncodeRequest& wanted,
                                 const TokenNeed& need, const RunContext& context) {
  EncodeRequest request = wanted;
  request.keeps_states = wanted.keeps_states && cache_.active();
  EncodedTexts out(texts, request, width());
  MissingTexts missing;
  missing.states.assign(out.distinct(), request.wants_tokens() ? 1 : 0);
  missing.sentences.assign(out.distinct(), request.sentences.empty() ? 0 : 1);
  if (request.wants_tokens()) {
    tokenize(out, missing, need, context);
    out.allocate();
    read_cache(out, missing, context);
  } else {  // the cache may have all that is wanted, without a look at the tokens
    out.allocate();
    read_cache(out, missing, context);
    tokenize(out, missing, need, context);
  }
  bool complete = true;
  for (const std::uint32_t slot : out.slots()) {
    ++(missing.lacks(slot) ? counts_.encoded : counts_.cached);
    complete = complete && !missing.lacks(slot);
  }
  if (complete) return out;
  model_->encode(missing, limits_, out, context);
  write_cache(out, missing);
  return out;
}

/// Tokens of the texts that will be encoded, or whose tokens somebody wants to see.
void TextEncoder::tokenize(EncodedTexts& out, MissingTexts& missing, const TokenNeed& need,
                           const RunContext& context) {
  std::vector<std::size_t> slots;
  for (std::size_t slot = 0; slot < out.distinct(); ++slot) {
    if (missing.lacks(slot)) slots.push_back(slot);
  }
  missing.encodings.resize(out.distinct());
  if (slots.empty()) return;
  const bool wants_tokens = out.request().wants_tokens();
  const bool wants_sentences = !out.request().sentences.empty();
  if (wants_tokens && need) missing.masks.resize(out.distinct());
  const token::Tokenizer& tokenizer = model_->tokenizer();
  if (std::min(limits_.tokens, limits_.sentences) <= tokenizer.special_count()) {
    throw_invalid(fmt::format("{}: a limit of {} tokens, {} of them special, leaves no room for a text",
                              model_->folder().path(), std::min(limits_.tokens, limits_.sentences),
                              tokenizer.special_count()));
  }
  const std::size_t limit = limits_.windows ? token::kNoLimit
                            : wants_tokens  ? limits_.tokens
                                            : limits_.sentences;
  const std::size_t all = token::kNoLimit;
  for_texts(slots.size(), context, [&](std::size_t i, token::TokenizerScratch& scratch) {
    EncodedTexts::TextEntry& entry = out.entry(slots[i]);
    token::Encoding& encoding = missing.encodings[slots[i]];
    tokenizer.encode(entry.text, limit, scratch, encoding);
    if (wants_sentences) {
      entry.sentence_counts =
          counts_of(encoding, tokenizer.special_count(), limits_.windows ? all : limits_.sentences);
    }
    if (!wants_tokens) return;
    entry.counts = counts_of(encoding, tokenizer.special_count(), limits_.windows ? all : limits_.tokens);
    entry.tokens = tokens_of(encoding, tokenizer);
    if (!need) return;
    missing.masks[slots[i]].assign(entry.tokens.size(), 0);
    need(entry.tokens, missing.masks[slots[i]]);
  });
}

/// Everything a vector depends on besides its text: the weights by the bytes that were mapped, the other
/// files of the model, and how it is encoded.
std::vector<cache::Key> TextEncoder::key_prefixes(const EncodeRequest& request) {
  const std::string model =
      fmt::format("{}|{}|{}|{}|{}", model_->folder().weight_hash(), model_->folder().settings_hash(),
                  numerics(), limits_.windows ? "window" : "cut", kEncoderRevision);
  std::vector<cache::Key> prefixes;
  const auto add = [&](const std::string& part) { prefixes.push_back(cache::make_key({}, model + part)); };
  for (const SentenceRequest& sentence : request.sentences) {
    add(fmt::format("|sentence|{}|{}|{}|{}", sentence.layer, encoder::pooling_name(sentence.pooling),
                    sentence.normalize ? "unit" : "raw", limits_.sentences));
  }
  if (!request.keeps_states) return prefixes;
  for (const std::size_t layer : request.layers) add(fmt::format("|states|{}|{}", layer, limits_.tokens));
  return prefixes;
}

/// What the cache has of a block, and so need not be encoded.
void TextEncoder::read_cache(EncodedTexts& out, MissingTexts& missing, const RunContext& context) {
  if (!cache_.active()) return;
  const std::vector<cache::Key> prefixes = key_prefixes(out.request());
  const std::size_t sentences = out.request().sentences.size(), parts = prefixes.size();
  if (parts == 0) return;
  std::vector<cache::Key> keys(out.distinct() * parts);
  for (std::size_t index = 0; index < keys.size(); ++index)
    keys[index] = cache::make_key(prefixes[index % parts], out.written(index / parts));
  std::vector<std::uint8_t> found(keys.size(), 0);
  const auto accept = [&](std::size_t index, MatrixView<const float> rows, std::uint64_t note) {
    const std::size_t slot = index / parts, part = index % parts;
    EncodedTexts::TextEntry& entry = out.entry(slot);
    const std::size_t expected = part < sentences ? 1 : entry.tokens.size();
    if (rows.columns() != width() || rows.rows() != expected) return;
    float* const to =
        part < sentences ? out.sentence_row(slot, part).data() : out.states(slot, part - sentences).data();
    std::copy_n(rows.data(), rows.rows() * rows.columns(), to);
    if (part == 0 && sentences > 0) entry.sentence_counts = unpacked(note);
    found[index] = 1;
  };
  cache_.read(keys, context.pool, accept);
  for (std::size_t slot = 0; slot < out.distinct(); ++slot) {
    const auto of_text = std::span(found).subspan(slot * parts, parts);
    if (all_set(of_text.first(sentences))) missing.sentences[slot] = 0;
    if (parts > sentences && all_set(of_text.subspan(sentences))) missing.states[slot] = 0;
  }
}

void TextEncoder::write_cache(const EncodedTexts& out, const MissingTexts& missing) {
  if (!cache_.active()) return;
  const std::size_t sentences = out.request().sentences.size();
  for_records(out, [&](std::size_t slot, std::size_t part, const cache::Key& key,
                       MatrixView<const float> rows, std::uint64_t note) {
    if ((part < sentences ? missing.sentences : missing.states)[slot] != 0) cache_.write(key, rows, note);
  });
}

void TextEncoder::carry(const EncodedTexts& block, Packer& out) {
  for_records(block, [&](std::size_t, std::size_t, const cache::Key& key, MatrixView<const float> rows,
                         std::uint64_t note) {
    // None is made of 2^32 rows: whoever scores encodes that text anew.
    if (const auto record = cache::make_record(key, rows, note, static_cast<std::size_t>(-1)))
      out.add(std::string_view(reinterpret_cast<const char*>(record->data()), record->size()));
  });
}

/// Every matrix of every distinct text, with its key.
void TextEncoder::for_records(const EncodedTexts& out, Record record) {
  const std::vector<cache::Key> prefixes = key_prefixes(out.request());
  const std::size_t sentences = out.request().sentences.size();
  for (std::size_t slot = 0; slot < out.distinct(); ++slot) {
    for (std::size_t part = 0; part < prefixes.size(); ++part) {
      const cache::Key key = cache::make_key(prefixes[part], out.written(slot));
      if (part < sentences) {
        record(slot, part, key, {out.sentence(slot, part).data(), 1, width()},
               packed(out.sentence_counts(slot)));
      } else {
        record(slot, part, key, out.text(slot).layer(out.request().layers[part - sentences]), 0);
      }
    }
  }
}

}  // namespace markeval::embed
