#include "encoder/sequence_encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "base/random.hpp"
#include "encoder/model_folder.hpp"

namespace markeval::encoder {
namespace {

using testing::ElementsAre;
using Plan = std::vector<std::vector<std::size_t>>;

TEST(PlanBatches, PutsTheLongestFirstAndCutsByTokens) {
  EXPECT_EQ(plan_batches(std::vector<std::size_t>{3, 9, 5}, 10), (Plan{{1}, {2, 0}}));
}

TEST(PlanBatches, KeepsTheOrderOfEqualLengths) {
  EXPECT_EQ(plan_batches(std::vector<std::size_t>{4, 4, 4}, 8), (Plan{{0, 1}, {2}}));
}

TEST(PlanBatches, GivesALongSequenceABatchOfItsOwn) {
  EXPECT_EQ(plan_batches(std::vector<std::size_t>{2, 50, 3}, 10), (Plan{{1}, {2, 0}}));
  EXPECT_TRUE(plan_batches({}, 10).empty());
}

class SequenceEncoder : public testing::Test {
 protected:
  SequenceEncoder() {
    RandomStream random(3, 0);
    for (int sequence = 0; sequence < 57; ++sequence) {
      sequences_.emplace_back(1 + random.below(30));
      for (std::int32_t& id : sequences_.back()) id = static_cast<std::int32_t>(random.below(64));
    }
  }

  /// Results per sequence, layers one after the other.
  std::vector<std::vector<float>> encode(const EncodeOptions& options,
                                         const std::atomic<bool>* cancel = nullptr) {
    std::vector<std::vector<float>> results;
    std::size_t next = 0;
    encode_sequences(
        encoder_,
        [&](std::vector<std::int32_t>& ids) {
          if (next == sequences_.size()) return false;
          ids = sequences_[next++];
          return true;
        },
        options,
        [&](std::size_t sequence, std::span<const MatrixView<const float>> layers) {
          EXPECT_EQ(sequence, results.size());
          results.emplace_back();
          for (const MatrixView<const float>& rows : layers) {
            EXPECT_EQ(rows.rows(), options.pooling ? 1 : sequences_[sequence].size());
            results.back().insert(results.back().end(), rows.data(),
                                  rows.data() + rows.rows() * rows.columns());
          }
        },
        RunContext{.pool = pool_, .cancel = cancel});
    return results;
  }

  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
  Encoder encoder_{model_folder("bert"), *device_};
  std::vector<std::vector<std::int32_t>> sequences_;
};

TEST_F(SequenceEncoder, GivesTheTokensNeededTheSameBitsWithoutTheOthers) {
  EncodeOptions options{.layers = {1, 2}, .pooling = {}, .window_tokens = 200};
  const auto whole = encode(options);
  std::vector<std::vector<std::uint8_t>> masks;
  for (std::size_t sequence = 0; sequence < sequences_.size(); ++sequence) {
    auto& mask = masks.emplace_back(sequences_[sequence].size(), std::uint8_t{0});
    for (std::size_t token = sequence % 3; token < mask.size(); token += 2) mask[token] = 1;
    if (sequence % 5 == 0) mask.clear();  // all
  }
  options.needed = [&](std::size_t sequence) { return std::span<const std::uint8_t>(masks[sequence]); };
  const auto part = encode(options);
  const std::size_t hidden = encoder_.dimensions().hidden;
  for (std::size_t sequence = 0; sequence < sequences_.size(); ++sequence) {
    const std::size_t tokens = sequences_[sequence].size();
    for (std::size_t row = 0; row < 2 * tokens; ++row) {  // layer 1, then layer 2
      if (row >= tokens && !masks[sequence].empty() && masks[sequence][row - tokens] == 0) continue;
      for (std::size_t column = 0; column < hidden; ++column)
        ASSERT_EQ(part[sequence][row * hidden + column], whole[sequence][row * hidden + column]) << sequence;
    }
  }
}

TEST_F(SequenceEncoder, GivesTheSameBitsForAnyBatchAndWindow) {
  EncodeOptions options{.layers = {0, 2}, .pooling = {}};
  const auto expected = encode(options);
  ASSERT_EQ(expected.size(), sequences_.size());
  for (const auto& [batch, window] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {64, 100}, {7, 1000}, {100'000, 100'000}}) {
    options.batch_tokens = batch;
    options.window_tokens = window;
    EXPECT_EQ(encode(options), expected) << batch << " " << window;
  }
}

TEST_F(SequenceEncoder, PoolsTheRowsOfEachSequence) {
  const std::size_t hidden = encoder_.dimensions().hidden;
  const auto tokens = encode({.layers = {2}, .pooling = {}});
  const auto mean = encode({.layers = {2}, .pooling = compute::Pooling::mean});
  const auto first = encode({.layers = {2}, .pooling = compute::Pooling::cls});
  const auto highest = encode({.layers = {2}, .pooling = compute::Pooling::max});
  for (std::size_t sequence = 0; sequence < sequences_.size(); ++sequence) {
    const std::size_t length = sequences_[sequence].size();
    for (std::size_t column = 0; column < hidden; ++column) {
      double sum = 0;
      float maximum = tokens[sequence][column];
      for (std::size_t row = 0; row < length; ++row) {
        sum += tokens[sequence][row * hidden + column];
        maximum = std::max(maximum, tokens[sequence][row * hidden + column]);
      }
      EXPECT_NEAR(mean[sequence][column], sum / static_cast<double>(length), 1e-6);
      EXPECT_EQ(first[sequence][column], tokens[sequence][column]);
      EXPECT_EQ(highest[sequence][column], maximum);
    }
  }
}

TEST_F(SequenceEncoder, NormalisesRowsToLengthOne) {
  const std::size_t hidden = encoder_.dimensions().hidden;
  for (const auto& options :
       {EncodeOptions{.layers = {1}, .pooling = compute::Pooling::mean, .normalize = true},
        EncodeOptions{.layers = {1}, .pooling = {}, .normalize = true}}) {
    for (const std::vector<float>& rows : encode(options)) {
      for (std::size_t begin = 0; begin < rows.size(); begin += hidden) {
        double squares = 0;
        for (std::size_t column = 0; column < hidden; ++column) squares += std::pow(rows[begin + column], 2);
        EXPECT_NEAR(squares, 1, 1e-6);
      }
    }
  }
}

TEST_F(SequenceEncoder, StopsOnRequest) {
  const std::atomic<bool> cancel{true};
  EXPECT_THROW(encode({.layers = {1}, .pooling = {}}, &cancel), Error);
}

}  // namespace
}  // namespace markeval::encoder
