// The steps: choose sequences and windows, fill batches, run the encoder, copy rows, pool texts that were cut
// into windows.
#include "embed/encode_task.hpp"

#include <fmt/format.h>

#include <cassert>
#include <limits>

#include "base/finite.hpp"
#include "encoder/batches.hpp"
#include "encoder/text_error.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kNoLayer = std::numeric_limits<std::size_t>::max();

/// What the device does for a text in one piece (compute/transformer.hpp), for rows that are here already.
void pool_rows(MatrixView<const float> rows, const SentenceRequest& request, std::span<float> out) {
  std::copy_n(rows.row(0).data(), out.size(), out.data());
  for (std::size_t row = 1; row < rows.rows() && request.pooling != compute::Pooling::cls; ++row) {
    for (std::size_t column = 0; column < out.size(); ++column) {
      const float value = rows(row, column);
      out[column] =
          request.pooling == compute::Pooling::max ? std::max(out[column], value) : out[column] + value;
    }
  }
  if (request.pooling == compute::Pooling::mean) {
    for (float& value : out) value /= static_cast<float>(rows.rows());
  }
  if (request.normalize) to_unit_length(out);
}

/// Whether all tokens [first, first + count) are marked.
bool all_marked(std::span<const std::uint8_t> marks, std::size_t first, std::size_t count) {
  return std::ranges::all_of(marks.subspan(first, count), [](std::uint8_t mark) { return mark != 0; });
}

}  // namespace

EncodeTask::EncodeTask(const MissingTexts& missing, const LengthLimits& limits, std::size_t batch_tokens,
                       EncodedTexts& out)
    : missing_(missing),
      limits_(limits),
      out_(out),
      layers_(out.request().all_layers()),
      bad_layer_(out.distinct(), kNoLayer) {
  for (std::size_t text = 0; text < out.distinct(); ++text) {
    if (missing.lacks(text)) plan(text);
  }
  std::vector<std::size_t> lengths;
  for (const Sequence& sequence : sequences_) lengths.push_back(sequence.length());
  batches_ = encoder::plan_batches(lengths, batch_tokens);
}

std::size_t EncodeTask::next_tokens() const {
  std::size_t tokens = 0;
  for (const std::size_t index : batches_[started_]) tokens += sequences_[index].length();
  return tokens;
}

/// The sequences a text needs: one where both kinds of rows come from the same tokens.
void EncodeTask::plan(std::size_t text) {
  const TextShape shape = text_shape(missing_.encodings[text].special);
  const bool states = missing_.states[text] != 0, sentences = missing_.sentences[text] != 0;
  const std::size_t token_room = limits_.tokens - shape.specials();
  const std::size_t sentence_room = limits_.sentences - shape.specials();
  const bool alike = token_room == sentence_room || shape.tokens <= std::min(token_room, sentence_room);
  if (states && sentences && alike) return add(text, shape, token_room, true, true);
  if (states) add(text, shape, token_room, true, false);
  if (sentences) add(text, shape, sentence_room, false, true);
}

void EncodeTask::add(std::size_t text, const TextShape& shape, std::size_t room, bool states,
                     bool sentences) {
  if (shape.tokens + shape.specials() == 0) {
    throw encoder::TextError(fmt::format("text {}", text + 1), out_.written(text),
                             "the tokenizer of the model makes no tokens of this text");
  }
  // A row that no sequence gives would be memory nobody wrote.
  if (states && shape.tokens > room && !limits_.windows) {
    throw encoder::TextError(fmt::format("text {}", text + 1), out_.written(text),
                             fmt::format("{} tokens where the model has room for {}", shape.tokens, room));
  }
  const std::size_t tokens = limits_.windows ? shape.tokens : std::min(shape.tokens, room);
  const std::vector<TextWindow> windows = text_windows(tokens, room);
  for (const TextWindow& window : windows) {
    // The first window also gives the special tokens before the text, the last one those behind it.
    const bool is_first = window.begin == 0, is_last = window.end == tokens;
    const std::size_t begin = is_first ? 0 : shape.before + window.keep_begin - window.begin;
    const std::size_t end =
        is_last ? shape.specials() + window.size() : shape.before + window.keep_end - window.begin;
    sequences_.push_back({text, shape, window.begin, window.size(), begin, end, window.begin + begin, states,
                          sentences, windows.size() > 1});
  }
}

