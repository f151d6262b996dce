// Runs the trial layer on the CPU through the project's own device and writes the states behind it, as
// float32, to the file named: what encoder_layer.cu is held against.
#include <cstdio>
#include <span>

#include "base/parallel.hpp"
#include "compute/device.hpp"
#include "compute/transformer.hpp"
#include "layer_data.hpp"

int main(int, char** argv) {
  using namespace markeval;
  ThreadPool pool(1);
  const auto device = compute::make_device("cpu", pool);
  auto& operations = device->transformer();
  const layer::Weights weights;
  const std::vector<int> starts = layer::test_starts();
  const std::vector<std::size_t> places(starts.begin(), starts.end());
  const std::size_t tokens = places.back(), hidden = layer::kHidden;
  const auto sequences = operations.pack_sequences(places);

  const auto matrix = [&](const std::vector<float>& values, std::size_t columns) {
    return compute::upload_matrix<float>(
        *device, MatrixView<const float>(values.data(), values.size() / columns, columns));
  };
  const auto pack = [&](const std::vector<float>& values, std::size_t inputs) {
    return device->pack_weights(matrix(values, inputs).view(), compute::Precision::f32);
  };
  const auto row = [&](const std::vector<float>& values) { return matrix(values, values.size()); };
  const auto qkv_bias = row(weights.qkv_bias), out_bias = row(weights.out_bias),
             up_bias = row(weights.up_bias);
  const auto down_bias = row(weights.down_bias), gain1 = row(weights.gain1), bias1 = row(weights.bias1);
  const auto gain2 = row(weights.gain2), bias2 = row(weights.bias2);

  const auto states = matrix(layer::test_states(static_cast<int>(tokens)), hidden);
  const auto qkv = compute::allocate_matrix<float>(*device, tokens, 3 * hidden);
  const auto context = compute::allocate_matrix<float>(*device, tokens, hidden);
  const auto wide = compute::allocate_matrix<float>(*device, tokens, layer::kInner);
  device->multiply(states.view(), *pack(weights.qkv, hidden), {.bias = qkv_bias.view(), .residual = {}},
                   qkv.view());
  compute::AttentionInputs inputs;
  inputs.query = qkv.view().columns_from(0, hidden);
  inputs.key = qkv.view().columns_from(hidden, hidden);
  inputs.value = qkv.view().columns_from(2 * hidden, hidden);
  inputs.heads = layer::kHeads;
  inputs.scale = layer::kScale;
  operations.attention(*sequences, inputs, context.view());
  device->multiply(context.view(), *pack(weights.out, hidden),
                   {.bias = out_bias.view(), .residual = states.view()}, states.view());
  operations.layer_norm(states.view(), {gain1.view(), bias1.view(), layer::kEpsilon}, states.view());
  device->multiply(states.view(), *pack(weights.up, hidden),
                   {.bias = up_bias.view(), .activation = compute::Activation::gelu, .residual = {}},
                   wide.view());
  device->multiply(wide.view(), *pack(weights.down, layer::kInner),
                   {.bias = down_bias.view(), .residual = states.view()}, states.view());
  operations.layer_norm(states.view(), {gain2.view(), bias2.view(), layer::kEpsilon}, states.view());

  const std::vector<float> result = compute::download_matrix(*device, states.view());
  std::FILE* const file = std::fopen(argv[1], "wb");
  std::fwrite(result.data(), 4, result.size(), file);
  std::fclose(file);
  std::printf("%zu tokens on %s, first %.9g\n", tokens, device->name().c_str(),
              static_cast<double>(result[0]));
}
