// A card (card.h) as a compute::Device: every encoder runs on it unchanged. Float32 only; products of host
// matrices and match_rows are not there.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "card.h"
#include "compute/device.hpp"
#include "compute/transformer.hpp"

namespace markeval::compute::card {

class OpenCard {
 public:
  explicit OpenCard(int index) {
    char error[256] = "";
    if (card_open(index, &card_, error, sizeof error) != 0) throw Error(ErrorCode::io, error);
  }
  ~OpenCard() { card_close(card_); }
  OpenCard(const OpenCard&) = delete;
  OpenCard& operator=(const OpenCard&) = delete;
  Card* get() const { return card_; }
  void require(int status) const {
    if (status != 0) throw Error(ErrorCode::io, card_error(card_));
  }

 private:
  Card* card_ = nullptr;
};

class CardStorage final : public Storage {
 public:
  CardStorage(const OpenCard& card, std::size_t bytes) : card_(card) {
    card.require(card_allocate(card.get(), bytes, &memory_));
  }
  ~CardStorage() override { card_free(card_.get(), memory_); }
  CardMemory* memory() const { return memory_; }

 private:
  const OpenCard& card_;
  CardMemory* memory_ = nullptr;
};

template <typename T>
CardMatrix on_card(DeviceMatrix<T> matrix) {
  CardMemory* const memory =
      matrix.storage == nullptr ? nullptr : static_cast<const CardStorage*>(matrix.storage)->memory();
  return {memory, matrix.offset, matrix.rows, matrix.columns, matrix.stride};
}

class PackedSequences final : public Sequences {
 public:
  PackedSequences(const OpenCard& card, std::span<const std::size_t> starts)
      : card_(card), count_(starts.size() - 1), rows_(starts.back()) {
    card.require(card_pack_sequences(card.get(), starts.data(), count_, &sequences_));
  }
  ~PackedSequences() override { card_free_sequences(card_.get(), sequences_); }
  std::size_t count() const override { return count_; }
  std::size_t rows() const override { return rows_; }
  const CardSequences* get() const { return sequences_; }

 private:
  const OpenCard& card_;
  std::size_t count_, rows_;
  CardSequences* sequences_ = nullptr;
};

inline const CardSequences* on_card(const Sequences& sequences) {
  return static_cast<const PackedSequences&>(sequences).get();
}

class Weights final : public PackedWeights {
 public:
  Weights(const OpenCard& card, DeviceMatrix<const float> weights)
      : card_(card), outputs_(weights.rows), inputs_(weights.columns) {
    card.require(card_pack_weights(card.get(), on_card(weights), &weights_));
  }
  ~Weights() override { card_free_weights(card_.get(), weights_); }
  std::size_t outputs() const override { return outputs_; }
  std::size_t inputs() const override { return inputs_; }
  Precision precision() const override { return Precision::f32; }
  const CardWeights* get() const { return weights_; }

 private:
  const OpenCard& card_;
  std::size_t outputs_, inputs_;
  CardWeights* weights_ = nullptr;
};

class Operations final : public TransformerOperations {
 public:
  explicit Operations(const OpenCard& card) : card_(card) {}

