// Texts go in groups, longest first, one time step after the other; the backward pass goes the other way.
#include "trained/lstm.hpp"

#include <algorithm>

#include "trained/dense.hpp"
#include "trained/functions.hpp"

namespace markeval::trained {
namespace {

// Texts that walk in step: the more, the more often a weight is used once it is in the cache. But every
// thread should have a group.
constexpr std::size_t kLargeGroup = 32, kSmallGroup = 16;

std::size_t group_size(const TextSpans& sequences, std::size_t threads) {
  return sequences.count() >= kLargeGroup * threads ? kLargeGroup : kSmallGroup;
}

/// How many texts of the group are longer than `step`: a prefix, since the longest come first.
std::size_t active(const TextSpans& sequences, std::size_t first, std::size_t size, std::size_t step) {
  const auto order = sequences.by_length();
  std::size_t count = 0;
  while (count < size && first + count < order.size() && sequences.length(order[first + count]) > step)
    ++count;
  return count;
}

std::size_t row_of(const TextSpans& sequences, std::size_t sequence, std::size_t step,
                   std::size_t direction) {
  const std::size_t word = direction == 0 ? step : sequences.length(sequence) - 1 - step;
  return sequences.begin(sequence) + word;
}

void take_step(const compute::Products& products, const compute::LstmStep<float>& step) {
  products.lstm_step(step);
}
/// The plain version, for the tests of gradients.
void take_step(const compute::Products&, const compute::LstmStep<double>& step) {
  for (std::size_t j = 0; j < step.hidden; ++j) {
    double gates[4];
    for (std::size_t gate = 0; gate < 4; ++gate) {
      const std::size_t at = gate * step.hidden + j;
      const double sum =
          step.gates[at] + ((step.recurrent == nullptr ? 0.0 : step.recurrent[at]) + step.bias[at]);
      gates[gate] = gate == 2 ? hyperbolic_tangent(sum) : sigmoid(sum);
    }
    const double kept = step.memory_before == nullptr ? 0.0 : gates[1] * step.memory_before[j];
    step.memory[j] = gates[0] * gates[2] + kept;
    const double squashed = hyperbolic_tangent(step.memory[j]);
    step.state[j] = gates[3] * squashed;
    if (step.squashed == nullptr) continue;
    step.squashed[j] = squashed;
    for (std::size_t gate = 0; gate < 4; ++gate) step.gates[gate * step.hidden + j] = gates[gate];
  }
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
template <typename Run>
void BiLstm<T>::for_groups(const TextSpans& sequences, ThreadPool& pool, const Run& run) {
  const std::size_t size = group_size(sequences, pool.size());
  const std::size_t tasks = 2 * ((sequences.count() + size - 1) / size);
  if (groups_.size() < tasks) groups_.resize(tasks);
  pool.for_each(tasks, [&](std::size_t task, std::size_t) {
    SequenceGroup& group = groups_[task];
    group.direction = task % 2;
    group.first = task / 2 * size;
    group.size = size;
    group.state.resize(size, hidden_);
    group.memory.resize(size, hidden_);
    group.gates.resize(size, 4 * hidden_);
    run(group);
  });
}

template <typename T>
void BiLstm<T>::pack(const compute::Products& products, const Parameters<T>& parameters) {
  products.pack(compute::transposed(parameters[weight_input_]), packed_input_);
  for (std::size_t direction = 0; direction < 2; ++direction) {
    const auto weights = parameters[weight_hidden_].rows_from(direction * 4 * hidden_, 4 * hidden_);
    products.pack(compute::transposed(weights), packed_[direction]);
  }
}

template <typename T>
void BiLstm<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                        const TextSpans& sequences, MatrixView<const T> input, Pass pass,
                        MatrixView<T> output) {
  gates_.resize(sequences.rows(), 8 * hidden_);
  if (pass == Pass::training) {
    memory_.resize(sequences.rows(), 2 * hidden_);
    squashed_.resize(sequences.rows(), 2 * hidden_);
  }
  products.multiply(compute::as_is(input), packed_input_, gates_.view());
  for_groups(sequences, products.pool(), [&](SequenceGroup& group) {
    run_forward(products, parameters, sequences, pass, group, output);
  });
}

template <typename T>
void BiLstm<T>::run_forward(const compute::Products& products, const Parameters<T>& parameters,
                            const TextSpans& sequences, Pass pass, SequenceGroup& group,
                            MatrixView<T> output) {
  const std::size_t direction = group.direction, first = group.first;
  const auto order = sequences.by_length();
  const T* const bias = parameters[bias_].row(direction).data();
  const auto remembered = [&](Matrix<T>& matrix, std::size_t row) {
    return matrix.row(row).data() + direction * hidden_;
  };
  for (std::size_t step = 0; step < sequences.length(order[first]); ++step) {
    const std::size_t count = active(sequences, first, group.size, step);
    if (step > 0) {
      products.multiply(compute::as_is(group.state.view().rows_from(0, count)), packed_[direction],
                        group.gates.view().rows_from(0, count));
    }
    for (std::size_t index = 0; index < count; ++index) {
      const std::size_t sequence = order[first + index];
      const std::size_t row = row_of(sequences, sequence, step, direction);
      compute::LstmStep<T> word{.hidden = hidden_,
                                .gates = gates_.row(row).data() + direction * 4 * hidden_,
                                .recurrent = nullptr,
                                .bias = bias,
                                .memory_before = nullptr,
                                .memory = group.memory.row(index).data(),
                                .squashed = nullptr,
                                .state = output.row(row).data() + direction * hidden_,
                                .ahead = nullptr};
      // The next text of the group or, after the last, the next word of the first.
      const bool is_last = index + 1 == count;
      const std::size_t next = order[is_last ? first : first + index + 1], next_step = step + is_last;
      word.ahead = word.gates;
      if (next_step < sequences.length(next))
        word.ahead =
            gates_.row(row_of(sequences, next, next_step, direction)).data() + direction * 4 * hidden_;
      if (pass == Pass::training) {
        word.memory = remembered(memory_, row);
        word.squashed = remembered(squashed_, row);
      }
      if (step > 0) {
        word.recurrent = group.gates.row(index).data();
        word.memory_before = pass == Pass::training
                                 ? remembered(memory_, row_of(sequences, sequence, step - 1, direction))
                                 : word.memory;
      }
      take_step(products, word);
      std::copy_n(word.state, hidden_, group.state.row(index).data());
    }
  }
}

template <typename T>
void BiLstm<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                         const TextSpans& sequences, const Passed& passed, MatrixView<const T> d_output,
                         MatrixView<T> d_input, Parameters<T>& gradient) {
  for (std::size_t direction = 0; direction < 2; ++direction) {
    const auto weights = parameters[weight_hidden_].rows_from(direction * 4 * hidden_, 4 * hidden_);
    products.pack(compute::as_is(weights), packed_back_[direction]);
  }
  for_groups(sequences, products.pool(),
             [&](SequenceGroup& group) { run_backward(products, sequences, group, d_output); });
  // From here on the gates are gradients.
  products.multiply(compute::transposed(gates_.view()), compute::as_is(passed.input), gradient[weight_input_],
                    true);
  for (std::size_t direction = 0; direction < 2; ++direction) {
    before_.resize(sequences.rows(), hidden_);
    products.pool().for_each(sequences.count(), [&](std::size_t sequence, std::size_t) {
      for (std::size_t step = 0; step < sequences.length(sequence); ++step) {
        T* const to = before_.row(row_of(sequences, sequence, step, direction)).data();
        if (step == 0) {
          std::fill_n(to, hidden_, T(0));
        } else {
          const std::size_t row = row_of(sequences, sequence, step - 1, direction);
          std::copy_n(passed.output.row(row).data() + direction * hidden_, hidden_, to);
        }
      }
    });
    const MatrixView<T> mine(gates_.data() + direction * 4 * hidden_, sequences.rows(), 4 * hidden_,
                             8 * hidden_);
    products.multiply(compute::transposed(mine), compute::as_is(before_.view()),
                      gradient[weight_hidden_].rows_from(direction * 4 * hidden_, 4 * hidden_), true);
  }
  add_column_sums<T>(products.pool(), gates_.view(), {gradient[bias_].data(), 8 * hidden_});
  if (!d_input.empty())
    products.multiply(compute::as_is(gates_.view()), compute::as_is(parameters[weight_input_]), d_input);
}

template <typename T>
void BiLstm<T>::run_backward(const compute::Products& products, const TextSpans& sequences,
                             SequenceGroup& group, MatrixView<const T> d_output) {
  const std::size_t direction = group.direction, first = group.first;
  const auto order = sequences.by_length();
  group.state.fill(0);
  group.memory.fill(0);
  for (std::size_t step = sequences.length(order[first]); step-- > 0;) {
    const std::size_t count = active(sequences, first, group.size, step);
    for (std::size_t index = 0; index < count; ++index) {
      const std::size_t sequence = order[first + index];
      const std::size_t row = row_of(sequences, sequence, step, direction);
      T* const d_state = group.state.row(index).data();
      const T* const from_above = d_output.row(row).data() + direction * hidden_;
      for (std::size_t j = 0; j < hidden_; ++j) d_state[j] += from_above[j];
      const T* before = nullptr;
      if (step > 0) {
        before = memory_.row(row_of(sequences, sequence, step - 1, direction)).data() + direction * hidden_;
      }
      T* const gates = gates_.row(row).data() + direction * 4 * hidden_;
      step_backward(hidden_, gates, before, squashed_.row(row).data() + direction * hidden_, d_state,
                    group.memory.row(index).data());
      std::copy_n(gates, 4 * hidden_, group.gates.row(index).data());
    }
    if (step > 0) {
      products.multiply(compute::as_is(group.gates.view().rows_from(0, count)), packed_back_[direction],
                        group.state.view().rows_from(0, count));
    }
  }
}

template class BiLstm<float>;
template class BiLstm<double>;

}  // namespace markeval::trained
