// The transformer operations, every instruction set through the same suite.
#include "compute/transformer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/parallel.hpp"
#include "compute/cpu/transformer_kernels.hpp"
#include "compute/cpu/transformer_operations.hpp"
#include "compute/samples.hpp"
#include "contract/devices.hpp"

namespace markeval::compute {
namespace {

DeviceArray<float> random_matrix(Device& device, std::size_t rows, std::size_t columns, std::uint64_t seed) {
  return upload_matrix(device, samples::floats(rows, columns, columns, seed).view());
}

class Transformer : public EveryDevice {
 protected:
  ThreadPool pool_{3};
  std::unique_ptr<Device> device_ = GetParam().make(pool_);
  TransformerOperations& operations_ = device_->transformer();
};

TEST_P(Transformer, ExponentialIsWithinItsBound) {
  std::vector<float> in, out;
  for (double x = -86.9; x < 87.9; x += 0.0137) in.push_back(static_cast<float>(x));
  in.insert(in.end(), {0.0f, -0.0f, 1.0f, -1e-30f, -200.0f, -std::numeric_limits<float>::infinity()});
  out = in;
  if (!GetParam().isa) GTEST_SKIP() << "a kernel of the CPU";
  cpu::transformer_kernels_for(*GetParam().isa).exponential(out.data(), out.size());
  for (std::size_t index = 0; index < in.size(); ++index) {
    const double expected = std::exp(static_cast<double>(in[index]));
    EXPECT_LE(std::abs(out[index] - expected), 2e-7 * expected + 1e-37) << "e^" << in[index];
  }
  EXPECT_EQ(out.back(), 0.0f);
}

TEST_P(Transformer, FunctionsAreWithinTheirBounds) {
  std::vector<float> in;
  for (double x = -30; x < 30; x += 0.00711) in.push_back(static_cast<float>(x));
  const auto expect = [&](Function function, auto expected) {
    const auto values = upload_row<float>(*device_, in);
    operations_.apply(function, values.view());
    const std::vector<float> out = download_matrix(*device_, values.view());
    for (std::size_t index = 0; index < in.size(); ++index) {
      const double right = expected(static_cast<double>(in[index]));
      ASSERT_NEAR(out[index], right, 3e-7 * std::max(1.0, std::abs(right))) << in[index];
    }
  };
  expect(Function::tanh, [](double x) { return std::tanh(x); });
  expect(Function::silu, [](double x) { return x / (1 + std::exp(-x)); });
  expect(Function::gelu_tanh, [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
  });
}

TEST_P(Transformer, PassesNanOn) {
  const float nan = std::bit_cast<float>(0x7fc00001U);  // low bits that are not 0 are a NaN too
  for (const Function function : {Function::tanh, Function::silu, Function::gelu_tanh}) {
    for (const float one : {nan, -nan, std::numeric_limits<float>::quiet_NaN()}) {
      const auto values = upload_row<float>(*device_, std::vector<float>{1, one, 2});
      operations_.apply(function, values.view());
      const std::vector<float> out = download_matrix(*device_, values.view());
      EXPECT_TRUE(std::isfinite(out[0]) && std::isnan(out[1]) && std::isfinite(out[2]));
    }
  }
  // One NaN in a key: every query of that sequence has seen it, no other one has.
  std::vector<float> states(5 * 24, 0.5f);
  states[2 * 24 + 9] = nan;
  const auto inputs = upload_matrix(*device_, MatrixView<const float>(states.data(), 5, 24));
  const auto out = allocate_matrix<float>(*device_, 5, 8);
  const std::vector<std::size_t> starts{0, 3, 5};
  AttentionInputs attention{};
  attention.query = inputs.view().columns_from(0, 8);
  attention.key = inputs.view().columns_from(8, 8);
  attention.value = inputs.view().columns_from(16, 8);
  attention.heads = 1;
  attention.scale = 1;
  operations_.attention(*operations_.pack_sequences(starts), attention, out.view());
  const std::vector<float> attended = download_matrix(*device_, out.view());
  for (std::size_t i = 0; i < attended.size(); ++i) EXPECT_EQ(std::isnan(attended[i]), i < 3 * 8) << i;
  const auto weights = upload_matrix(*device_, MatrixView<const float>(states.data(), 4, 24));
  const auto packed = device_->pack_weights(weights.view(), Precision::f32);
  const auto product = allocate_matrix<float>(*device_, 2, 4);
  for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu}) {
    device_->multiply(inputs.view().rows_from(3, 2), *packed, {1, {}, activation, {}}, product.view());
    const std::vector<float> values = download_matrix(*device_, product.view());
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(std::isnan(values[i]), i % 4 == 2) << i;
  }
}

