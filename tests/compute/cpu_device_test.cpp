#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "compute/samples.hpp"

namespace markeval::compute {
namespace {

class CpuDevice : public ::testing::Test {
 protected:
  std::vector<float> product(Device& device, const PackedWeights& packed, const samples::Floats& in) {
    const auto device_in = samples::upload_strided(device, in);
    const auto out = allocate_matrix<float>(device, in.rows, packed.outputs());
    device.multiply(device_in.view(), packed, {.bias = {}, .residual = {}}, out.view());
    return download_matrix(device, out.view());
  }

  ThreadPool pool_{3};
  std::unique_ptr<Device> device_ = make_cpu_device(pool_);
};

TEST_F(CpuDevice, NamesItsInstructionSet) {
  EXPECT_EQ(device_->name(), "cpu " + std::string(name(chosen_isa())));
  EXPECT_EQ(make_cpu_device(pool_, Isa::portable)->name(), "cpu portable");
}

TEST_F(CpuDevice, RefusesBf16WhereThereIsNone) {
  const auto portable = make_cpu_device(pool_, Isa::portable);
  EXPECT_FALSE(portable->supports(Precision::bf16));
  EXPECT_TRUE(portable->supports(Precision::f32));
  const std::vector<float> one{1};
  const auto weights = upload_row(*portable, std::span(one));
  try {
    portable->pack_weights(weights.view(), Precision::bf16);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_STREQ(error.what(), "bf16 is not available on cpu portable");
  }
}

TEST_F(CpuDevice, MultipliesNoRows) {
  const samples::Floats weights = samples::floats(5, 7, 7, 1);
  const auto packed =
      device_->pack_weights(samples::upload_strided(*device_, weights).view(), Precision::f32);
  EXPECT_TRUE(product(*device_, *packed, {0, 7, 7, {}}).empty());
}

// Callers on several threads, and callers that are themselves inside a loop of the pool, do not disturb each
// other.
TEST_F(CpuDevice, ServesSeveralCallersAtOnce) {
  const samples::Floats weights = samples::floats(130, 96, 96, 1), in = samples::floats(70, 96, 96, 2);
  const auto packed =
      device_->pack_weights(samples::upload_strided(*device_, weights).view(), Precision::f32);
  const std::vector<float> expected = product(*device_, *packed, in);
  std::vector<std::vector<float>> found(12);
  pool_.for_each(4, [&](std::size_t item, std::size_t) { found[item] = product(*device_, *packed, in); });
  std::vector<std::thread> callers;
  for (std::size_t caller = 4; caller < found.size(); ++caller) {
    callers.emplace_back([&, caller] { found[caller] = product(*device_, *packed, in); });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_THAT(found, ::testing::Each(expected));
}

TEST_F(CpuDevice, SelectsNoPairsOfAnEmptySet) {
  const cpu::PairOperations& pairs = *cpu::pair_operations(*device_);
  const samples::Codes none{0, 16, {}, {}, {}}, some = samples::codes(3, 16, 100, 1);
  const auto packed_none = samples::pack(pairs, none), packed_some = samples::pack(pairs, some);
  std::vector<cpu::CodedPair> found(4);
  EXPECT_EQ(pairs.select(*packed_some, *packed_none, {0, 3, 0, 0}, std::vector<float>(3, 1e30f), {}, found),
            0u);
}

}  // namespace
}  // namespace markeval::compute
