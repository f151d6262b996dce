// The input is read in windows, each is encoded and written row by row; token tables go beside the array.
#include "score/embedding.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "base/block_progress.hpp"
#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/paths.hpp"
#include "base/version.hpp"
#include "embed/text_encoder.hpp"
#include "embed/token_vector_source.hpp"
#include "encoder/pooling.hpp"
#include "encoder/text_error.hpp"
#include "request/lookup.hpp"
#include "score/listener.hpp"
#include "score/runtime.hpp"
#include "text/corpus.hpp"
#include "text/utf8.hpp"
#include "vectors/npy.hpp"

namespace markeval::score {
namespace {

constexpr std::size_t kWindowTexts = 8192;                   // at most
constexpr std::size_t kWindowBytes = std::size_t{64} << 20;  // of vectors, by a cautious guess

/// The texts of an input, window by window, stripped.
class Windows {
 public:
  Windows(const EmbedRequest& request, std::size_t most_texts, std::size_t most_bytes)
      : reader_(std::string_view(request.input), text::ReadOptions{request.replace_invalid}),
        most_texts_(most_texts),
        most_bytes_(most_bytes) {}

  /// False when there are no more.
  bool next() {
    std::size_t count = 0, bytes = 0;
    segments_.clear();
    lines_.clear();
    std::span<const std::string_view> segment;
    while (count < most_texts_ && bytes < most_bytes_ && reader_.next(segment)) {
      for (const std::string_view one : segment) {
        const std::string_view stripped = text::strip(one);
        if (count == texts_.size()) texts_.emplace_back();
        texts_[count++].assign(stripped);
        segments_.push_back(reader_.counts().segments);
        lines_.push_back(reader_.line_number());
        bytes += stripped.size();
      }
    }
    views_.assign(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(count));
    return count > 0;
  }
  std::span<const std::string_view> texts() const { return views_; }
  std::size_t segment(std::size_t index) const { return segments_[index]; }  ///< from 1
  const text::SegmentReader& reader() const { return reader_; }
  /// Where a text of the window stands: "lines.txt:3".
  std::string where_is(std::string_view text) const {
    const auto found = std::ranges::find(views_, text);
    if (found == views_.end()) return reader_.name();
    return fmt::format("{}:{}", reader_.name(), lines_[static_cast<std::size_t>(found - views_.begin())]);
  }

 private:
  text::SegmentReader reader_;
  std::size_t most_texts_, most_bytes_;
  std::vector<std::string> texts_;  // kept between windows, with their memory
  std::vector<std::string_view> views_;
  std::vector<std::size_t> segments_, lines_;
};

/// OUT.tokens.tsv: what the rows stand for.
class TokenTable {
 public:
  explicit TokenTable(const std::string& path) : file_(path), lines_("row\tsegment\tid\tpiece\tkind\n") {}

  void add(std::uint64_t row, std::size_t segment, std::int32_t id, const embed::TokenFact& token) {
    fmt::format_to(std::back_inserter(lines_), "{}\t{}\t{}\t", row, segment, id);
    for (const char letter : token.piece) {
      const std::size_t special = std::string_view("\t\n\r").find(letter);
      if (special == std::string_view::npos) {
        lines_ += letter;
      } else {
        lines_ += '\\';
        lines_ += "tnr"[special];
      }
    }
    lines_ += token.special ? "\tspecial\n" : token.starts_word ? "\tword\n" : "\tpart\n";
    if (lines_.size() > (1 << 20)) flush();
  }
  void commit() {
    flush();
    file_.commit();
  }