/// Tokens may be left out of the last layer where nobody pools it and nobody keeps it.
bool EncodeTask::may_skip_tokens() const {
  const EncodeRequest& request = out_.request();
  const bool pools_last = std::ranges::any_of(
      request.sentences, [&](const SentenceRequest& sentence) { return sentence.layer == layers_.back(); });
  return !pools_last && !request.keeps_states && !limits_.windows && !missing_.masks.empty();
}

/// Where the rows of a window wait for those of the other windows.
std::span<float> EncodeTask::window_rows(const Sequence& sequence, std::size_t which) {
  const std::size_t width = out_.width();
  std::vector<float>& all = long_rows_[sequence.text * out_.request().sentences.size() + which];
  all.resize(missing_.encodings[sequence.text].ids.size() * width);
  return std::span(all).subspan(sequence.row * width, (sequence.keep_end - sequence.keep_begin) * width);
}

void EncodeTask::finish() {
  for (std::size_t text = 0; text < bad_layer_.size(); ++text) {
    if (bad_layer_[text] == kNoLayer) continue;
    throw encoder::TextError(fmt::format("text {}", text + 1), out_.written(text),
                             encoder::not_finite(bad_layer_[text]));
  }
  const std::vector<SentenceRequest>& sentences = out_.request().sentences;
  for (const auto& [index, rows] : long_rows_) {
    pool_rows({rows.data(), rows.size() / out_.width(), out_.width()}, sentences[index % sentences.size()],
              out_.sentence_row(index / sentences.size(), index % sentences.size()));
  }
}

void EncodeBatch::add(EncodeTask& task) {
  for (const std::size_t index : task.batches_[task.started_]) {
    const EncodeTask::Sequence& sequence = task.sequences_[index];
    members_.push_back({&task, &sequence, tokens_});
    tokens_ += sequence.length();
  }
  ++task.started_;
}

void EncodeBatch::append(const EncodeBatch& other) {
  for (Member member : other.members_) {
    member.first += tokens_;
    members_.push_back(member);
  }
  tokens_ += other.tokens_;
}

void EncodeBatch::run(encoder::Encoder& encoder) {
  token::PackedBatch batch;
  needed_.clear();
  const bool may_skip =
      std::ranges::all_of(members_, [](const Member& member) { return member.task->may_skip_tokens(); });
  for (const auto& [task, sequence, first] : members_) {
    const std::span<const std::int32_t> ids = task->missing_.encodings[sequence->text].ids;
    const TextShape& shape = sequence->shape;
    const auto append = [&](std::span<const std::int32_t> part) {
      batch.ids.insert(batch.ids.end(), part.begin(), part.end());
    };
    append(ids.first(shape.before));
    append(ids.subspan(shape.before + sequence->first, sequence->count));
    append(ids.last(shape.after));
    batch.starts.push_back(batch.ids.size());
    if (!may_skip) continue;
    const std::vector<std::uint8_t>& mask = task->missing_.masks[sequence->text];
    if (sequence->for_states) {
      needed_.insert(needed_.end(), mask.begin(), mask.end());
    } else {
      needed_.resize(batch.ids.size(), 1);
    }
  }
  compute::Device& device = encoder.device();
  const std::span<const std::size_t> layers = members_.front().task->layers();
  encoder.run(
      batch, layers,
      [&](std::size_t layer, const compute::Sequences& sequences, compute::DeviceMatrix<const float> states) {
        std::vector<std::uint8_t> finite = device.transformer().finite_rows(states);
        if (layer == layers.back()) {
          for (std::size_t row = 0; row < needed_.size(); ++row)
            if (needed_[row] == 0) finite[row] = 1;
        }
        take_states(device, layer, states, finite);
        take_sentences(device, layer, sequences, states, finite);
      },
      needed_);
}