  std::unique_ptr<Sequences> pack_sequences(std::span<const std::size_t> starts) override {
    return std::make_unique<PackedSequences>(card_, starts);
  }
  void embed(DeviceMatrix<const std::int32_t> ids, DeviceMatrix<const std::int32_t> positions,
             const EmbeddingTables& tables, const LayerNorm& norm, DeviceMatrix<float> out) override {
    card_.require(card_embed(card_.get(), on_card(ids), on_card(positions), on_card(tables.words),
                             on_card(tables.positions), on_card(tables.type), on_card(out)));
    if (norm.gain.storage != nullptr) layer_norm(out, norm, out);
  }
  void layer_norm(DeviceMatrix<const float> in, const LayerNorm& norm, DeviceMatrix<float> out) override {
    card_.require(card_layer_norm(card_.get(), on_card(in), on_card(norm.gain), on_card(norm.bias),
                                  norm.epsilon, on_card(out)));
  }
  void attention(const Sequences& sequences, const AttentionInputs& inputs,
                 DeviceMatrix<float> out) override {
    const CardAttention all{.query = on_card(inputs.query),
                            .key = on_card(inputs.key),
                            .value = on_card(inputs.value),
                            .heads = inputs.heads,
                            .scale = inputs.scale,
                            .bias = on_card(inputs.bias.table),
                            .position_key = on_card(inputs.disentangled.position_key),
                            .position_query = on_card(inputs.disentangled.position_query),
                            .bucket = on_card(inputs.disentangled.bucket),
                            .reach = inputs.reach};
    card_.require(card_attention(card_.get(), on_card(sequences), &all, on_card(out)));
  }
  void rotate(DeviceMatrix<const std::int32_t> positions, const Rotation& rotation,
              DeviceMatrix<float> values) override {
    card_.require(card_rotate(card_.get(), on_card(positions), on_card(rotation.cosines),
                              on_card(rotation.sines), on_card(values)));
  }
  void apply(Function function, DeviceMatrix<float> values) override {
    numbers(function == Function::gelu_tanh ? card_gelu_tanh
            : function == Function::silu    ? card_silu
                                            : card_tanh,
            values, {});
  }
  void add(DeviceMatrix<float> a, DeviceMatrix<const float> b) override { numbers(card_add, a, b); }
  void gate(DeviceMatrix<float> a, DeviceMatrix<const float> b) override {
    numbers(card_multiply_numbers, a, b);
  }
  void unfold(const Sequences& sequences, DeviceMatrix<const float> in, std::size_t reach,
              DeviceMatrix<float> out) override {
    card_.require(card_unfold(card_.get(), on_card(sequences), on_card(in), reach, on_card(out)));
  }
  void pool(const Sequences& sequences, DeviceMatrix<const float> in, Pooling pooling,
            DeviceMatrix<float> out) override {
    card_.require(
        card_pool(card_.get(), on_card(sequences), on_card(in), static_cast<int>(pooling), on_card(out)));
  }
  void normalize_rows(DeviceMatrix<float> rows) override {
    card_.require(card_normalize_rows(card_.get(), on_card(rows)));
  }
  std::vector<std::uint8_t> finite_rows(DeviceMatrix<const float> rows) override {
    std::vector<std::uint8_t> finite(rows.rows);
    card_.require(card_finite_rows(card_.get(), on_card(rows), finite.data()));
    return finite;
  }
  void copy(DeviceMatrix<const float> from, DeviceMatrix<float> to) override {
    card_.require(card_gather_rows(card_.get(), on_card(from), {}, on_card(to)));
  }
  void gather_rows(DeviceMatrix<const float> in, DeviceMatrix<const std::int32_t> indices,
                   DeviceMatrix<float> out) override {
    card_.require(card_gather_rows(card_.get(), on_card(in), on_card(indices), on_card(out)));
  }

 private:
  void numbers(int operation, DeviceMatrix<float> a, DeviceMatrix<const float> b) {
    card_.require(card_numbers(card_.get(), operation, on_card(a), on_card(b)));
  }

  const OpenCard& card_;
};

class CardDevice final : public Device {
 public:
  explicit CardDevice(int index) : card_(index), operations_(card_) {}

  std::string name() const override { return "card"; }
  bool supports(Precision precision) const override { return precision == Precision::f32; }
  std::string numerics(Precision) const override { return "f32"; }
  std::size_t batch_tokens() const override { return 65536; }

  std::unique_ptr<Storage> allocate(std::size_t bytes) override {
    return std::make_unique<CardStorage>(card_, bytes);
  }
  void upload(MatrixView<const std::byte> from, DeviceMatrix<std::byte> to) override {
    card_.require(card_upload(card_.get(), from.data(), from.stride(), on_card(to)));
  }
  void download(DeviceMatrix<const std::byte> from, MatrixView<std::byte> to) override {
    if (from.rows * from.columns == 0) return;
    const CardPart all{0, from.rows, to.data(), to.stride()};
    card_.require(card_download(card_.get(), on_card(from), &all, 1));
  }
  void download_parts(DeviceMatrix<const std::byte> from,
                      std::span<const RowsDownload<std::byte>> parts) override {
    std::vector<CardPart> all;
    for (const auto& [first, to] : parts) all.push_back({first, to.rows(), to.data(), to.stride()});
    if (!all.empty()) card_.require(card_download(card_.get(), on_card(from), all.data(), all.size()));
  }
  std::unique_ptr<PackedWeights> pack_weights(DeviceMatrix<const float> weights, Precision) override {
    return std::make_unique<Weights>(card_, weights);
  }
  void multiply(ProductRows in, const PackedWeights& weights, const Epilogue& epilogue,
                ProductResult out) override {
    const CardEpilogue end{.scale = epilogue.scale,
                           .bias = on_card(epilogue.bias),
                           .activation = static_cast<int>(epilogue.activation),
                           .residual = on_card(epilogue.residual)};
    card_.require(card_multiply(card_.get(), on_card(std::get<DeviceMatrix<const float>>(in)),
                                static_cast<const Weights&>(weights).get(), &end,
                                on_card(std::get<DeviceMatrix<float>>(out))));
  }
  const Products& products() const override { throw_usage("the card has no products of host matrices"); }
  TransformerOperations& transformer() override { return operations_; }
  void match_rows(RowRelation, std::span<const RowMatch>) override {
    throw_usage("the card does not match rows");
  }

 private:
  OpenCard card_;
  Operations operations_;
};

}  // namespace markeval::compute::card
