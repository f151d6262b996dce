#include "encoder/sequence_encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/aligned_buffer.hpp"
#include "base/finite.hpp"
#include "encoder/not_finite.hpp"

namespace markeval::encoder {
namespace {

constexpr std::size_t kWindowBytes = 64u << 20;  // of results

/// One window: its sequences, and where their rows go.
class Window {
 public:
  Window(Encoder& encoder, const EncodeOptions& options) : encoder_(encoder), options_(options) {
    const std::size_t row_bytes = encoder.dimensions().hidden * options.layers.size() * sizeof(float);
    limit_ = std::max<std::size_t>(
        1, std::min(options.window_tokens, kWindowBytes / std::max<std::size_t>(1, row_bytes)));
  }

  /// Takes sequences until the window is full or there are no more.
  void fill(SequenceSource source) {
    sequences_.clear();
    while (sequences_.ids.size() < limit_ && source(next_)) {
      sequences_.ids.insert(sequences_.ids.end(), next_.begin(), next_.end());
      sequences_.starts.push_back(sequences_.ids.size());
    }
  }
  std::size_t sequences() const { return sequences_.sequences(); }

  /// `first`: the number of the window's first sequence.
  void encode(std::size_t first, const RunContext& context) {
    const std::size_t needed = rows(sequences()) * hidden() * options_.layers.size();
    if (results_.size() < needed) results_ = AlignedBuffer<float>(needed);
    bad_layers_.assign(sequences(), std::nullopt);
    std::vector<std::size_t> lengths(sequences());
    for (std::size_t sequence = 0; sequence < sequences(); ++sequence) {
      lengths[sequence] = sequences_.sequence(sequence).size();
    }
    for (const std::vector<std::size_t>& members : plan_batches(lengths, options_.batch_tokens)) {
      context.check_cancelled();
      encode(first, members, context.pool);
    }
    const auto bad = std::ranges::find_if(bad_layers_, [](const auto& layer) { return layer.has_value(); });
    if (bad == bad_layers_.end()) return;
    const std::size_t sequence = first + static_cast<std::size_t>(bad - bad_layers_.begin());
    const std::string_view text = options_.text_of ? options_.text_of(sequence) : std::string_view();
    throw NotFinite(fmt::format("sequence {}", sequence), text, **bad);
  }

  void deliver(std::size_t first, SequenceSink sink, ThreadPool& pool) const {
    const auto give = [&](std::size_t sequence, std::size_t) {
      std::vector<MatrixView<const float>> views(options_.layers.size());
      for (std::size_t layer = 0; layer < views.size(); ++layer) {
        views[layer] = {results_.data() + place(layer, sequence), rows(sequence + 1) - rows(sequence),
                        hidden()};
      }
      sink(first + sequence, views);
    };
    if (options_.concurrent_sink) return pool.for_each(sequences(), give);
    for (std::size_t sequence = 0; sequence < sequences(); ++sequence) give(sequence, 0);
  }

 private:
  std::size_t hidden() const { return encoder_.dimensions().hidden; }
  /// Result rows of the sequences before this one.
  std::size_t rows(std::size_t sequence) const {
    return options_.pooling ? sequence : sequences_.starts[sequence];
  }
  /// Where the rows of a sequence begin: layer after layer, each in the order of the sequences.
  std::size_t place(std::size_t layer, std::size_t sequence) const {
    return (layer * rows(sequences()) + rows(sequence)) * hidden();
  }

  void encode(std::size_t first, std::span<const std::size_t> members, ThreadPool& pool) {
    batch_.clear();
    needed_.clear();
    for (const std::size_t member : members) {
      const std::span<const std::int32_t> ids = sequences_.sequence(member);
      batch_.ids.insert(batch_.ids.end(), ids.begin(), ids.end());
      batch_.starts.push_back(batch_.ids.size());
      if (!options_.needed) continue;
      const std::span<const std::uint8_t> mask = options_.needed(first + member);
      needed_.insert(needed_.end(), mask.begin(), mask.end());
      needed_.resize(batch_.ids.size(), 1);
    }
    std::size_t layer_index = 0;
    encoder_.run(
        batch_, options_.layers,
        [&](std::size_t, const compute::Sequences& sequences, compute::DeviceMatrix<const float> states) {
          take(layer_index++, members, sequences, states, pool);
        },
        needed_);
  }

