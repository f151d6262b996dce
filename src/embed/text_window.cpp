#include "embed/text_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/error.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kMaxTexts = 4096;
// About; texts are measured before they are tokenised. Where a text becomes one row, a larger window finds
// more texts that occur twice.
constexpr std::size_t kMaxTokens = 16 * 1024, kMaxPooledTokens = 64 * 1024;
constexpr std::size_t kMaxResultBytes = 64u << 20;
constexpr std::size_t kBytesPerToken = 3;  // or more, for what people write

}  // namespace

TextWindow::TextWindow(encoder::Encoder& encoder, const token::Tokenizer& tokenizer,
                       const TextRequest& request, const RunContext& context)
    : encoder_(encoder),
      tokenizer_(tokenizer),
      request_(request),
      context_(context),
      scratch_(context.pool.size()) {
  if (request.max_length <= tokenizer.special_count()) {
    throw_usage(fmt::format("max-length {} leaves no room beside {} special tokens", request.max_length,
                            tokenizer.special_count()));
  }
  const std::size_t row_bytes = std::max<std::size_t>(1, hidden() * request.layers.size() * sizeof(float));
  const std::size_t tokens =
      request.pooling ? kMaxPooledTokens : std::min(kMaxTokens, kMaxResultBytes / row_bytes);
  max_bytes_ = std::max<std::size_t>(1, tokens * kBytesPerToken);
}

bool TextWindow::fill(TextSource source) {
  count_ = 0;
  std::size_t bytes = 0;
  std::string_view text;
  while (count_ < kMaxTexts && bytes < max_bytes_ && source(text)) {
    if (count_ == entries_.size()) entries_.emplace_back();
    entries_[count_++].text.assign(text);
    bytes += text.size() + 2 * kBytesPerToken;  // special tokens
  }
  return count_ > 0;
}

void TextWindow::encode() {
  find_originals();
  tokenize();
  encode_short();
  for (const std::size_t index : originals_) {
    if (entries_[index].is_long) encode_long(entries_[index]);
  }
}

void TextWindow::find_originals() {
  std::unordered_map<std::string_view, std::size_t> first;
  originals_.clear();
  for (std::size_t index = 0; index < count_; ++index) {
    const auto [found, is_new] = first.emplace(entries_[index].text, index);
    entries_[index].original = found->second;
    if (is_new) originals_.push_back(index);
  }
}

void TextWindow::tokenize() {
  const bool windows = request_.long_text == LongText::window;
  context_.pool.for_each(originals_.size(), [&](std::size_t number, std::size_t worker) {
    Entry& entry = entries_[originals_[number]];
    const std::size_t limit = windows ? token::kNoLimit : request_.max_length;
    tokenizer_.encode(entry.text, limit, scratch_[worker], entry.tokens);
    entry.is_long = entry.tokens.ids.size() > request_.max_length;
  });
}

void TextWindow::encode_short() {
  std::vector<Entry*> members;
  for (const std::size_t index : originals_) {
    if (!entries_[index].is_long) members.push_back(&entries_[index]);
  }
  std::size_t next = 0;
  encoder::encode_sequences(
      encoder_,
      [&](std::vector<std::int32_t>& ids) {
        if (next == members.size()) return false;
        ids = members[next++]->tokens.ids;
        return true;
      },
      {.layers = request_.layers,
       .pooling = request_.pooling,
       .normalize = request_.normalize,
       .text_of = [&](std::size_t sequence) { return std::string_view(members[sequence]->text); }},
      [&](std::size_t sequence, std::span<const MatrixView<const float>> layers) {
        std::vector<float>& rows = members[sequence]->rows;
        rows.clear();
        for (const MatrixView<const float>& layer : layers) {
          rows.insert(rows.end(), layer.data(), layer.data() + layer.rows() * layer.columns());
        }
      },
      context_);
}

void TextWindow::encode_long(Entry& entry) {
  const TextShape shape = text_shape(entry.tokens.special);
  const std::size_t size = request_.max_length - shape.before - shape.after;
  const std::vector<std::size_t> starts = window_starts(shape.tokens, size);
  const std::vector<std::int32_t>& ids = entry.tokens.ids;
  std::vector<WindowMean> means(request_.layers.size(), WindowMean(shape, hidden()));
  std::size_t next = 0;
  encoder::encode_sequences(
      encoder_,
      [&](std::vector<std::int32_t>& window) {
        if (next == starts.size()) return false;
        const auto own = ids.begin() + static_cast<std::ptrdiff_t>(shape.before + starts[next++]);
        window.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(shape.before));
        window.insert(window.end(), own, own + static_cast<std::ptrdiff_t>(size));
        window.insert(window.end(), ids.end() - static_cast<std::ptrdiff_t>(shape.after), ids.end());
        return true;
      },
      {.layers = request_.layers,
       .pooling = {},
       .text_of = [&](std::size_t) { return std::string_view(entry.text); }},
      [&](std::size_t window, std::span<const MatrixView<const float>> layers) {
        for (std::size_t layer = 0; layer < layers.size(); ++layer)
          means[layer].add(starts[window], layers[layer]);
      },
      context_);
  entry.rows.clear();
  for (const WindowMean& layer : means) {
    std::vector<float> rows = layer.mean();
    pool_on_host(rows, ids.size());
    entry.rows.insert(entry.rows.end(), rows.begin(), rows.end());
  }
}

// What the device does for short texts (compute/transformer.hpp), for one text whose rows are here already.
void TextWindow::pool_on_host(std::vector<float>& rows, std::size_t count) const {
  const std::size_t columns = hidden();
  if (request_.pooling) {
    for (std::size_t column = 0; column < columns; ++column) {
      float value = rows[column];
      for (std::size_t row = 1; row < count && *request_.pooling != compute::Pooling::cls; ++row) {
        const float other = rows[row * columns + column];
        value = *request_.pooling == compute::Pooling::max ? std::max(value, other) : value + other;
      }
      rows[column] = *request_.pooling == compute::Pooling::mean ? value / static_cast<float>(count) : value;
    }
    rows.resize(columns);
  }
  if (!request_.normalize) return;
  for (std::size_t begin = 0; begin < rows.size(); begin += columns) {
    double squares = 0;
    for (std::size_t column = 0; column < columns; ++column) {
      squares += static_cast<double>(rows[begin + column]) * rows[begin + column];
    }
    const auto length = static_cast<float>(std::max(std::sqrt(squares), 1e-12));
    for (std::size_t column = 0; column < columns; ++column) rows[begin + column] /= length;
  }
}

TextCounts TextWindow::deliver(std::size_t first, TextSink sink) const {
  TextCounts counts;
  std::vector<MatrixView<const float>> layers(request_.layers.size());
  for (std::size_t index = 0; index < count_; ++index) {
    const Entry& entry = entries_[entries_[index].original];
    const std::size_t rows = request_.pooling ? 1 : entry.tokens.ids.size();
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      layers[layer] = {entry.rows.data() + layer * rows * hidden(), rows, hidden()};
    }
    sink({first + index, entry.tokens, layers});
    counts.texts += 1;
    counts.tokens += entry.tokens.ids.size();
    counts.empty +=
        std::ranges::all_of(entry.tokens.special, [](std::uint8_t special) { return special != 0; }) ? 1 : 0;
    counts.truncated += entry.tokens.counts.cut > 0 ? 1 : 0;
    counts.cut_tokens += entry.tokens.counts.cut;
    counts.windowed += entry.is_long ? 1 : 0;
    counts.unknown += entry.tokens.counts.unknown;
  }
  return counts;
}

}  // namespace markeval::embed
