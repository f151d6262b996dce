// Largest value and mean per column, the four-part comparison of rows, and the gradients of both.
#include "trained/pooling.hpp"

#include <algorithm>

namespace markeval::trained {

template <typename T>
void MaxMeanPooling<T>::forward(ThreadPool& pool, const TextSpans& sequences, MatrixView<const T> input,
                                Pass pass, MatrixView<T> pooled) {
  const std::size_t width = input.columns();
  const bool keeps_words = pass == Pass::training;
  if (keeps_words) largest_.resize(sequences.count(), width);
  pool.for_each(sequences.count(), [&](std::size_t sequence, std::size_t) {
    T* const __restrict largest = pooled.row(sequence).data();
    T* const __restrict mean = largest + width;
    std::copy_n(input.row(sequences.begin(sequence)).data(), width, largest);
    std::copy_n(largest, width, mean);
    std::uint32_t* const word_of = keeps_words ? largest_.row(sequence).data() : nullptr;
    if (keeps_words) std::fill_n(word_of, width, 0u);
    for (std::size_t word = 1; word < sequences.length(sequence); ++word) {
      const T* const values = input.row(sequences.begin(sequence) + word).data();
      for (std::size_t j = 0; j < width; ++j) mean[j] += values[j];
      for (std::size_t j = 0; keeps_words && j < width; ++j) {
        if (values[j] > largest[j]) word_of[j] = static_cast<std::uint32_t>(word);
      }
      for (std::size_t j = 0; j < width; ++j) largest[j] = values[j] > largest[j] ? values[j] : largest[j];
    }
    for (std::size_t j = 0; j < width; ++j) mean[j] /= static_cast<T>(sequences.length(sequence));
  });
}

template <typename T>
void MaxMeanPooling<T>::backward(ThreadPool& pool, const TextSpans& sequences, MatrixView<const T> d_pooled,
                                 MatrixView<T> d_input) const {
  const std::size_t width = d_input.columns();
  pool.for_each(sequences.count(), [&](std::size_t sequence, std::size_t) {
    const std::uint32_t* const word_of = largest_.row(sequence).data();
    const T* const d_largest = d_pooled.row(sequence).data();
    const T* const d_mean = d_largest + width;
    const T share = T(1) / static_cast<T>(sequences.length(sequence));
    for (std::size_t word = 0; word < sequences.length(sequence); ++word) {
      T* const out = d_input.row(sequences.begin(sequence) + word).data();
      for (std::size_t j = 0; j < width; ++j)
        out[j] = d_mean[j] * share + (word_of[j] == word ? d_largest[j] : T(0));
    }
  });
}

template <typename T>
void compare_rows(ThreadPool& pool, MatrixView<const T> u, MatrixView<const T> v, MatrixView<T> out) {
  const std::size_t width = u.columns();
  pool.for_each(u.rows(), [&](std::size_t row, std::size_t) {
    const T* const a = u.row(row).data();
    const T* const b = v.row(row).data();
    T* const to = out.row(row).data();
    std::copy_n(a, width, to);
    std::copy_n(b, width, to + width);
    for (std::size_t j = 0; j < width; ++j) to[2 * width + j] = a[j] * b[j];
    for (std::size_t j = 0; j < width; ++j) to[3 * width + j] = a[j] - b[j];
  });
}

template <typename T>
void compare_rows_backward(ThreadPool& pool, MatrixView<const T> u, MatrixView<const T> v,
                           MatrixView<const T> d_out, MatrixView<T> d_u, MatrixView<T> d_v) {
  const std::size_t width = u.columns();
  pool.for_each(u.rows(), [&](std::size_t row, std::size_t) {
    const T* const a = u.row(row).data();
    const T* const b = v.row(row).data();
    const T* const from = d_out.row(row).data();
    T* const to_a = d_u.row(row).data();
    T* const to_b = d_v.row(row).data();
    for (std::size_t j = 0; j < width; ++j) {
      const T product = from[2 * width + j], difference = from[3 * width + j];
      to_a[j] = from[j] + product * b[j] + difference;
      to_b[j] = from[width + j] + product * a[j] - difference;
    }
  });
}

template class MaxMeanPooling<float>;
template class MaxMeanPooling<double>;
template void compare_rows<float>(ThreadPool&, MatrixView<const float>, MatrixView<const float>,
                                  MatrixView<float>);
template void compare_rows<double>(ThreadPool&, MatrixView<const double>, MatrixView<const double>,
                                   MatrixView<double>);
template void compare_rows_backward<float>(ThreadPool&, MatrixView<const float>, MatrixView<const float>,
                                           MatrixView<const float>, MatrixView<float>, MatrixView<float>);
template void compare_rows_backward<double>(ThreadPool&, MatrixView<const double>, MatrixView<const double>,
                                            MatrixView<const double>, MatrixView<double>, MatrixView<double>);

}  // namespace markeval::trained
