#include "api/embedding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "api/evaluator_state.hpp"
#include "api/listener.hpp"
#include "api/model_choice.hpp"
#include "base/error.hpp"
#include "base/output_file.hpp"
#include "base/parallel.hpp"
#include "base/suggestion.hpp"
#include "compute/device.hpp"
#include "embed/cached_text_encoder.hpp"
#include "embed/model_store.hpp"
#include "embed/npy_writer.hpp"
#include "embed/places.hpp"
#include "embed/weight_hash.hpp"
#include "text/corpus.hpp"
#include "text/utf8.hpp"
#include "token/token_limit.hpp"

namespace markeval {
namespace {

constexpr std::size_t kWindowTexts = 8192;                   // at most
constexpr std::size_t kWindowBytes = std::size_t{64} << 20;  // of vectors, by a cautious guess

embed::VectorRequest::Pool parse_pool(const std::string& pool) {
  const std::array<std::string, 4> known{"mean", "cls", "max", "none"};
  using Pool = embed::VectorRequest::Pool;
  const std::array<Pool, 4> meaning{Pool::mean, Pool::cls, Pool::max, Pool::none};
  if (pool.empty()) return Pool::model;
  for (std::size_t index = 0; index < known.size(); ++index) {
    if (pool == known[index]) return meaning[index];
  }
  throw_usage(fmt::format("unknown pooling '{}'{}", pool, suggestion(pool, known)));
}

std::string model_folder(const EmbedRequest& request) {
  return embed::find_model(request.model.empty() ? embed::kDefaultModel : request.model);
}

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
    std::span<const std::string_view> segment;
    while (count < most_texts_ && bytes < most_bytes_ && reader_.next(segment)) {
      for (const std::string_view one : segment) {
        const std::string_view stripped = text::strip(one);
        if (count == texts_.size()) texts_.emplace_back();
        texts_[count++].assign(stripped);
        segments_.push_back(reader_.counts().segments);
        bytes += stripped.size();
      }
    }
    views_.assign(texts_.begin(), texts_.begin() + static_cast<std::ptrdiff_t>(count));
    return count > 0;
  }
  std::span<const std::string_view> texts() const { return views_; }
  std::size_t segment(std::size_t index) const { return segments_[index]; }  ///< from 1
  const text::SegmentReader& reader() const { return reader_; }

 private:
  text::SegmentReader reader_;
  std::size_t most_texts_, most_bytes_;
  std::vector<std::string> texts_;  // kept between windows, with their memory
  std::vector<std::string_view> views_;
  std::vector<std::size_t> segments_;
};

/// OUT.tokens.tsv: what the rows stand for.
class TokenTable {
 public:
  explicit TokenTable(const std::string& path) : file_(path), lines_("row\tsegment\tid\tpiece\n") {}

