// The matrix product of every device, in every precision it offers.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "compute/reference/reference.hpp"
#include "compute/samples.hpp"
#include "contract/devices.hpp"

namespace markeval::compute {
namespace {

struct Case {
  std::size_t rows, inputs, outputs;
  float scale = 1;
  bool bias = false;
  Activation activation = Activation::none;
  bool residual = false;
  std::size_t gap = 0;  ///< elements between rows of every matrix
};

std::string describe(const Case& c) {
  return std::to_string(c.rows) + " x " + std::to_string(c.inputs) + " x " + std::to_string(c.outputs) +
         " scale " + std::to_string(c.scale) + " bias " + std::to_string(c.bias) + " activation " +
         std::to_string(static_cast<int>(c.activation)) + " residual " + std::to_string(c.residual) +
         " gap " + std::to_string(c.gap);
}

class Multiply : public EveryDevice {
 protected:
  static std::vector<Precision> precisions(const Device& device) {
    if (device.supports(Precision::bf16)) return {Precision::f32, Precision::bf16};
    return {Precision::f32};
  }

  void expect_right(Device& device, Precision precision, const Case& c) {
    samples::Floats in = samples::floats(c.rows, c.inputs, c.inputs + c.gap, 1);
    samples::Floats weights = samples::floats(c.outputs, c.inputs, c.inputs + c.gap, 2);
    const samples::Floats bias = samples::floats(1, c.outputs, c.outputs, 3);
    const samples::Floats residual = samples::floats(c.rows, c.outputs, c.outputs + c.gap, 4);
    const auto device_in = samples::upload_strided(device, in),
               device_weights = samples::upload_strided(device, weights);
    const auto device_bias = samples::upload_strided(device, bias);
    const auto device_residual = samples::upload_strided(device, residual);
    const auto out = allocate_matrix<float>(device, c.rows, c.outputs + c.gap);
    const std::vector<float> untouched(c.rows * (c.outputs + c.gap), -7.0f);
    upload(device, MatrixView(untouched.data(), c.rows, c.outputs + c.gap), out.view());

    const auto packed = device.pack_weights(device_weights.view().columns_from(0, c.inputs), precision);
    EXPECT_EQ(packed->inputs(), c.inputs);
    EXPECT_EQ(packed->outputs(), c.outputs);
    Epilogue epilogue{.scale = c.scale, .bias = {}, .activation = c.activation, .residual = {}};
    if (c.bias) epilogue.bias = device_bias.view();
    if (c.residual) epilogue.residual = device_residual.view().columns_from(0, c.outputs);
    device.multiply(device_in.view().columns_from(0, c.inputs), *packed, epilogue,
                    out.view().columns_from(0, c.outputs));

    if (precision == Precision::bf16) {
      for (float& value : in.values) value = samples::rounded_to_bf16(value);
      for (float& value : weights.values) value = samples::rounded_to_bf16(value);
    }
    const auto expected =
        reference::multiply(in.view(), weights.view(), static_cast<double>(c.scale),
                            c.bias ? std::span(bias.values) : std::span<const float>(), c.activation,
                            c.residual ? residual.view() : MatrixView<const float>());
    const std::vector<float> found = download_matrix(device, out.view());
    const double epsilon = GetParam().float_rounding;
    for (std::size_t row = 0; row < c.rows; ++row) {
      for (std::size_t column = 0; column < c.outputs + c.gap; ++column) {
        const double value = static_cast<double>(found[row * (c.outputs + c.gap) + column]);
        if (column >= c.outputs) {
          ASSERT_EQ(value, -7.0) << "wrote beside the matrix, " << describe(c);
          continue;
        }
        // One rounding per term and a few more; gelu's slope is at most 1.13 and its own error 1e-6.
        const double tolerance = 1.13 * epsilon * static_cast<double>(c.inputs + 6) *
                                     expected.magnitudes[row * c.outputs + column] +
                                 (c.activation == Activation::gelu ? 1e-6 : 0);
        ASSERT_NEAR(value, expected.values[row * c.outputs + column], tolerance)
            << "row " << row << " column " << column << " of " << describe(c);
      }
    }
  }
};

TEST_P(Multiply, EqualsTheReferenceForEveryShape) {
  ThreadPool pool(2);
  const auto device = GetParam().make(pool);
  for (const Precision precision : precisions(*device)) {
    for (std::size_t inputs = 1; inputs <= 70; ++inputs) expect_right(*device, precision, {3, inputs, 5});
    for (std::size_t rows = 1; rows <= 34; ++rows) expect_right(*device, precision, {rows, 33, 17});
    for (std::size_t outputs = 1; outputs <= 66; ++outputs)
      expect_right(*device, precision, {5, 19, outputs});
    for (const std::size_t inputs : {127u, 384u, 385u, 511u, 768u, 1000u, 1024u}) {
      expect_right(*device, precision, {13, inputs, 37});
    }
    expect_right(*device, precision, {1, 1, 1});
    expect_right(*device, precision, {200, 96, 200});
    expect_right(*device, precision, {1100, 8, 9});
  }
}

TEST_P(Multiply, AppliesTheEpilogue) {
  ThreadPool pool(2);
  const auto device = GetParam().make(pool);
  for (const Precision precision : precisions(*device)) {
    for (const Activation activation : {Activation::none, Activation::relu, Activation::gelu}) {
      for (const bool bias : {false, true}) {
        for (const bool residual : {false, true}) {
          expect_right(*device, precision, {21, 40, 45, 1.0f, bias, activation, residual, 0});
          expect_right(*device, precision, {21, 800, 45, 0.125f, bias, activation, residual, 3});
        }
      }
    }
  }
}

TEST_P(Multiply, AddsTheOutputToItselfAsResidual) {
  ThreadPool pool(2);
  const auto device = GetParam().make(pool);
  const samples::Floats in = samples::floats(70, 900, 900, 1), weights = samples::floats(50, 900, 900, 2);
  const samples::Floats before = samples::floats(70, 50, 50, 3);
  const auto device_in = samples::upload_strided(*device, in);
  const auto device_weights = samples::upload_strided(*device, weights);
  for (const Precision precision : precisions(*device)) {
    const auto packed = device->pack_weights(device_weights.view(), precision);
    const auto separate = samples::upload_strided(*device, before),
               same = samples::upload_strided(*device, before);
    const auto out = allocate_matrix<float>(*device, 70, 50);
    device->multiply(device_in.view(), *packed, {.bias = {}, .residual = separate.view()}, out.view());
    device->multiply(device_in.view(), *packed, {.bias = {}, .residual = same.view()}, same.view());
    EXPECT_EQ(download_matrix(*device, same.view()), download_matrix(*device, out.view()));
  }
}

// The same bits whatever the threads, the number of rows and the place of a row among them.
TEST_P(Multiply, GivesARowTheSameBitsWhereverItStands) {
  constexpr std::size_t kRows = 270, kInputs = 1000, kOutputs = 77;
  const samples::Floats in = samples::floats(kRows, kInputs, kInputs, 1);
  const samples::Floats weights = samples::floats(kOutputs, kInputs, kInputs, 2);
  const samples::Floats bias = samples::floats(1, kOutputs, kOutputs, 3);
  ThreadPool one(1);
  const auto first = GetParam().make(one);
  for (const Precision precision : precisions(*first)) {
    const auto run = [&](std::size_t threads, std::size_t begin, std::size_t count) {
      ThreadPool pool(threads);
      const auto device = GetParam().make(pool);
      const auto device_in = samples::upload_strided(*device, in),
                 device_bias = samples::upload_strided(*device, bias);
      const auto packed = device->pack_weights(samples::upload_strided(*device, weights).view(), precision);
      const auto out = allocate_matrix<float>(*device, count, kOutputs);
      device->multiply(device_in.view().rows_from(begin, count), *packed,
                       {.bias = device_bias.view(), .activation = Activation::gelu, .residual = {}},
                       out.view());
      return download_matrix(*device, out.view());
    };
    const std::vector<float> all = run(1, 0, kRows);
    for (const std::size_t threads : {1u, 2u, 3u, 7u}) {
      for (const std::size_t count : {1u, 2u, 7u, 8u, 31u, 64u, 256u}) {
        for (const std::size_t begin : {0u, 1u, 5u, 12u, 80u}) {
          if (begin + count > kRows) continue;
          const std::vector<float> part = run(threads, begin, count);
          const std::vector<float> same(
              all.begin() + static_cast<std::ptrdiff_t>(begin * kOutputs),
              all.begin() + static_cast<std::ptrdiff_t>((begin + count) * kOutputs));
          ASSERT_EQ(std::memcmp(part.data(), same.data(), part.size() * sizeof(float)), 0)
              << threads << " threads, rows " << begin << " to " << begin + count;
        }
      }
    }
  }
}

// Rows that go from one product to the next: rounded when written or when read, the bits are the same.
TEST_P(Multiply, ReadsAndWritesBf16AsItRoundsFloats) {
  for (const std::size_t threads : {1u, 2u, 3u}) {
    ThreadPool pool(threads);
    const auto device = GetParam().make(pool);
    if (!device->supports(Precision::bf16)) GTEST_SKIP() << "no bf16 on " << device->name();
    for (const Case& c : {Case{.rows = 1, .inputs = 1, .outputs = 1},
                          {.rows = 32, .inputs = 64, .outputs = 32},
                          {.rows = 70, .inputs = 96, .outputs = 45, .bias = true, .gap = 3},
                          {.rows = 33, .inputs = 100, .outputs = 70, .activation = Activation::gelu},
                          {.rows = 130, .inputs = 384, .outputs = 300, .bias = true, .residual = true},
                          {.rows = 600, .inputs = 64, .outputs = 90, .activation = Activation::relu},
                          {.rows = 1100, .inputs = 40, .outputs = 33, .scale = 0.5f, .gap = 5},
                          {.rows = 67, .inputs = 3072, .outputs = 65, .bias = true}}) {
      const samples::Floats in = samples::floats(c.rows, c.inputs, c.inputs + c.gap, 1);
      const samples::Floats bias = samples::floats(1, c.outputs, c.outputs, 3);
      const samples::Floats residual = samples::floats(c.rows, c.outputs, c.outputs, 4);
      const auto device_in = samples::upload_strided(*device, in);
      const auto narrow_in = samples::upload_rounded(*device, in);
      const auto device_bias = samples::upload_strided(*device, bias),
                 device_residual = samples::upload_strided(*device, residual);
      const auto packed = device->pack_weights(
          samples::upload_strided(*device, samples::floats(c.outputs, c.inputs, c.inputs, 2)).view(),
          Precision::bf16);
      EXPECT_EQ(packed->precision(), Precision::bf16);
      Epilogue epilogue{.scale = c.scale, .bias = {}, .activation = c.activation, .residual = {}};
      if (c.bias) epilogue.bias = device_bias.view();
      if (c.residual) epilogue.residual = device_residual.view();

      const std::size_t stride = c.outputs + c.gap, size = c.rows * stride;
      const auto run = [&](ProductRows rows, auto unset) {
        const std::vector<decltype(unset)> before(size, unset);
        const auto out =
            upload_matrix(*device, MatrixView<const decltype(unset)>(before.data(), c.rows, stride));
        device->multiply(rows, *packed, epilogue, out.view().columns_from(0, c.outputs));
        return download_matrix(*device, out.view());
      };
      const auto wide = device_in.view().columns_from(0, c.inputs);
      const auto narrow = narrow_in.view().columns_from(0, c.inputs);
      const std::vector<float> expected = run(wide, -7.0f);
      ASSERT_EQ(std::memcmp(run(narrow, -7.0f).data(), expected.data(), size * sizeof(float)), 0)
          << describe(c);
      for (const std::vector<Bf16>& found :
           {run(wide, samples::to_bf16(-7.0f)), run(narrow, samples::to_bf16(-7.0f))}) {
        for (std::size_t i = 0; i < size; ++i)
          ASSERT_EQ(found[i].bits, samples::to_bf16(expected[i]).bits) << "at " << i << " of " << describe(c);
      }
    }
  }
}

TEST_P(Multiply, GeluIsExactToOneInAMillion) {
  ThreadPool pool(1);
  const auto device = GetParam().make(pool);
  constexpr std::size_t kCount = 20001;
  std::vector<float> values(kCount);
  for (std::size_t i = 0; i < kCount; ++i) values[i] = (static_cast<float>(i) - 10000) * 0.001f;
  const std::vector<float> one{1};
  const auto in = upload_matrix(*device, MatrixView<const float>(values.data(), kCount, 1));
  const auto packed = device->pack_weights(upload_row(*device, std::span(one)).view(), Precision::f32);
  const auto out = allocate_matrix<float>(*device, kCount, 1);
  device->multiply(in.view(), *packed, {.bias = {}, .activation = Activation::gelu, .residual = {}},
                   out.view());
  const std::vector<float> found = download_matrix(*device, out.view());
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_NEAR(static_cast<double>(found[i]), reference::gelu(static_cast<double>(values[i])), 1e-6)
        << values[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Device, Multiply, ::testing::ValuesIn(tested_devices()), device_name);

}  // namespace
}  // namespace markeval::compute
