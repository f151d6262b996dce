// Every operation in float32 gives the same bits on every instruction set and architecture. The values below
// stand for those bits: they must not change without a line in the changelog, since scores change with them.
#include <gtest/gtest.h>

#include <string>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "compute/products.hpp"
#include "compute/samples.hpp"
#include "compute/transformer.hpp"
#include "contract/devices.hpp"

namespace markeval::compute {
namespace {

/// FNV-1a over the bytes of the numbers.
std::uint64_t digest(std::span<const float> values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::byte byte : std::as_bytes(values))
    hash = (hash ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  return hash;
}

class SameBits : public EveryDevice {
 protected:
  void SetUp() override {
    if (!GetParam().same_bits) GTEST_SKIP() << GetParam().name << " has bits of its own";
  }
  DeviceArray<float> random(std::size_t rows, std::size_t columns, std::uint64_t seed) {
    return upload_matrix(*device_, samples::floats(rows, columns, columns, seed).view());
  }
  std::uint64_t digest_of(const DeviceArray<float>& matrix) {
    return digest(download_matrix(*device_, matrix.view()));
  }

  ThreadPool pool_{2};
  std::unique_ptr<Device> device_ = GetParam().make(pool_);
  TransformerOperations& operations_ = device_->transformer();
};

TEST_P(SameBits, Product) {
  // 1,543 inputs: the last steps of no kernel are whole.
  const auto in = random(37, 1543, 1), weights = random(101, 1543, 2), bias = random(1, 101, 3),
             residual = random(37, 101, 4);
  const auto packed = device_->pack_weights(weights.view(), Precision::f32);
  const auto out = allocate_matrix<float>(*device_, 37, 101);
  const auto product = [&](Activation activation) {
    device_->multiply(in.view(), *packed, {0.1f, bias.view(), activation, residual.view()}, out.view());
    return digest_of(out);
  };
  EXPECT_EQ(product(Activation::none), 0x19f5cbfcd57bd07bu);
  EXPECT_EQ(product(Activation::relu), 0x43bbc73128c4da55u);
  EXPECT_EQ(product(Activation::gelu), 0x9468b375186640fcu);
}

TEST_P(SameBits, ProductOfTraining) {
  const auto left = samples::floats(37, 301, 301, 1), right = samples::floats(301, 53, 53, 2);
  const Products& products = device_->products();
  std::vector<float> out(37 * 53);
  products.multiply(as_is(left.view()), as_is(right.view()), {out.data(), 37, 53});
  EXPECT_EQ(digest(out), 0x6e0e1a46f8c66967u);
}

TEST_P(SameBits, StepsOfNetworks) {
  const Products& products = device_->products();
  std::uint64_t all = 0;
  const auto add = [&](std::span<const float> values) { all = all * 31 + digest(values); };
  for (const std::size_t width : {1u, 16u, 47u}) {
    const auto input = samples::floats(2, 4 * width, 4 * width, 1),
               added = samples::floats(2, 4 * width, 4 * width, 2);
    std::vector<float> gates(input.view().data(), input.view().data() + 8 * width);
    std::vector<float> memory(2 * width), squashed(2 * width), state(2 * width), mixed(width);
    LstmStep<float> step{width,       gates.data(),  nullptr,         added.view().row(0).data(),
                         nullptr,     memory.data(), squashed.data(), state.data(),
                         gates.data()};
    products.lstm_step(step);
    step.recurrent = added.view().row(1).data();
    step.gates += 4 * width;
    step.memory_before = memory.data();
    step.memory += width;
    step.squashed += width;
    step.state += width;
    products.lstm_step(step);
    for (const auto& values : {gates, memory, squashed, state}) add(values);
    const auto states = samples::floats(3, width, width, 4), scaling = samples::floats(6, width, width, 5);
    const float* const layers[] = {states.view().row(0).data(), states.view().row(1).data(),
                                   states.view().row(2).data()};
    const float weights[] = {0.5f, -1.25f, 0.3f};
    products.mix_layers({3, width, layers, weights, scaling.view().row(0).data(),
                         scaling.view().row(3).data(), mixed.data()});
    add(mixed);
  }
  EXPECT_EQ(all, 0x70ff22c4e5e47c0bu);
}

TEST_P(SameBits, ProductOfDoubles) {
  std::vector<double> left(37 * 301), right(301 * 53), out(37 * 53), plain(37 * 53, 0);
  RandomStream random(1, 0);
  for (double& value : left) value = random.normal();
  for (double& value : right) value = random.normal();
  const MatrixView<const double> a(left.data(), 37, 301), b(right.data(), 301, 53);
  device_->products().multiply(as_is(a), as_is(b), {out.data(), 37, 53});
  for (std::size_t i = 0; i < 37; ++i) {
    for (std::size_t k = 0; k < 301; ++k) {
      for (std::size_t j = 0; j < 53; ++j) plain[i * 53 + j] += a(i, k) * b(k, j);
    }
  }
  EXPECT_EQ(out, plain);
}

TEST_P(SameBits, LayerNorm) {
  std::uint64_t all = 0;
  for (const std::size_t columns : {5u, 47u, 384u, 1000u}) {
    const auto states = random(9, columns, columns), gain = random(1, columns, 2),
               bias = random(1, columns, 3);
    operations_.layer_norm(states.view(), {gain.view(), bias.view(), 1e-12f}, states.view());
    all = all * 31 + digest_of(states);
  }
  EXPECT_EQ(all, 0xbecf2f9b92383039u);
}

TEST_P(SameBits, Attention) {
  std::uint64_t all = 0;
  for (const std::size_t width : {7u, 32u}) {
    const auto inputs = random(100, 2 * width * 3, width);
    const auto out = allocate_matrix<float>(*device_, 100, 2 * width);
    const std::vector<std::size_t> starts{0, 1, 4, 20, 37, 100};
    const auto sequences = operations_.pack_sequences(starts);
    AttentionInputs attention{};
    attention.query = inputs.view().columns_from(0, 2 * width);
    attention.key = inputs.view().columns_from(2 * width, 2 * width);
    attention.value = inputs.view().columns_from(4 * width, 2 * width);
    attention.heads = 2;
    attention.scale = 0.3f;
    operations_.attention(*sequences, attention, out.view());
    all = all * 31 + digest_of(out);
  }
  EXPECT_EQ(all, 0x58cc69518edb68d4u);
}

TEST_P(SameBits, LocalAttention) {
  std::uint64_t all = 0;
  for (const std::size_t reach : {0u, 4u, 30u}) {
    const auto inputs = random(100, 90, reach);
    const auto out = allocate_matrix<float>(*device_, 100, 30);
    AttentionInputs attention{};
    attention.query = inputs.view().columns_from(0, 30);
    attention.key = inputs.view().columns_from(30, 30);
    attention.value = inputs.view().columns_from(60, 30);
    attention.heads = 2;
    attention.scale = 0.3f;
    attention.reach = reach;
    operations_.attention(*operations_.pack_sequences(std::vector<std::size_t>{0, 3, 20, 100}), attention,
                          out.view());
    all = all * 31 + digest_of(out);
  }
  EXPECT_EQ(all, 0xa2d3dcfeb29d2f5au);
}

TEST_P(SameBits, RotationAndGate) {
  const auto values = random(9, 3 * 46, 1), cosines = random(9, 23, 2), sines = random(9, 23, 3);
  std::vector<std::int32_t> positions{0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto places = upload_row<std::int32_t>(*device_, positions);
  operations_.rotate(places.view(), {cosines.view(), sines.view()}, values.view());
  operations_.gate(values.view().columns_from(0, 60), values.view().columns_from(60, 60));
  EXPECT_EQ(digest_of(values), 0xdc9759cb7219b501u);
}

TEST_P(SameBits, Functions) {
  std::uint64_t all = 0;
  for (const Function function : {Function::gelu_tanh, Function::silu, Function::tanh}) {
    const auto values = random(3, 1001, 5);
    operations_.apply(function, values.view());
    all = all * 31 + digest_of(values);
  }
  EXPECT_EQ(all, 0xdfef8ddc1c2d76f8u);
}

TEST_P(SameBits, Pooling) {
  std::uint64_t all = 0;
  const std::vector<std::size_t> starts{0, 1, 4, 20, 37, 100};
  const auto sequences = operations_.pack_sequences(starts);
  const auto in = random(100, 77, 1);
  const auto out = allocate_matrix<float>(*device_, 5, 77);
  for (const Pooling pooling : {Pooling::mean, Pooling::max, Pooling::cls}) {
    operations_.pool(*sequences, in.view(), pooling, out.view());
    operations_.normalize_rows(out.view());
    all = all * 31 + digest_of(out);
  }
  EXPECT_EQ(all, 0x5a78085d6c9ea1c6u);
}

INSTANTIATE_TEST_SUITE_P(Device, SameBits, ::testing::ValuesIn(tested_devices()), device_name);

}  // namespace
}  // namespace markeval::compute
