// A whole BERT-like encoder in bf16 on one Hopper GPU: batches of packed sequences without padding, one graph
// of launches for any batch, copies in and out beside the work of other batches.
#pragma once

#include <memory>
#include <vector>

#include "bf16_attention.cuh"
#include "bf16_rows.cuh"
#include "encoder_model.hpp"

namespace bf16 {

using encoder::Floats;
using encoder::Lines;
using encoder::Shape;

template <typename T>
T* device_memory(std::size_t count) {
  T* result = nullptr;
  CHECK(cudaMalloc(&result, count * sizeof(T)));
  CHECK(cudaMemset(result, 0, count * sizeof(T)));
  return result;
}
inline float* upload(const Floats& values) {
  float* const result = device_memory<float>(values.size());
  CHECK(cudaMemcpy(result, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
  return result;
}
inline Half* upload_rounded(const Floats& values) {
  std::vector<Half> rounded(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) rounded[i] = __float2bfloat16(values[i]);
  Half* const result = device_memory<Half>(values.size());
  CHECK(cudaMemcpy(result, rounded.data(), values.size() * 2, cudaMemcpyHostToDevice));
  return result;
}

struct DeviceLayer {
  CUtensorMap qkv, out, up, down;
  float *qkv_bias, *out_bias, *up_bias, *down_bias;
  NormWeights norm1, norm2;
};

class DeviceModel {
 public:
  explicit DeviceModel(const encoder::Model& model) : shape(model.shape) {
    tables = {upload_rounded(model.words), upload_rounded(model.positions), upload_rounded(model.type)};
    norm = {upload(model.gain), upload(model.bias), encoder::kEpsilon};
    const auto map = [&](const Floats& weights, int inputs, int outputs, int box_rows) {
      return weight_map(upload_rounded(weights), inputs, outputs, box_rows);
    };
    for (const encoder::LayerWeights& l : model.layers) {
      const int h = shape.hidden, inner = shape.inner, shared = kColumns / 2;  // by two blocks
      layers.push_back({map(l.qkv, h, 3 * h, shared),
                        map(l.out, h, h, fuses_norm() ? kColumns : shared),
                        map(l.up, h, inner, shared),
                        map(l.down, inner, h, fuses_norm() ? kColumns : shared),
                        upload(l.qkv_bias),
                        upload(l.out_bias),
                        upload(l.up_bias),
                        upload(l.down_bias),
                        {upload(l.gain1), upload(l.bias1), encoder::kEpsilon},
                        {upload(l.gain2), upload(l.bias2), encoder::kEpsilon}});
    }
  }
  bool fuses_norm() const { return shape.hidden == kCluster * kColumns; }

  Shape shape;
  Tables tables;
  NormWeights norm;
  std::vector<DeviceLayer> layers;
};

/// A batch under way: its memory, stream and graph.
class Slot {
 public:
  Slot(const DeviceModel& model, int most_tokens, int most_sequences)
      : model_(model),
        most_sequences_(most_sequences),
        most_items_(most_sequences + most_tokens / kItemQueries) {
    const std::size_t rows = (most_tokens + 255) / 256 * 256, hidden = model.shape.hidden;
    const std::size_t inner = model.shape.inner;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    head_count_ = 4 + most_sequences + 1 + most_items_;
    CHECK(cudaHostAlloc(&head, head_count_ * 4, cudaHostAllocDefault));
    device_head_ = device_memory<int>(head_count_);
    ids_ = device_memory<int>(rows);
    states_ = device_memory<Half>(rows * hidden);
    qkv_ = device_memory<Half>(rows * 3 * hidden);
    context_ = device_memory<Half>(rows * hidden);
    wide_ = device_memory<Half>(rows * inner);
    pooled_ = device_memory<float>(most_sequences * hidden);
    const int count = static_cast<int>(rows), h = model.shape.hidden;
    states_map_ = activation_map(states_, h, count);
    const int piece = model.fuses_norm() ? kRows / kCluster : kRows;
    if (!model.fuses_norm()) sum_ = device_memory<Half>(rows * hidden);
    context_map_ = activation_map(context_, h, count, piece);
    wide_map_ = activation_map(wide_, model.shape.inner, count, piece);
    enqueue();  // once plainly: graphs want kernels that are loaded
    CHECK(cudaStreamSynchronize(stream));
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    enqueue();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&graph_, graph, 0));
  }

  /// `ids` and `out` are pinned memory of the host.
  void encode(const int* ids, const int* starts, int sequences, float* out) {
    CHECK(cudaStreamSynchronize(stream));  // the batch before in this slot
    const int tokens = starts[sequences] - starts[0];
    int* const local = head + 4;
    int* const items = local + most_sequences_ + 1;
    int count = 0;
    for (int i = 0; i <= sequences; ++i) local[i] = starts[i] - starts[0];
    for (int i = 0; i < sequences; ++i)
      for (int part = 0; part * kItemQueries < local[i + 1] - local[i]; ++part)
        items[count++] = i * kItemParts + part;
    head[0] = tokens, head[1] = sequences, head[2] = count;
    CHECK(cudaMemcpyAsync(device_head_, head, head_count_ * 4, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(ids_, ids, tokens * 4, cudaMemcpyHostToDevice, stream));
    CHECK(cudaGraphLaunch(graph_, stream));
    CHECK(cudaMemcpyAsync(out, pooled_, static_cast<std::size_t>(sequences) * model_.shape.hidden * 4,
                          cudaMemcpyDeviceToHost, stream));
  }

  // The steps, one by one, for those who time them.
  const BatchSize* size() const { return reinterpret_cast<const BatchSize*>(device_head_); }
  const int* starts() const { return device_head_ + 4; }
  const int* items() const { return starts() + most_sequences_ + 1; }
  void run_embed() {
    const auto kernel = model_.shape.hidden == 384 ? embed<6> : embed<12>;
    kernel<<<most_sequences_, 256, 0, stream>>>(ids_, starts(), size(), model_.tables, model_.norm, states_);
  }
  void run_qkv(const DeviceLayer& l) {
    launch_multiply<false>(states_map_, l.qkv, l.qkv_bias, qkv_, size(), model_.shape.hidden,
                           3 * model_.shape.hidden, stream);
  }
  void run_attention() {
    launch_attention(qkv_, starts(), items(), size(), most_items_, model_.shape.heads,
                     model_.shape.hidden / model_.shape.heads, context_, stream);
  }
  void run_out(const DeviceLayer& l) {
    project(context_map_, l.out, l.out_bias, l.norm1, model_.shape.hidden);
  }
  void run_up(const DeviceLayer& l) {
    launch_multiply<true>(states_map_, l.up, l.up_bias, wide_, size(), model_.shape.hidden,
                          model_.shape.inner, stream);
  }
  void run_down(const DeviceLayer& l) {
    project(wide_map_, l.down, l.down_bias, l.norm2, model_.shape.inner);
  }
  void run_pool() {
    pool<<<most_sequences_, model_.shape.hidden / 2, 0, stream>>>(states_, starts(), size(),
                                                                  model_.shape.hidden, pooled_);
  }

  cudaStream_t stream;
  int* head;

 private:
  void project(const CUtensorMap& in, const CUtensorMap& weights, const float* bias, const NormWeights& norm,
               int inputs) {
    if (model_.fuses_norm()) {
      launch_multiply_norm(in, weights, states_map_, bias, norm, states_, size(), inputs, stream);
    } else {
      launch_multiply<false>(in, weights, bias, sum_, size(), inputs, model_.shape.hidden, stream);
      add_norm<<<kBlocks * 8, 256, 0, stream>>>(sum_, size(), norm, states_);
    }
  }
  void enqueue() {
    run_embed();
    for (const DeviceLayer& layer : model_.layers) {
      run_qkv(layer);
      run_attention();
      run_out(layer);
      run_up(layer);
      run_down(layer);
    }
    run_pool();
    CHECK(cudaGetLastError());
  }

  const DeviceModel& model_;
  int most_sequences_, most_items_, head_count_;
  int *device_head_, *ids_;
  Half *states_, *qkv_, *context_, *wide_, *sum_ = nullptr;
  float* pooled_;
  CUtensorMap states_map_, context_map_, wide_map_;
  cudaGraphExec_t graph_;
};

class Encoder {
 public:
  Encoder(const DeviceModel& model, int most_tokens, int slots)
      : most_tokens_(most_tokens), most_sequences_(most_tokens / 16), hidden_(model.shape.hidden) {
    for (int i = 0; i < slots; ++i)
      slots_.push_back(std::make_unique<Slot>(model, most_tokens, most_sequences_));
  }
  /// Vectors of all lines, in their order; all memory is the host's and pinned.
  void encode(const int* ids, const std::vector<int>& starts, float* out) {
    const int count = static_cast<int>(starts.size()) - 1;
    int turn = 0;
    for (int begin = 0; begin < count;) {
      int end = begin;
      while (end < count && end - begin < most_sequences_ && starts[end + 1] - starts[begin] <= most_tokens_)
        ++end;
      slots_[turn++ % slots_.size()]->encode(ids + starts[begin], starts.data() + begin, end - begin,
                                             out + static_cast<std::size_t>(begin) * hidden_);
      begin = end;
    }
    CHECK(cudaDeviceSynchronize());
  }
  Slot& slot(int index) { return *slots_[index]; }

 private:
  int most_tokens_, most_sequences_, hidden_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace bf16