TEST_P(Transformer, LayerNormIsTheFormula) {
  for (const std::size_t columns : {1u, 3u, 20u, 32u, 384u, 385u}) {
    const auto in = samples::floats(70, columns, columns, 1), gain = samples::floats(1, columns, columns, 2),
               bias = samples::floats(1, columns, columns, 3);
    const auto states = upload_matrix(*device_, in.view()), gains = upload_matrix(*device_, gain.view()),
               biases = upload_matrix(*device_, bias.view());
    operations_.layer_norm(states.view(), {gains.view(), biases.view(), 1e-5f}, states.view());
    const std::vector<float> out = download_matrix(*device_, states.view());
    for (std::size_t row = 0; row < 70; ++row) {
      double mean = 0, variance = 0;
      const auto values = in.view().row(row);
      for (const float value : values) mean += value / static_cast<double>(columns);
      for (const float value : values) variance += std::pow(value - mean, 2) / static_cast<double>(columns);
      for (std::size_t column = 0; column < columns; ++column) {
        const double expected =
            (in.view()(row, column) - mean) / std::sqrt(variance + 1e-5) * gain.values[column] +
            bias.values[column];
        ASSERT_NEAR(out[row * columns + column], expected, 3e-6) << columns << " columns, row " << row;
      }
    }
  }
}

TEST_P(Transformer, EmbeddingSumsTheTablesAndNorms) {
  const auto words = random_matrix(*device_, 9, 20, 1), positions = random_matrix(*device_, 4, 20, 2),
             type = random_matrix(*device_, 1, 20, 3), out = allocate_matrix<float>(*device_, 3, 20);
  const auto ids = upload_row<std::int32_t>(*device_, std::vector<std::int32_t>{8, 0, 8});
  const auto places = upload_row<std::int32_t>(*device_, std::vector<std::int32_t>{3, 0, 1});
  operations_.embed(ids.view(), places.view(), {words.view(), positions.view(), type.view()}, {}, out.view());
  const auto word = download_matrix(*device_, words.view()),
             position = download_matrix(*device_, positions.view()),
             kind = download_matrix(*device_, type.view()), sum = download_matrix(*device_, out.view());
  for (std::size_t column = 0; column < 20; ++column) {
    EXPECT_NEAR(sum[column], word[160 + column] + position[60 + column] + kind[column], 1e-6);
    EXPECT_NEAR(sum[20 + column], word[column] + position[column] + kind[column], 1e-6);
  }
  operations_.embed(ids.view(), places.view(), {words.view(), {}, {}}, {}, out.view());
  EXPECT_EQ(download_matrix(*device_, out.view().rows_from(1, 1)),
            download_matrix(*device_, words.view().rows_from(0, 1)));
  const auto gain = random_matrix(*device_, 1, 20, 4), bias = random_matrix(*device_, 1, 20, 5);
  const LayerNorm norm{gain.view(), bias.view(), 1e-6f};
  operations_.layer_norm(out.view(), norm, out.view());
  const auto expected = download_matrix(*device_, out.view());
  operations_.embed(ids.view(), places.view(), {words.view(), {}, {}}, norm, out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), expected);
}

