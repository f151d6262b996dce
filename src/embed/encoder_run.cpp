#include "embed/encoder_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <unordered_map>

#include "base/finite.hpp"
#include "encoder/batches.hpp"
#include "encoder/text_error.hpp"

namespace markeval::embed {
namespace {

constexpr std::size_t kBatchTokens = 1024;  // a longer sequence is a batch of its own
constexpr std::size_t kNoLayer = std::numeric_limits<std::size_t>::max();

/// What the encoder runs: a text, the beginning of one that is too long, or one of its windows.
struct Sequence {
  std::size_t place;                 ///< of the text in the block
  std::size_t first, count;          ///< its own tokens, special ones not counted
  std::size_t keep_begin, keep_end;  ///< these rows of the sequence are rows of the text ...
  std::size_t row;                   ///< ... from this one on
  bool for_states, for_sentences;
  bool is_window;
};

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

class EncoderRun {
 public:
  EncoderRun(encoder::Encoder& encoder, const MissingTexts& missing, const LengthLimits& limits,
             EncodedTexts& out, const RunContext& context)
      : encoder_(encoder),
        missing_(missing),
        limits_(limits),
        request_(out.request()),
        out_(out),
        context_(context),
        layers_(request_.all_layers()),
        bad_layer_(out.distinct(), kNoLayer) {
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      if (missing.lacks(place)) plan(place);
    }
  }

  void run() {
    std::vector<std::size_t> lengths;
    for (const Sequence& sequence : sequences_)
      lengths.push_back(shape_of(sequence).specials() + sequence.count);
    const std::vector<std::vector<std::size_t>> batches = encoder::plan_batches(lengths, kBatchTokens);
    for (std::size_t batch = 0; batch < batches.size(); ++batch) {
      context_.check_cancelled();
      context_.report_progress("encoding", batch, batches.size());
      run_batch(batches[batch]);
    }
    for (std::size_t place = 0; place < bad_layer_.size(); ++place) {
      if (bad_layer_[place] == kNoLayer) continue;
      throw encoder::TextError(fmt::format("text {}", place + 1), out_.written(place),
                               encoder::not_finite(bad_layer_[place]));
    }
    const std::size_t sentences = request_.sentences.size();
    for (const auto& [index, rows] : long_rows_) {
      pool_rows({rows.data(), rows.size() / width(), width()}, request_.sentences[index % sentences],
                out_.sentence_row(index / sentences, index % sentences));
    }
  }

 private:
  std::size_t width() const { return out_.width(); }
  TextShape shape_of(const Sequence& sequence) const {
    return text_shape(missing_.encodings[sequence.place].special);
  }

  /// The sequences a text needs: one where both kinds of rows come from the same tokens.
  void plan(std::size_t place) {
    const TextShape shape = text_shape(missing_.encodings[place].special);
    const bool states = missing_.states[place] != 0, sentences = missing_.sentences[place] != 0;
    const std::size_t token_room = limits_.tokens - shape.specials();
    const std::size_t sentence_room = limits_.sentences - shape.specials();
    const bool alike = token_room == sentence_room || shape.tokens <= std::min(token_room, sentence_room);
    if (states && sentences && alike) return add(place, shape, token_room, true, true);
    if (states) add(place, shape, token_room, true, false);
    if (sentences) add(place, shape, sentence_room, false, true);
  }

