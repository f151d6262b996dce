// Loading, checks of a batch, and the loop over layers that hands the asked ones to the sink. The last layer
// computes only the rows in use.
#include "encoder/encoder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "encoder/architecture.hpp"
#include "encoder/workspace.hpp"

namespace markeval::encoder {

struct Encoder::LoadedEncoder {
  LoadedEncoder(const ConfigFile& config, const WeightFiles& weights, compute::Device& used_device,
                compute::Precision precision)
      : device(used_device), workspace(used_device) {
    if (!device.supports(precision))
      throw_usage("precision bf16: " + device.name() + " has no bf16 products");
    architecture_name = config.architecture();
    try {
      architecture = make_architecture({config, weights, device, precision});
    } catch (const Error&) {
      weights.require_unchanged();  // that a file is damaged is not the news where somebody writes into it
      throw;
    }
    weights.require_unchanged();
  }

  compute::Device& device;
  Workspace workspace;
  std::string architecture_name;
  std::unique_ptr<ModelArchitecture> architecture;
  std::vector<std::int32_t> positions;
};

Encoder::Encoder(const std::string& folder, compute::Device& device, compute::Precision precision) {
  const ConfigFile config(folder);
  require_known_architecture(config);
  state_ = std::make_unique<LoadedEncoder>(config, open_weights(folder), device, precision);
}
Encoder::Encoder(const ConfigFile& config, const WeightFiles& weights, compute::Device& device,
                 compute::Precision precision)
    : state_(std::make_unique<LoadedEncoder>(config, weights, device, precision)) {}
Encoder::~Encoder() = default;
Encoder::Encoder(Encoder&&) noexcept = default;

const Dimensions& Encoder::dimensions() const {
  return state_->architecture->dimensions();
}
const std::string& Encoder::architecture() const {
  return state_->architecture_name;
}
compute::Device& Encoder::device() const {
  return state_->device;
}

namespace {

void check_batch(const token::PackedBatch& batch, const Dimensions& dimensions) {
  for (std::size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    const std::span<const std::int32_t> ids = batch.sequence(sequence);
    if (ids.empty()) throw_invalid(fmt::format("sequence {} of the batch has no tokens", sequence));
    if (ids.size() > dimensions.max_length) {
      throw_invalid(fmt::format("sequence {} of the batch has {} tokens, the model takes {}", sequence,
                                ids.size(), dimensions.max_length));
    }
    for (const std::int32_t id : ids) {
      if (id < 0 || static_cast<std::size_t>(id) >= dimensions.vocabulary) {
        throw_invalid(fmt::format(
            "token id {} is outside the model's vocabulary of {}: the tokenizer does not fit the model", id,
            dimensions.vocabulary));
      }
    }
  }
}

struct WantedRows {
  std::vector<std::int32_t> rows;       ///< rising
  std::vector<std::int32_t> row_index;  ///< of every row of the batch among them, 0 for the others
};

WantedRows number_rows(std::span<const std::uint8_t> mask) {
  WantedRows wanted;
  for (std::size_t row = 0; row < mask.size(); ++row) {
    wanted.row_index.push_back(mask[row] != 0 ? static_cast<std::int32_t>(wanted.rows.size()) : 0);
    if (mask[row] != 0) wanted.rows.push_back(static_cast<std::int32_t>(row));
  }
  return wanted;
}

}  // namespace

void Encoder::run(const token::PackedBatch& batch, std::span<const std::size_t> layers, LayerSink sink,
                  std::span<const std::uint8_t> wanted_rows) {
  LoadedEncoder& state = *state_;
  const ModelArchitecture& architecture = *state.architecture;
  const Dimensions& dimensions = architecture.dimensions();
  if (layers.empty() || batch.sequences() == 0) return;
  if (layers.back() > dimensions.layers || !std::ranges::is_sorted(layers)) {
    throw_invalid(
        fmt::format("layer {} is asked for, the model has layers 0 to {}", layers.back(), dimensions.layers));
  }
  check_batch(batch, dimensions);
  state.positions.resize(batch.ids.size());
  for (std::size_t sequence = 0; sequence < batch.sequences(); ++sequence) {
    const std::span<const std::int32_t> ids = batch.sequence(sequence);
    architecture.positions(ids, std::span(state.positions).subspan(batch.starts[sequence], ids.size()));
  }

  const auto sequences = state.workspace.operations().pack_sequences(batch.starts);
  const auto ids = compute::upload_row<std::int32_t>(state.device, batch.ids);
  const auto positions = compute::upload_row<std::int32_t>(state.device, state.positions);
  const DeviceBatch device_batch{*sequences, ids.view(), positions.view()};
  DeviceBatch last_batch = device_batch;
  const WantedRows chosen = number_rows(wanted_rows);
  compute::DeviceArray<std::int32_t> wanted_index, row_index;
  if (!chosen.rows.empty() && chosen.rows.size() < batch.ids.size()) {
    wanted_index = compute::upload_row<std::int32_t>(state.device, chosen.rows);
    row_index = compute::upload_row<std::int32_t>(state.device, chosen.row_index);
    last_batch.wanted = wanted_index.view();
    last_batch.row_index = row_index.view();
  }
  const auto states = state.workspace.states(batch.ids.size(), dimensions.hidden);
  architecture.embed(state.workspace, device_batch, states);
  std::size_t wanted = 0;
  for (std::size_t layer = 0;; ++layer) {
    for (; wanted < layers.size() && layers[wanted] == layer; ++wanted) sink(layer, *sequences, states);
    if (wanted == layers.size()) return;
    const bool last = layer + 1 == layers.back();
    architecture.layer(state.workspace, last ? last_batch : device_batch, layer, states);
  }
}

}  // namespace markeval::encoder