struct AttentionCase {
  std::size_t heads, width;  // of a head
  bool bias = false, position_key = false, position_query = false;
  std::size_t reach = kWholeSequence;
};

/// Plain loops in double over one sequence.
std::vector<double> plain_attention(const AttentionCase& c, const std::vector<float>& qkv, std::size_t begin,
                                    std::size_t length, double scale, const std::vector<float>& bias,
                                    const std::vector<float>& position_key,
                                    const std::vector<float>& position_query,
                                    const std::vector<std::int32_t>& bucket) {
  const std::size_t hidden = c.heads * c.width, reach = bucket.size() / 2;
  const auto at = [&](std::size_t row, std::size_t part, std::size_t column) {
    return static_cast<double>(qkv[(begin + row) * 3 * hidden + part * hidden + column]);
  };
  std::vector<double> out(length * hidden);
  for (std::size_t head = 0; head < c.heads; ++head) {
    for (std::size_t query = 0; query < length; ++query) {
      std::vector<double> weight(length);
      double total = 0;
      for (std::size_t key = 0; key < length; ++key) {
        if (std::max(query, key) - std::min(query, key) > c.reach) continue;
        const auto row = static_cast<std::size_t>(bucket[reach + query - key]);
        double score = 0;
        for (std::size_t column = head * c.width; column < (head + 1) * c.width; ++column) {
          double sum = at(key, 1, column);
          if (c.position_key) sum += position_key[row * hidden + column];
          score += at(query, 0, column) * sum;
          if (c.position_query) score += at(key, 1, column) * position_query[row * hidden + column];
        }
        score *= scale;
        if (c.bias) score += bias[head * bucket.size() + reach + key - query];
        total += weight[key] = std::exp(score);
      }
      for (std::size_t key = 0; key < length; ++key) {
        for (std::size_t column = head * c.width; column < (head + 1) * c.width; ++column) {
          out[query * hidden + column] += weight[key] / total * at(key, 2, column);
        }
      }
    }
  }
  return out;
}

TEST_P(Transformer, AttentionIsTheFormulaOverEachSequenceAlone) {
  const std::vector<std::size_t> starts{0, 1, 3, 40, 57, 130};
  const std::size_t reach = 80;
  std::vector<std::int32_t> bucket;
  for (std::size_t column = 0; column <= 2 * reach; ++column)
    bucket.push_back(static_cast<std::int32_t>(column / 3));
  for (const AttentionCase& c :
       {AttentionCase{2, 32}, AttentionCase{3, 5}, AttentionCase{1, 64}, AttentionCase{2, 8, true},
        AttentionCase{2, 12, false, true}, AttentionCase{2, 16, false, false, true},
        AttentionCase{3, 32, true, true, true}, AttentionCase{2, 16, false, false, false, 4},
        AttentionCase{1, 8, false, false, false, 0}, AttentionCase{2, 6, false, false, false, 21},
        AttentionCase{2, 6, false, false, false, 72}}) {
    const std::size_t hidden = c.heads * c.width;
    const auto qkv = random_matrix(*device_, starts.back(), 3 * hidden, 1),
               bias = random_matrix(*device_, c.heads, bucket.size(), 2),
               position_key = random_matrix(*device_, 60, hidden, 3),
               position_query = random_matrix(*device_, 60, hidden, 4),
               out = allocate_matrix<float>(*device_, starts.back(), hidden);
    const auto buckets = upload_row<std::int32_t>(*device_, bucket);
    AttentionInputs inputs{.query = qkv.view().columns_from(0, hidden),
                           .key = qkv.view().columns_from(hidden, hidden),
                           .value = qkv.view().columns_from(2 * hidden, hidden),
                           .heads = c.heads,
                           .scale = 0.3f,
                           .bias = {},
                           .disentangled = {},
                           .reach = c.reach};
    if (c.bias) inputs.bias.table = bias.view();
    if (c.position_key || c.position_query) inputs.disentangled.bucket = buckets.view();
    if (c.position_key) inputs.disentangled.position_key = position_key.view();
    if (c.position_query) inputs.disentangled.position_query = position_query.view();
    operations_.attention(*operations_.pack_sequences(starts), inputs, out.view());
    const std::vector<float> found = download_matrix(*device_, out.view());
    for (std::size_t sequence = 0; sequence + 1 < starts.size(); ++sequence) {
      const std::vector<double> expected = plain_attention(
          c, download_matrix(*device_, qkv.view()), starts[sequence], starts[sequence + 1] - starts[sequence],
          0.3f, download_matrix(*device_, bias.view()), download_matrix(*device_, position_key.view()),
          download_matrix(*device_, position_query.view()), bucket);
      for (std::size_t index = 0; index < expected.size(); ++index) {
        ASSERT_NEAR(found[starts[sequence] * hidden + index], expected[index], 1e-5)
            << c.heads << " x " << c.width << ", sequence " << sequence << ", element " << index;
      }
    }
  }
}