void EncodeBatch::take_states(compute::Device& device, std::size_t layer,
                              compute::DeviceMatrix<const float> states,
                              std::span<const std::uint8_t> finite) {
  std::vector<compute::RowsDownload<float>> parts;
  for (const auto& [task, sequence, start] : members_) {
    const std::vector<std::size_t>& wanted = task->out_.request().layers;
    if (!sequence->for_states || !std::ranges::binary_search(wanted, layer)) continue;
    const std::size_t rows = sequence->keep_end - sequence->keep_begin, first = start + sequence->keep_begin;
    const std::size_t index = task->out_.request().index_of(layer);
    parts.push_back({first, task->out_.states(sequence->text, index).rows_from(sequence->row, rows)});
    if (!all_marked(finite, first, rows)) task->note_bad(sequence->text, layer);
  }
  compute::download_parts<float>(device, states, parts);
}

void EncodeBatch::take_sentences(compute::Device& device, std::size_t layer,
                                 const compute::Sequences& sequences,
                                 compute::DeviceMatrix<const float> states,
                                 std::span<const std::uint8_t> finite) {
  // One pooling serves all members that want it.
  std::vector<std::pair<SentenceRequest, std::vector<float>>> pooled;
  const auto pooled_rows = [&](const SentenceRequest& request) -> const std::vector<float>& {
    for (const auto& [made, rows] : pooled) {
      if (made == request) return rows;
    }
    const auto rows = compute::allocate_matrix<float>(device, members_.size(), states.columns);
    device.transformer().pool(sequences, states, request.pooling, rows.view());
    if (request.normalize) device.transformer().normalize_rows(rows.view());
    return pooled.emplace_back(request, compute::download_matrix(device, rows.view())).second;
  };
  const std::size_t width = states.columns;
  std::vector<compute::RowsDownload<float>> parts;
  for (std::size_t index = 0; index < members_.size(); ++index) {
    const auto& [task, sequence, first] = members_[index];
    if (!sequence->for_sentences) continue;
    const std::vector<SentenceRequest>& requests = task->out_.request().sentences;
    for (std::size_t which = 0; which < requests.size(); ++which) {
      if (requests[which].layer != layer) continue;
      // Pooling may hide a token's NaN: a maximum does not show it, the first row need not hold it.
      bool good = all_marked(finite, first, sequence->length());
      if (sequence->is_window) {
        const std::span<float> to = task->window_rows(*sequence, which);
        parts.push_back({first + sequence->keep_begin, {to.data(), to.size() / width, width}});
      } else {
        const std::span<float> to = task->out_.sentence_row(sequence->text, which);
        std::copy_n(pooled_rows(requests[which]).data() + index * width, width, to.data());
        good = good && all_finite(to);
      }
      if (!good) task->note_bad(sequence->text, layer);
    }
  }
  compute::download_parts<float>(device, states, parts);
}

TextShape text_shape(std::span<const std::uint8_t> special) {
  TextShape shape;
  while (shape.before < special.size() && special[shape.before] != 0) ++shape.before;
  while (shape.before + shape.after < special.size() && special[special.size() - 1 - shape.after] != 0)
    ++shape.after;
  shape.tokens = special.size() - shape.before - shape.after;
  return shape;
}

std::vector<TextWindow> text_windows(std::size_t tokens, std::size_t size) {
  assert(size > 0);
  std::vector<TextWindow> windows{{0, std::min(tokens, size), 0, std::min(tokens, size)}};
  const std::size_t step = std::max<std::size_t>(1, size / 2);
  while (windows.back().end < tokens) {
    TextWindow& last = windows.back();
    const std::size_t begin = std::min(last.begin + step, tokens - size);
    const std::size_t middle = (begin + last.end) / 2;
    last.keep_end = middle;
    windows.push_back({begin, begin + size, middle, begin + size});
  }
  return windows;
}

}  // namespace markeval::embed