 private:
  void flush() {
    file_.write(std::as_bytes(std::span(lines_)));
    lines_.clear();
  }
  OutputFile file_;
  std::string lines_;
};

/// What a request means for a model: which rows a text gives, in which order.
class EmbedRows {
 public:
  EmbedRows(const EmbedRequest& request, embed::TextEncoder& encoder)
      : encoder_(encoder), layers_(chosen_layers(request.layer, encoder.last_layer())) {
    const std::array<std::string, 4> known{"mean", "cls", "max", "none"};
    if (!request.pool.empty()) request::require_known("pooling", request.pool, known);
    embed::SentenceRequest sentence = encoder.default_sentence();
    if (!request.pool.empty()) sentence.normalize = false;
    sentence.normalize = sentence.normalize || request.normalize;
    if (request.pool == "mean") sentence.pooling = compute::Pooling::mean;
    if (request.pool == "cls") sentence.pooling = compute::Pooling::cls;
    if (request.pool == "max") sentence.pooling = compute::Pooling::max;
    normalize_ = sentence.normalize;
    if (request.pool == "none") {
      wanted_ = {layers_, {}, true};
    } else {
      for (const std::size_t layer : layers_) {
        sentence.layer = layer;
        wanted_.sentences.push_back(sentence);
      }
    }
    settings_ =
        fmt::format("model:{}|layer:{}|pool:{}|normalize:{}|max_length:{}|long:{}|precision:{}",
                    encoder.model().folder().signature(),
                    request.layer ? fmt::format("{}", fmt::join(layers_, "+")) : std::string("all"),
                    by_token() ? "none" : encoder::pooling_name(sentence.pooling), normalize_ ? "yes" : "no",
                    request.encoder.max_length == 0 ? "model" : std::to_string(request.encoder.max_length),
                    request.encoder.windows ? "window" : "truncate", encoder.numerics());
  }

  bool by_token() const { return wanted_.wants_tokens(); }
  std::size_t layers() const { return layers_.size(); }
  std::size_t width() const { return encoder_.width(); }
  std::string signature() const { return fmt::format("embed|{}|version:{}", settings_, version()); }
  /// What makes the vectors what they are, for whoever learns from them. Not the version: the next one makes
  /// the same.
  const std::string& maker() const { return settings_; }

  /// A window holds its vectors. By token, a byte of text makes at most one token and mostly a quarter of
  /// one.
  std::size_t texts_per_window() const {
    return by_token() ? kWindowTexts : std::clamp<std::size_t>(kWindowBytes / row_bytes(), 64, kWindowTexts);
  }
  std::size_t bytes_per_window() const {
    return by_token() ? std::max<std::size_t>(4096, 4 * kWindowBytes / row_bytes()) : kWindowBytes;
  }

  /// Calls `sink(text, tokens, values)` for every text in order: a row per layer, or per token and layer, the
  /// layers of a token together. There are no tokens where rows are none.
  template <typename Sink>
  void encode(std::span<const std::string_view> texts, const RunContext& context, EmbedReport& report,
              const Sink& sink) {
    const embed::EncodedTexts encoded = encoder_.encode(texts, wanted_, {}, context);
    std::vector<float> values;
    for (std::size_t index = 0; index < texts.size(); ++index) {
      const std::size_t slot = encoded.slot(index);
      report.counts += by_token() ? encoded.counts(slot) : encoded.sentence_counts(slot);
      values.clear();
      for (std::size_t which = 0; which < wanted_.sentences.size(); ++which) {
        const std::span<const float> row = encoded.sentence(slot, which);
        values.insert(values.end(), row.begin(), row.end());
      }
      const embed::EncodedText text = encoded.text(slot);
      for (std::size_t token = 0; token < text.tokens.size(); ++token) {
        for (const std::size_t layer : layers_) {
          const std::span<const float> row = text.layer(layer).row(token);
          values.insert(values.end(), row.begin(), row.end());
          if (normalize_) embed::to_unit_length(std::span(values).last(width()));
        }
      }
      sink(index, text.tokens, std::span<const float>(values));
    }
  }