TEST_P(Transformer, AttentionGivesTheSameBitsWhateverTheNeighbours) {
  const std::size_t hidden = 24;
  const auto qkv = random_matrix(*device_, 50, 3 * hidden, 1);
  const auto run = [&](std::size_t first, const std::vector<std::size_t>& starts) {
    const auto rows = qkv.view().rows_from(first, starts.back());
    auto out = allocate_matrix<float>(*device_, starts.back(), hidden);
    operations_.attention(*operations_.pack_sequences(starts),
                          {.query = rows.columns_from(0, hidden),
                           .key = rows.columns_from(hidden, hidden),
                           .value = rows.columns_from(2 * hidden, hidden),
                           .heads = 3,
                           .scale = 0.5f,
                           .bias = {},
                           .disentangled = {}},
                          out.view());
    return out;
  };
  const auto together = run(0, {0, 7, 26, 50}), alone = run(7, {0, 19});
  EXPECT_EQ(download_matrix(*device_, together.view().rows_from(7, 19)),
            download_matrix(*device_, alone.view()));
}

TEST_P(Transformer, RotationTurnsThePairsOfEveryHead) {
  for (const std::size_t points : {1u, 4u, 13u, 32u}) {
    const std::size_t heads = 3, columns = heads * 2 * points;
    std::vector<float> cosines, sines;
    for (std::size_t index = 0; index < 5 * points; ++index) {
      cosines.push_back(static_cast<float>(std::cos(0.37 * static_cast<double>(index))));
      sines.push_back(static_cast<float>(std::sin(0.37 * static_cast<double>(index))));
    }
    const auto cosine = upload_matrix(*device_, MatrixView<const float>(cosines.data(), 5, points)),
               sine = upload_matrix(*device_, MatrixView<const float>(sines.data(), 5, points)),
               wide = random_matrix(*device_, 3, columns + 2, 7);
    const auto positions = upload_row<std::int32_t>(*device_, std::vector<std::int32_t>{4, 0, 2});
    const std::vector<float> before = download_matrix(*device_, wide.view());
    operations_.rotate(positions.view(), {cosine.view(), sine.view()}, wide.view().columns_from(0, columns));
    const std::vector<float> after = download_matrix(*device_, wide.view());
    for (std::size_t row = 0; row < 3; ++row) {
      const std::size_t position = std::vector<std::size_t>{4, 0, 2}[row];
      for (std::size_t head = 0; head < heads; ++head) {
        for (std::size_t point = 0; point < points; ++point) {
          const std::size_t place = row * (columns + 2) + head * 2 * points + point;
          const double c = cosines[position * points + point], s = sines[position * points + point];
          ASSERT_NEAR(after[place], before[place] * c - before[place + points] * s, 1e-6);
          ASSERT_NEAR(after[place + points], before[place + points] * c + before[place] * s, 1e-6);
        }
      }
      for (std::size_t column = columns; column < columns + 2; ++column)
        ASSERT_EQ(after[row * (columns + 2) + column], before[row * (columns + 2) + column]);
    }
  }
}