  void take(std::size_t layer, std::span<const std::size_t> members, const compute::Sequences& sequences,
            compute::DeviceMatrix<const float> states, ThreadPool& pool) {
    compute::Device& device = encoder_.device();
    compute::TransformerOperations& operations = device.transformer();
    compute::DeviceMatrix<const float> result = states;
    compute::DeviceArray<float> own;
    if (options_.pooling) {
      own = compute::allocate_matrix<float>(device, members.size(), hidden());
      operations.pool(sequences, states, *options_.pooling, own.view());
      result = own.view();
    } else if (options_.normalize) {
      own = compute::allocate_matrix<float>(device, states.rows, hidden());
      operations.copy(states, own.view());
      result = own.view();
    }
    if (options_.normalize) operations.normalize_rows(own.view());
    std::vector<std::size_t> first_row{0};
    for (const std::size_t member : members)
      first_row.push_back(first_row.back() + rows(member + 1) - rows(member));
    pool.for_each(members.size(), [&](std::size_t index, std::size_t) {
      const std::size_t count = first_row[index + 1] - first_row[index];
      const std::span<float> to(results_.data() + place(layer, members[index]), count * hidden());
      compute::download_row(device, result.rows_from(first_row[index], count), to);
      if (finite(layer, index, to) && (!options_.pooling || finite_states(index, states))) return;
      std::optional<std::size_t>& bad = bad_layers_[members[index]];
      if (!bad) bad = options_.layers[layer];
    });
  }

  /// Of the rows of sequence `index` of the batch, those that were asked for.
  bool finite(std::size_t layer, std::size_t index, std::span<const float> values) const {
    if (needed_.empty() || layer + 1 < options_.layers.size()) return all_finite(values);
    for (std::size_t row = 0; row * hidden() < values.size(); ++row) {
      if (needed_[batch_.starts[index] + row] != 0 && !all_finite(values.subspan(row * hidden(), hidden())))
        return false;
    }
    return true;
  }

  /// Pooling may hide a token's NaN: a maximum does not see it, the first row need not hold it.
  bool finite_states(std::size_t index, compute::DeviceMatrix<const float> states) const {
    const std::size_t first = batch_.starts[index], count = batch_.starts[index + 1] - first;
    std::vector<float> rows(count * hidden());
    compute::download_row(encoder_.device(), states.rows_from(first, count), std::span(rows));
    return all_finite(rows);
  }

  Encoder& encoder_;
  const EncodeOptions& options_;
  std::size_t limit_ = 0;
  token::PackedBatch sequences_, batch_;
  std::vector<std::int32_t> next_;
  std::vector<std::uint8_t> needed_;
  AlignedBuffer<float> results_;
  std::vector<std::optional<std::size_t>> bad_layers_;  ///< per sequence: the first layer that is not finite
};

}  // namespace

std::vector<std::vector<std::size_t>> plan_batches(std::span<const std::size_t> lengths,
                                                   std::size_t batch_tokens) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  std::vector<std::vector<std::size_t>> batches;
  std::size_t tokens = 0;
  for (const std::size_t sequence : order) {
    if (batches.empty() || tokens + lengths[sequence] > batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(sequence);
    tokens += lengths[sequence];
  }
  return batches;
}

void encode_sequences(Encoder& encoder, SequenceSource source, const EncodeOptions& options,
                      SequenceSink sink, const RunContext& context) {
  Window window(encoder, options);
  for (std::size_t first = 0;; first += window.sequences()) {
    window.fill(source);
    if (window.sequences() == 0) return;
    window.encode(first, context);
    window.deliver(first, sink, context.pool);
  }
}

}  // namespace markeval::encoder