 private:
  static std::vector<std::size_t> chosen_layers(std::optional<int> layer, std::size_t last) {
    std::vector<std::size_t> all(last + 1);
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (!layer) return all;
    const int count = static_cast<int>(all.size()), index = *layer < 0 ? *layer + count : *layer;
    if (index < 0 || index >= count) {
      throw_usage(fmt::format("layer {}: the model has layers 0 to {} (or -1 to {} from the end)", *layer,
                              last, -count));
    }
    return {static_cast<std::size_t>(index)};
  }
  std::size_t row_bytes() const { return layers() * width() * sizeof(float); }

  embed::TextEncoder& encoder_;
  std::vector<std::size_t> layers_;
  embed::EncodeRequest wanted_;
  bool normalize_ = false;
  std::string settings_;
};

std::vector<std::string_view> stripped_texts(std::span<const std::string> texts) {
  std::vector<std::string_view> stripped;
  for (const std::string& text : texts) {
    if (text::valid_prefix(text) != text.size())
      throw_invalid(fmt::format("text {} is not valid UTF-8", stripped.size() + 1));
    stripped.push_back(text::strip(text));
  }
  return stripped;
}

void take_counts(const text::ReadCounts& read, EmbedReport& report) {
  report.segments = read.segments;
  report.empty = read.empty;
  report.replaced = read.replaced;
}

}  // namespace

TextVectors embed(std::span<const std::string> texts, const EmbedRequest& request, const Caller& caller) {
  const auto& [runtime, observer, cancel] = caller;
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool, &listener, &listener};
  cache::VectorCache cache = open_cache(request.encoder, &listener);
  embed::TextEncoder encoder(runtime.models, request.encoder, cache);
  EmbedRows rows(request, encoder);
  TextVectors out;
  out.layers = rows.layers();
  out.columns = rows.width();
  const std::vector<std::string_view> stripped = stripped_texts(texts);
  for (const std::string_view text : stripped) out.report.empty += text.empty();
  if (rows.by_token()) out.starts.push_back(0);
  for (std::size_t begin = 0, end = 0; begin < stripped.size(); begin = end) {
    context.check_cancelled();
    for (std::size_t bytes = 0;
         end < stripped.size() && end - begin < rows.texts_per_window() && bytes < rows.bytes_per_window();
         ++end)
      bytes += stripped[end].size();
    const BlockProgress progress(context, "encoding", begin, end, stripped.size());
    try {
      rows.encode(std::span(stripped).subspan(begin, end - begin), progress.context(), out.report,
                  [&](std::size_t, const embed::TextTokens& tokens, std::span<const float> values) {
                    out.values.insert(out.values.end(), values.begin(), values.end());
                    out.rows += values.size() / (out.layers * out.columns);
                    if (!rows.by_token()) return;
                    out.ids.insert(out.ids.end(), tokens.ids.begin(), tokens.ids.end());
                    out.starts.push_back(out.rows);
                  });
    } catch (const encoder::TextError& error) {
      const auto found = std::ranges::find(stripped, error.text());
      throw error.at(fmt::format("text {}", found - stripped.begin() + 1));
    }
  }
  cache.flush();
  context.report_progress("encoding", stripped.size(), stripped.size());
  out.report.segments = texts.size();
  out.report.rows = out.rows;
  out.report.hits = encoder.cache_use().cached;
  out.report.misses = encoder.cache_use().encoded;
  out.report.signature = rows.signature();
  return out;
}

std::vector<std::vector<std::int32_t>> tokenize(std::span<const std::string> texts,
                                                const EmbedRequest& request, const Caller& caller) {
  const auto& [runtime, observer, cancel] = caller;
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool};
  cache::VectorCache no_cache("none");
  embed::TextEncoder encoder(runtime.models, request.encoder, no_cache);
  std::vector<std::vector<std::int32_t>> ids;
  for (embed::TokenIds& text : encoder.token_ids(stripped_texts(texts), context))
    ids.push_back(std::move(text.ids));
  return ids;
}

