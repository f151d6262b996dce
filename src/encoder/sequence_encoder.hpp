// Any number of sequences through an encoder: gathered into windows, sorted by length and packed into batches
// inside a window, given back in the order they came. Memory is bounded by the window, not by the number of
// sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "encoder/encoder.hpp"

namespace markeval::encoder {

struct EncodeOptions {
  std::vector<std::size_t> layers;          ///< in rising order
  std::optional<compute::Pooling> pooling;  ///< none: one row per token
  bool normalize = false;                   ///< rows to length 1
  /// A mask of the tokens of sequence `sequence`, where the last layer is not needed for all of them: what
  /// the others' rows hold there is undefined. Not for pooling. None, or an empty mask: all are needed.
  std::function<std::span<const std::uint8_t>(std::size_t sequence)> needed = {};
  /// The text a sequence was made of, which NotFinite carries. None: it carries no text.
  std::function<std::string_view(std::size_t sequence)> text_of = {};
  /// The sink may be called from several threads at once, for different sequences in any order.
  bool concurrent_sink = false;
  std::size_t batch_tokens = 1024;        ///< a longer sequence is a batch of its own
  std::size_t window_tokens = 16 * 1024;  ///< at most; fewer where the results would take more than 64 MiB
};

/// Puts the next sequence into `ids`; false when there is none.
using SequenceSource = FunctionRef<bool(std::vector<std::int32_t>& ids)>;
/// Sequence number `sequence`, from 0 on and in order: for each layer asked for its rows, one or as many as
/// the sequence has tokens. The rows are valid until the function returns.
using SequenceSink = FunctionRef<void(std::size_t sequence, std::span<const MatrixView<const float>> layers)>;

/// Throws what Encoder::run throws, Error(cancelled), and NotFinite where a state asked for is NaN or
/// infinite: then no sequence of that window reaches the sink.
void encode_sequences(Encoder& encoder, SequenceSource source, const EncodeOptions& options,
                      SequenceSink sink, const RunContext& context);

/// Cuts sequences of these lengths into batches of at most `batch_tokens` tokens: numbers of sequences,
/// longest first.
///   plan_batches({3, 9, 5}, 10) -> {{1}, {2, 0}}
std::vector<std::vector<std::size_t>> plan_batches(std::span<const std::size_t> lengths,
                                                   std::size_t batch_tokens);

}  // namespace markeval::encoder