TEST_P(Transformer, GateMultipliesNumberByNumber) {
  for (const std::size_t columns : {1u, 7u, 40u}) {
    const auto both = random_matrix(*device_, 5, 2 * columns, columns);
    const std::vector<float> before = download_matrix(*device_, both.view());
    operations_.gate(both.view().columns_from(0, columns), both.view().columns_from(columns, columns));
    const std::vector<float> after = download_matrix(*device_, both.view());
    for (std::size_t index = 0; index < before.size(); ++index) {
      const bool is_gated = index % (2 * columns) < columns;
      ASSERT_EQ(after[index], is_gated ? before[index] * before[index + columns] : before[index]) << index;
    }
  }
}

TEST_P(Transformer, AttentionSurvivesHugeScores) {
  const auto qkv = upload_matrix<float>(
      *device_, MatrixView<const float>(std::vector<float>{1e18f, 1e18f, 1, -1e18f, -1e18f, 2}.data(), 2, 3));
  const auto out = allocate_matrix<float>(*device_, 2, 1);
  operations_.attention(*operations_.pack_sequences(std::vector<std::size_t>{0, 2}),
                        {.query = qkv.view().columns_from(0, 1),
                         .key = qkv.view().columns_from(1, 1),
                         .value = qkv.view().columns_from(2, 1),
                         .heads = 1,
                         .scale = 1,
                         .bias = {},
                         .disentangled = {}},
                        out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{1, 2}));
}

TEST_P(Transformer, UnfoldPutsNeighboursSideBySideWithinASequence) {
  const auto in =
      upload_matrix<float>(*device_, MatrixView<const float>(std::vector<float>{1, 2, 3, 4}.data(), 4, 1));
  const auto out = allocate_matrix<float>(*device_, 4, 3);
  operations_.unfold(*operations_.pack_sequences(std::vector<std::size_t>{0, 3, 4}), in.view(), 1,
                     out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{0, 1, 2, 1, 2, 3, 2, 3, 0, 0, 4, 0}));
}

TEST_P(Transformer, PoolsGathersAddsCopiesAndNormalises) {
  const std::vector<float> values{3, 4, 1, -2, 0, 0};
  const auto in = upload_matrix<float>(*device_, MatrixView<const float>(values.data(), 3, 2));
  const auto sequences = operations_.pack_sequences(std::vector<std::size_t>{0, 2, 3});
  const auto out = allocate_matrix<float>(*device_, 2, 2);
  operations_.pool(*sequences, in.view(), Pooling::mean, out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{2, 1, 0, 0}));
  operations_.pool(*sequences, in.view(), Pooling::max, out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{3, 4, 0, 0}));
  operations_.pool(*sequences, in.view(), Pooling::cls, out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{3, 4, 0, 0}));
  operations_.normalize_rows(out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{3 / 5.0f, 4 / 5.0f, 0, 0}));
  const auto indices = upload_row<std::int32_t>(*device_, std::vector<std::int32_t>{2, 0});
  operations_.gather_rows(in.view(), indices.view(), out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{0, 0, 3, 4}));
  operations_.add(out.view(), in.view().rows_from(0, 2));
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{3, 4, 4, 2}));
  operations_.copy(in.view().rows_from(1, 2), out.view());
  EXPECT_EQ(download_matrix(*device_, out.view()), (std::vector<float>{1, -2, 0, 0}));
}

INSTANTIATE_TEST_SUITE_P(Device, Transformer, ::testing::ValuesIn(tested_devices()), device_name);

}  // namespace
}  // namespace markeval::compute