std::vector<std::string> paths_beside_tokens(const std::string& output) {
  return {embed::token_table_of(output), embed::token_maker_file_of(output)};
}

namespace {

/// What is written must not be what is read.
void require_no_model_file(const EmbedRequest& request, embed::TextEncoder& encoder) {
  std::vector<std::string> outputs = paths_beside_tokens(request.output);
  outputs.push_back(request.output);
  for (const std::string& output : outputs) {
    if (encoder.model().folder().has_file(output))
      throw_usage(fmt::format("'{}' is a file of the model, expected another name for the vectors", output));
  }
}

}  // namespace

EmbedReport embed_texts(const EmbedRequest& request, const Caller& caller) {
  const auto& [runtime, observer, cancel] = caller;
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool, &listener, &listener};
  cache::VectorCache cache = open_cache(request.encoder, &listener);
  embed::TextEncoder encoder(runtime.models, request.encoder, cache);
  require_no_model_file(request, encoder);
  EmbedRows rows(request, encoder);
  Windows windows(request, rows.texts_per_window(), rows.bytes_per_window());
  vectors::NpyWriter output(request.output, rows.layers() == 1
                                                ? std::vector<std::size_t>{rows.width()}
                                                : std::vector<std::size_t>{rows.layers(), rows.width()});
  std::optional<TokenTable> table;
  std::optional<OutputFile> maker;
  if (rows.by_token()) {
    table.emplace(embed::token_table_of(request.output));
    const std::string line = rows.maker() + "\n";
    maker.emplace(embed::token_maker_file_of(request.output)).write(std::as_bytes(std::span(line)));
  }
  EmbedReport report;
  while (windows.next()) {
    context.check_cancelled();
    const std::uint64_t done = windows.reader().counts().segments, texts = windows.texts().size();
    const BlockProgress progress(context, fmt::format("{}: lines up to {}", windows.reader().name(), done), 0,
                                 texts, texts);
    try {
      rows.encode(windows.texts(), progress.context(), report,
                  [&](std::size_t index, const embed::TextTokens& tokens, std::span<const float> values) {
                    output.write(values);
                    if (!table) ++report.rows;
                    for (std::size_t token = 0; token < tokens.size(); ++token)
                      table->add(report.rows++, windows.segment(index), tokens.ids[token],
                                 tokens.facts[token]);
                  });
    } catch (const encoder::TextError& error) {
      throw error.at(windows.where_is(error.text()));
    }
  }
  cache.flush();
  // Table and maker belong to these rows. Where one cannot take its name after the rows have, they go again:
  // never rows beside the table of others.
  output.commit();
  try {
    if (table) table->commit();
    if (maker) maker->commit();
  } catch (const Error&) {
    remove_file(request.output);
    throw;
  }
  take_counts(windows.reader().counts(), report);
  report.hits = encoder.cache_use().cached;
  report.misses = encoder.cache_use().encoded;
  report.signature = rows.signature();
  return report;
}

EmbedReport tokenize_texts(const EmbedRequest& request,
                           const std::function<void(std::span<const std::int32_t>)>& sink,
                           const Caller& caller) {
  const auto& [runtime, observer, cancel] = caller;
  Listener listener(observer);
  const CancelScope stoppable(cancel);
  const RunContext context{runtime.pool, &listener, &listener};
  cache::VectorCache no_cache("none");
  embed::TextEncoder encoder(runtime.models, request.encoder, no_cache);
  Windows windows(request, kWindowTexts, kWindowBytes);
  EmbedReport report;
  while (windows.next()) {
    context.check_cancelled();
    for (const embed::TokenIds& text : encoder.token_ids(windows.texts(), context)) {
      sink(text.ids);
      report.counts += text.counts;
    }
  }
  take_counts(windows.reader().counts(), report);
  report.rows = report.counts.texts;
  return report;
}

}  // namespace markeval::score