  void add(std::size_t place, const TextShape& shape, std::size_t room, bool states, bool sentences) {
    if (shape.tokens + shape.specials() == 0) {
      throw encoder::TextError(fmt::format("text {}", place + 1), out_.written(place),
                               "the tokenizer of the model makes no tokens of this text");
    }
    // A row that no sequence gives would be memory nobody wrote.
    if (states && shape.tokens > room && !limits_.windows) {
      throw encoder::TextError(
          fmt::format("text {}", place + 1), out_.written(place),
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
      sequences_.push_back({place, window.begin, window.size(), begin, end, window.begin + begin, states,
                            sentences, windows.size() > 1});
    }
  }

  void run_batch(std::span<const std::size_t> members) {
    batch_.clear();
    needed_.clear();
    // Tokens may be left out of the last layer where nobody pools it and nobody keeps it.
    const bool pools_last =
        std::any_of(request_.sentences.begin(), request_.sentences.end(),
                    [&](const SentenceRequest& sentence) { return sentence.layer == layers_.back(); });
    const bool may_skip =
        !pools_last && !request_.keeps_states && !limits_.windows && !missing_.masks.empty();
    for (const std::size_t member : members) {
      const Sequence& sequence = sequences_[member];
      const std::span<const std::int32_t> ids = missing_.encodings[sequence.place].ids;
      const TextShape shape = shape_of(sequence);
      const auto append = [&](std::span<const std::int32_t> part) {
        batch_.ids.insert(batch_.ids.end(), part.begin(), part.end());
      };
      append(ids.first(shape.before));
      append(ids.subspan(shape.before + sequence.first, sequence.count));
      append(ids.last(shape.after));
      batch_.starts.push_back(batch_.ids.size());
      if (!may_skip) continue;
      const std::vector<std::uint8_t>& mask = missing_.masks[sequence.place];
      if (sequence.for_states) {
        needed_.insert(needed_.end(), mask.begin(), mask.end());
      } else {
        needed_.resize(batch_.ids.size(), 1);
      }
    }
    encoder_.run(
        batch_, layers_,
        [&](std::size_t layer, const compute::Sequences& sequences,
            compute::DeviceMatrix<const float> states) {
          take_states(members, layer, states);
          take_sentences(members, layer, sequences, states);
        },
        needed_);
  }

  void take_states(std::span<const std::size_t> members, std::size_t layer,
                   compute::DeviceMatrix<const float> states) {
    if (!std::binary_search(request_.layers.begin(), request_.layers.end(), layer)) return;
    const std::size_t layer_place = request_.place_of(layer);
    const bool skips = !needed_.empty() && layer == layers_.back();
    context_.pool.for_each(members.size(), [&](std::size_t index, std::size_t) {
      const Sequence& sequence = sequences_[members[index]];
      if (!sequence.for_states) return;
      const std::size_t rows = sequence.keep_end - sequence.keep_begin;
      const std::size_t first = batch_.starts[index] + sequence.keep_begin;
      const MatrixView<float> to = out_.states(sequence.place, layer_place).rows_from(sequence.row, rows);
      compute::download(encoder_.device(), states.rows_from(first, rows), to);
      for (std::size_t row = 0; row < rows; ++row) {
        if ((!skips || needed_[first + row] != 0) && !all_finite(to.row(row)))
          note_bad(sequence.place, layer);
      }
    });
  }

  void take_sentences(std::span<const std::size_t> members, std::size_t layer,
                      const compute::Sequences& sequences, compute::DeviceMatrix<const float> states) {
    compute::Device& device = encoder_.device();
    const std::size_t requests = request_.sentences.size();
    for (std::size_t which = 0; which < requests; ++which) {
      const SentenceRequest& request = request_.sentences[which];
      if (request.layer != layer) continue;
      const auto pooled = compute::allocate_matrix<float>(device, members.size(), width());
      device.transformer().pool(sequences, states, request.pooling, pooled.view());
      if (request.normalize) device.transformer().normalize_rows(pooled.view());
      const std::vector<float> pooled_rows = compute::download_matrix(device, pooled.view());
      find_bad_rows(members, layer, states);
      for (std::size_t index = 0; index < members.size(); ++index) {
        const Sequence& sequence = sequences_[members[index]];
        if (!sequence.for_sentences) continue;
        std::span<float> to;
        if (sequence.is_window) {  // its rows wait for those of the other windows
          std::vector<float>& all = long_rows_[sequence.place * requests + which];
          all.resize(missing_.encodings[sequence.place].ids.size() * width());
          const std::size_t rows = sequence.keep_end - sequence.keep_begin;
          to = std::span(all).subspan(sequence.row * width(), rows * width());
          compute::download(device, states.rows_from(batch_.starts[index] + sequence.keep_begin, rows),
                            MatrixView(to.data(), rows, width()));
        } else {
          to = out_.sentence_row(sequence.place, which);
          std::copy_n(pooled_rows.data() + index * width(), width(), to.data());
        }
        if (!all_finite(to)) note_bad(sequence.place, layer);
      }
    }
  }

  /// Pooling may hide a token's NaN: a maximum does not see it, the first row need not hold it.
  void find_bad_rows(std::span<const std::size_t> members, std::size_t layer,
                     compute::DeviceMatrix<const float> states) {
    context_.pool.for_each(members.size(), [&](std::size_t index, std::size_t) {
      if (!sequences_[members[index]].for_sentences) return;
      const std::size_t first = batch_.starts[index], count = batch_.starts[index + 1] - first;
      if (!all_finite(compute::download_matrix(encoder_.device(), states.rows_from(first, count))))
        note_bad(sequences_[members[index]].place, layer);
    });
  }

  /// Threads note different texts.
  void note_bad(std::size_t place, std::size_t layer) {
    bad_layer_[place] = std::min(bad_layer_[place], layer);
  }

  encoder::Encoder& encoder_;
  const MissingTexts& missing_;
  const LengthLimits& limits_;
  const EncodeRequest& request_;
  EncodedTexts& out_;
  const RunContext& context_;
  std::vector<std::size_t> layers_;
  std::vector<Sequence> sequences_;
  token::PackedBatch batch_;
  std::vector<std::uint8_t> needed_;  ///< rows of the batch whose last layer is needed; empty: all
  /// Rows of long texts, by text and sentence: pooled when all their windows are there.
  std::unordered_map<std::size_t, std::vector<float>> long_rows_;
  std::vector<std::size_t> bad_layer_;  ///< per text: the lowest layer with NaN or infinity
};

}  // namespace

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

void run_encoder(encoder::Encoder& encoder, const MissingTexts& missing, const LengthLimits& limits,
                 EncodedTexts& out, const RunContext& context) {
  EncoderRun(encoder, missing, limits, out, context).run();
}

}  // namespace markeval::embed
