#include "trained/lstm.hpp"

#include <algorithm>

#include "trained/functions.hpp"
#include "trained/sums.hpp"

namespace markeval::trained {
namespace {

// Texts that walk in step. Enough to fill the tiles of the product, few enough to give every thread a group.
constexpr std::size_t kGroup = 16;

/// How many texts of the group are longer than `step`: a prefix, since the longest come first.
std::size_t active(const TextSpans& sequences, std::size_t first, std::size_t step) {
  const auto order = sequences.by_length();
  std::size_t count = 0;
  while (count < kGroup && first + count < order.size() && sequences.length(order[first + count]) > step)
    ++count;
  return count;
}

std::size_t row_of(const TextSpans& sequences, std::size_t sequence, std::size_t step,
                   std::size_t direction) {
  const std::size_t place = direction == 0 ? step : sequences.length(sequence) - 1 - step;
  return sequences.begin(sequence) + place;
}

/// One word. `recurrent` and `memory_before` are null at the first step.
template <typename T>
void step_forward(std::size_t hidden, T* __restrict gates, const T* __restrict recurrent,
                  const T* __restrict bias, const T* __restrict memory_before, T* __restrict memory,
                  T* __restrict squashed, T* __restrict output) {
  if (recurrent != nullptr) {
    for (std::size_t j = 0; j < 4 * hidden; ++j) gates[j] += recurrent[j] + bias[j];
  } else {
    for (std::size_t j = 0; j < 4 * hidden; ++j) gates[j] += bias[j];
  }
  for (std::size_t j = 0; j < 2 * hidden; ++j) gates[j] = sigmoid(gates[j]);
  for (std::size_t j = 2 * hidden; j < 3 * hidden; ++j) gates[j] = hyperbolic_tangent(gates[j]);
  for (std::size_t j = 3 * hidden; j < 4 * hidden; ++j) gates[j] = sigmoid(gates[j]);
  const T* const in = gates;
  const T* const forget = gates + hidden;
  const T* const candidate = gates + 2 * hidden;
  const T* const out = gates + 3 * hidden;
  for (std::size_t j = 0; j < hidden; ++j) {
    memory[j] = in[j] * candidate[j] + (memory_before == nullptr ? T(0) : forget[j] * memory_before[j]);
  }
  for (std::size_t j = 0; j < hidden; ++j) squashed[j] = hyperbolic_tangent(memory[j]);
  for (std::size_t j = 0; j < hidden; ++j) output[j] = out[j] * squashed[j];
}

/// The gates become their gradients. `d_state`: of h, from this word and the one after; `d_memory`: of c from
/// the word after, then for the word before.
template <typename T>
void step_backward(std::size_t hidden, T* __restrict gates, const T* __restrict memory_before,
                   const T* __restrict squashed, const T* __restrict d_state, T* __restrict d_memory) {
  T* const in = gates;
  T* const forget = gates + hidden;
  T* const candidate = gates + 2 * hidden;
  T* const out = gates + 3 * hidden;
  for (std::size_t j = 0; j < hidden; ++j) {
    const T i = in[j], f = forget[j], g = candidate[j], o = out[j];
    const T d_c = d_memory[j] + d_state[j] * o * (T(1) - squashed[j] * squashed[j]);
    const T before = memory_before == nullptr ? T(0) : memory_before[j];
    in[j] = d_c * g * i * (T(1) - i);
    forget[j] = d_c * before * f * (T(1) - f);
    candidate[j] = d_c * i * (T(1) - g * g);
    out[j] = d_state[j] * squashed[j] * o * (T(1) - o);
    d_memory[j] = d_c * f;
  }
}

}  // namespace

template <typename T>
BiLstm<T>::BiLstm(ParameterLayout& layout, const std::string& name, std::size_t inputs, std::size_t hidden)
    : inputs_(inputs),
      hidden_(hidden),
      weight_input_(layout.add(name + ".weight_input", 8 * hidden, inputs, Start::xavier, 2)),
      weight_hidden_(layout.add(name + ".weight_hidden", 8 * hidden, hidden, Start::orthogonal, 2)),
      bias_(layout.add(name + ".bias", 2, 4 * hidden, Start::lstm_bias, 2)) {}

template <typename T>
std::size_t BiLstm<T>::groups(const TextSpans& sequences) const {
  return (sequences.count() + kGroup - 1) / kGroup;
}

template <typename T>
void BiLstm<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                        const TextSpans& sequences, compute::SparseRows<T> input, MatrixView<T> output) {
  gates_.resize(sequences.rows(), 8 * hidden_);
  memory_.resize(sequences.rows(), 2 * hidden_);
  squashed_.resize(sequences.rows(), 2 * hidden_);
  products.pack(compute::transposed(parameters[weight_input_]), packed_input_);
  products.multiply(input, packed_input_, gates_.view());
  for (std::size_t direction = 0; direction < 2; ++direction) {
    const auto weights = parameters[weight_hidden_].rows_from(direction * 4 * hidden_, 4 * hidden_);
    products.pack(compute::transposed(weights), packed_[direction]);
  }
  const std::size_t count = groups(sequences);
  if (groups_.size() < 2 * count) groups_.resize(2 * count);
  products.pool().for_each(2 * count, [&](std::size_t task, std::size_t) {
    run_forward(products, parameters, sequences, task % 2, task / 2 * kGroup, groups_[task], output);
  });
}