  void add(std::uint64_t row, std::size_t segment, std::int32_t id, std::string_view piece) {
    fmt::format_to(std::back_inserter(lines_), "{}\t{}\t{}\t", row, segment, id);
    for (const char letter : piece) {
      const std::size_t special = std::string_view("\t\n\r").find(letter);
      if (special == std::string_view::npos) {
        lines_ += letter;
      } else {
        lines_ += '\\';
        lines_ += "tnr"[special];
      }
    }
    lines_ += '\n';
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

embed::VectorRequest vector_request(const EmbedRequest& request) {
  embed::VectorRequest vectors;
  vectors.layers = embed::one_layer(request.layer);
  vectors.pool = parse_pool(request.pool);
  vectors.normalize = request.normalize;
  vectors.max_length = request.max_length;
  vectors.long_text = request.windows ? embed::LongText::window : embed::LongText::truncate;
  vectors.precision = parse_precision(request.precision);
  return vectors;
}

std::string signature_of(const std::string& folder, const embed::CachedTextEncoder& encoder) {
  return fmt::format("embed|model:{}|{}|version:{}", embed::model_signature(folder), encoder.signature(),
                     version());
}

std::vector<std::string_view> stripped_texts(std::span<const std::string> texts) {
  std::vector<std::string_view> stripped;
  for (const std::string& text : texts) {
    if (text::valid_prefix(text) != text.size())
      throw_invalid(fmt::format("text {} is not valid UTF-8", stripped.size() + 1));
    stripped.push_back(text::strip(text));
  }
  return stripped;
}

struct WindowSize {
  std::size_t texts, bytes;
};

/// A window holds its vectors. By token, a byte of text makes at most one token and mostly a quarter of one.
WindowSize window_size(const embed::CachedTextEncoder& encoder) {
  const std::size_t row_bytes = encoder.layers() * encoder.width() * sizeof(float);
  if (encoder.by_token()) return {kWindowTexts, std::max<std::size_t>(4096, 4 * kWindowBytes / row_bytes)};
  return {std::clamp<std::size_t>(kWindowBytes / row_bytes, 64, kWindowTexts), kWindowBytes};
}

}  // namespace

TextVectors Evaluator::embed(std::span<const std::string> texts, const EmbedRequest& request,
                             Observer* observer, const std::atomic<bool>* cancel) {
  Listener listener(observer);
  const RunContext context{state_->pool, &listener, &listener, cancel};
  const std::string folder = model_folder(request);
  const embed::VectorRequest wanted = vector_request(request);
  const State::Turn turn(*state_, cancel);
  cache::VectorCache cache(cache_folder(request.cache), embed::default_cache_bytes(), &listener);
  embed::CachedTextEncoder encoder(folder, state_->encoders, cache, wanted, context);
  TextVectors out;
  out.layers = encoder.layers();
  out.columns = encoder.width();
  const std::vector<std::string_view> stripped = stripped_texts(texts);
  for (const std::string_view text : stripped) out.report.empty += text.empty();
  if (encoder.by_token()) {
    out.starts.push_back(0);
  } else {
    out.values.reserve(texts.size() * out.layers * out.columns);
  }
  const WindowSize most = window_size(encoder);
  token::PackedBatch ids;
  for (std::size_t begin = 0, end = 0; begin < stripped.size(); begin = end) {
    context.check_cancelled();
    context.report_progress("encoding", begin, stripped.size());
    for (std::size_t bytes = 0; end < stripped.size() && end - begin < most.texts && bytes < most.bytes;
         ++end)
      bytes += stripped[end].size();
    const auto window = std::span(stripped).subspan(begin, end - begin);
    if (encoder.by_token()) {
      encoder.tokenize(window, ids);
      out.ids.insert(out.ids.end(), ids.ids.begin(), ids.ids.end());
    }
    encoder.encode(window, [&](std::size_t, MatrixView<const float> rows, const embed::TextNote& note) {
      out.values.insert(out.values.end(), rows.data(), rows.data() + rows.rows() * rows.columns());
      out.rows += rows.rows() / out.layers;
      if (encoder.by_token()) out.starts.push_back(out.rows);
      out.report.truncated += note.cut > 0;
      out.report.unknown += note.unknown;
    });
  }
  cache.flush();
  context.report_progress("encoding", stripped.size(), stripped.size());
  out.report.segments = out.report.texts = texts.size();
  out.report.rows = out.rows;
  out.report.hits = cache.counts().hits;
  out.report.misses = cache.counts().misses;
  out.report.signature = signature_of(folder, encoder);
  return out;
}

std::vector<std::vector<std::int32_t>> Evaluator::tokenize(std::span<const std::string> texts,
                                                           const EmbedRequest& request,
                                                           const std::atomic<bool>* cancel) {
  const RunContext context{state_->pool, nullptr, nullptr, cancel};
  const std::string folder = model_folder(request);
  const compute::Precision precision = parse_precision(request.precision);
  const std::vector<std::string_view> stripped = stripped_texts(texts);
  const State::Turn turn(*state_, cancel);
  const embed::TextEncoder& encoder = state_->encoders.get(folder, precision);
  std::size_t limit = encoder.token_request({}).max_length;
  if (request.max_length > 0) limit = std::min(limit, request.max_length);
  token::PackedBatch batch;
  std::vector<embed::TextNote> notes;
  embed::tokenize_texts(encoder.tokenizer(), stripped, request.windows ? token::kNoLimit : limit, batch,
                        notes, context);
  std::vector<std::vector<std::int32_t>> ids;
  for (std::size_t index = 0; index < batch.sequences(); ++index) {
    const auto sequence = batch.sequence(index);
    ids.emplace_back(sequence.begin(), sequence.end());
  }
  return ids;
}

std::string token_table_path(const std::string& output) {
  const bool npy = output.size() > 4 && output.ends_with(".npy");
  return (npy ? output.substr(0, output.size() - 4) : output) + ".tokens.tsv";
}

EmbedReport embed_texts(const EmbedRequest& request, Observer* observer, const std::atomic<bool>* cancel) {
  Listener listener(observer);
  ThreadPool pool(request.threads);
  const RunContext context{pool, &listener, &listener, cancel};
  const std::unique_ptr<compute::Device> device = compute::make_cpu_device(pool);
  const std::string folder = model_folder(request);
  const embed::VectorRequest vectors = vector_request(request);
  cache::VectorCache cache(cache_folder(request.cache), embed::default_cache_bytes(), &listener);
  embed::EncoderStore encoders(*device);
  embed::CachedTextEncoder encoder(folder, encoders, cache, vectors, context);

  const bool by_token = encoder.by_token();
  const WindowSize most = window_size(encoder);
  Windows windows(request, most.texts, most.bytes);
  embed::NpyWriter output(request.output, encoder.layers() == 1
                                              ? std::vector<std::size_t>{encoder.width()}
                                              : std::vector<std::size_t>{encoder.layers(), encoder.width()});
  std::optional<TokenTable> table;
  if (by_token) table.emplace(token_table_path(request.output));
  EmbedReport report;
  token::PackedBatch ids;
  while (windows.next()) {
    context.check_cancelled();
    if (by_token) encoder.tokenize(windows.texts(), ids);
    encoder.encode(
        windows.texts(), [&](std::size_t index, MatrixView<const float> rows, const embed::TextNote& note) {
          if (table) {
            for (const std::int32_t id : ids.sequence(index)) {
              table->add(report.rows++, windows.segment(index), id, encoder.encoder().tokenizer().piece(id));
            }
          } else {
            ++report.rows;
          }
          output.write(std::span(rows.data(), rows.rows() * rows.columns()));
          report.truncated += note.cut > 0;
          report.unknown += note.unknown;
        });
    const std::uint64_t done = windows.reader().counts().segments;
    context.report_progress(fmt::format("{}: {} lines", windows.reader().name(), done), 0, 0);
  }
  cache.flush();
  output.commit();
  if (table) table->commit();
  const text::ReadCounts& read = windows.reader().counts();
  report.segments = read.segments;
  report.texts = read.texts;
  report.empty = read.empty;
  report.replaced = read.replaced;
  report.hits = cache.counts().hits;
  report.misses = cache.counts().misses;
  report.signature = signature_of(folder, encoder);
  return report;
}

EmbedReport tokenize_texts(const EmbedRequest& request,
                           const std::function<void(std::span<const std::int32_t>)>& sink, Observer* observer,
                           const std::atomic<bool>* cancel) {
  Listener listener(observer);
  ThreadPool pool(request.threads);
  const RunContext context{pool, &listener, &listener, cancel};
  const embed::ModelSettings settings = embed::read_model_settings(model_folder(request));
  const token::Tokenizer tokenizer = token::Tokenizer::load(settings.transformer_folder);
  const std::size_t limit = request.windows ? token::kNoLimit
                            : request.max_length > 0
                                ? request.max_length
                                : token::token_limit(settings.transformer_folder, token::LimitFor::tokens);
  Windows windows(request, kWindowTexts, kWindowBytes);
  token::PackedBatch ids;
  std::vector<embed::TextNote> notes;
  EmbedReport report;
  while (windows.next()) {
    context.check_cancelled();
    embed::tokenize_texts(tokenizer, windows.texts(), limit, ids, notes, context);
    for (std::size_t index = 0; index < ids.sequences(); ++index) {
      sink(ids.sequence(index));
      report.truncated += notes[index].cut > 0;
      report.unknown += notes[index].unknown;
    }
  }
  const text::ReadCounts& read = windows.reader().counts();
  report.segments = read.segments;
  report.texts = report.rows = read.texts;
  report.empty = read.empty;
  report.replaced = read.replaced;
  return report;
}

}  // namespace markeval