template <typename T>
void BiLstm<T>::run_forward(const compute::Products& products, const Parameters<T>& parameters,
                            const TextSpans& sequences, std::size_t direction, std::size_t first,
                            SequenceGroup& group, MatrixView<T> output) {
  const auto order = sequences.by_length();
  const T* const bias = parameters[bias_].row(direction).data();
  group.state.resize(kGroup, hidden_);
  group.gates.resize(kGroup, 4 * hidden_);
  for (std::size_t step = 0; step < sequences.length(order[first]); ++step) {
    const std::size_t count = active(sequences, first, step);
    if (step > 0) {
      products.multiply(compute::as_is(group.state.view().rows_from(0, count)), packed_[direction],
                        group.gates.view().rows_from(0, count));
    }
    for (std::size_t index = 0; index < count; ++index) {
      const std::size_t sequence = order[first + index];
      const std::size_t row = row_of(sequences, sequence, step, direction);
      const T* before = nullptr;
      if (step > 0) {
        before = memory_.row(row_of(sequences, sequence, step - 1, direction)) + direction * hidden_;
      }
      T* const state = output.row(row).data() + direction * hidden_;
      step_forward(hidden_, gates_.row(row) + direction * 4 * hidden_,
                   step > 0 ? group.gates.row(index) : nullptr, bias, before,
                   memory_.row(row) + direction * hidden_, squashed_.row(row) + direction * hidden_, state);
      std::copy_n(state, hidden_, group.state.row(index));
    }
  }
}

template <typename T>
void BiLstm<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                         const TextSpans& sequences, compute::SparseRows<T> input, MatrixView<const T> output,
                         MatrixView<const T> d_output, MatrixView<T> d_input, Parameters<T>& gradient) {
  for (std::size_t direction = 0; direction < 2; ++direction) {
    const auto weights = parameters[weight_hidden_].rows_from(direction * 4 * hidden_, 4 * hidden_);
    products.pack(compute::as_is(weights), packed_[direction]);
  }
  products.pool().for_each(2 * groups(sequences), [&](std::size_t task, std::size_t) {
    run_backward(products, sequences, task % 2, task / 2 * kGroup, groups_[task], d_output);
  });
  // From here on the gates are gradients.
  products.add_product(gates_.view(), input, gradient[weight_input_]);
  for (std::size_t direction = 0; direction < 2; ++direction) {
    before_.resize(sequences.rows(), hidden_);
    products.pool().for_each(sequences.count(), [&](std::size_t sequence, std::size_t) {
      for (std::size_t step = 0; step < sequences.length(sequence); ++step) {
        T* const to = before_.row(row_of(sequences, sequence, step, direction));
        if (step == 0) {
          std::fill_n(to, hidden_, T(0));
        } else {
          const std::size_t row = row_of(sequences, sequence, step - 1, direction);
          std::copy_n(output.row(row).data() + direction * hidden_, hidden_, to);
        }
      }
    });
    const MatrixView<T> mine(gates_.data() + direction * 4 * hidden_, sequences.rows(), 4 * hidden_,
                             8 * hidden_);
    products.multiply(compute::transposed(mine), compute::as_is(before_.view()),
                      gradient[weight_hidden_].rows_from(direction * 4 * hidden_, 4 * hidden_), true);
  }
  add_column_sums<T>(products.pool(), gates_.view(), {gradient[bias_].data(), 8 * hidden_});
  if (!d_input.empty()) {
    products.multiply_columns(gates_.view(), parameters[weight_input_], input.kept, d_input);
  }
}

template <typename T>
void BiLstm<T>::run_backward(const compute::Products& products, const TextSpans& sequences,
                             std::size_t direction, std::size_t first, SequenceGroup& group,
                             MatrixView<const T> d_output) {
  const auto order = sequences.by_length();
  group.state.resize(kGroup, hidden_);
  group.memory.resize(kGroup, hidden_);
  group.gates.resize(kGroup, 4 * hidden_);
  group.state.fill(0);
  group.memory.fill(0);
  for (std::size_t step = sequences.length(order[first]); step-- > 0;) {
    const std::size_t count = active(sequences, first, step);
    for (std::size_t index = 0; index < count; ++index) {
      const std::size_t sequence = order[first + index];
      const std::size_t row = row_of(sequences, sequence, step, direction);
      T* const d_state = group.state.row(index);
      const T* const from_above = d_output.row(row).data() + direction * hidden_;
      for (std::size_t j = 0; j < hidden_; ++j) d_state[j] += from_above[j];
      const T* before = nullptr;
      if (step > 0) {
        before = memory_.row(row_of(sequences, sequence, step - 1, direction)) + direction * hidden_;
      }
      T* const gates = gates_.row(row) + direction * 4 * hidden_;
      step_backward(hidden_, gates, before, squashed_.row(row) + direction * hidden_, d_state,
                    group.memory.row(index));
      std::copy_n(gates, 4 * hidden_, group.gates.row(index));
    }
    if (step > 0) {
      products.multiply(compute::as_is(group.gates.view().rows_from(0, count)), packed_[direction],
                        group.state.view().rows_from(0, count));
    }
  }
}

template class BiLstm<float>;
template class BiLstm<double>;

}  // namespace markeval::trained
