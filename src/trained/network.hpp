// The three models of Mathur et al. 2019: pairs of texts as frozen word vectors -> one number per pair.
//   bilstm            pool(BiLSTM)  ->  [t; r; t * r; t - r]  ->  dense
//   bilstm-attention  pool(attention both ways over the BiLSTM)  ->  the same
//   esim              [h; h~; h * h~; h - h~]  ->  ReLU projection  ->  second BiLSTM  ->  [pool t; pool r]
//   -> dense
// All start with a learned mix of the encoder's layers and end with dense = w ReLU(W m + b) + b'.
// Dropout: whole columns of a pair's texts before each LSTM, single values before and inside the dense part.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compute/products.hpp"
#include "trained/dense.hpp"
#include "trained/dropout.hpp"
#include "trained/lstm.hpp"
#include "trained/scalar_mix.hpp"
#include "trained/text_layers.hpp"

namespace markeval::trained {

enum class Architecture { bilstm, bilstm_attention, esim };

/// "bilstm", "bilstm-attention", "esim".
std::string_view name(Architecture architecture);
/// Throws Error(usage) naming the closest right word.
Architecture parse_architecture(std::string_view name);

struct NetworkShape {
  Architecture architecture = Architecture::esim;
  std::size_t layers = 0;     ///< of the encoder, the embedding layer counted
  std::size_t width = 0;      ///< of its vectors
  std::size_t hidden = 300;   ///< of an LSTM, per direction
  std::size_t dense = 300;    ///< of the dense part and of ESIM's projection
  bool standardised = false;  ///< each number of the vectors, layer by layer, before they are mixed

  bool operator==(const NetworkShape&) const = default;
};

/// Sequence i is the text to score of pair i, sequence count + i its reference.
struct PairBatch {
  TextSpans sequences;
  std::vector<const Half*> words;  ///< per row: layers x width numbers

  std::size_t pairs() const { return sequences.count() / 2; }
};

template <typename T>
class Network {
 public:
  explicit Network(const NetworkShape& shape);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const NetworkShape& shape() const { return shape_; }
  const ParameterLayout& layout() const { return layout_; }

  /// Means and deviations of the words, layers x width numbers each; only where the shape is standardised.
  void standardise(Parameters<T>& parameters, std::span<const double> means,
                   std::span<const double> deviations) const {
    mix_.standardise(parameters, means, deviations);
  }

  /// Starts the dense part, as drawn, as a distance of the pooled states: units in pairs of opposite sign see
  /// t - r alone, and the result is `offset` + `slope` * sum over units. ReLU(x) + ReLU(-x) = |x|.
  void start_as_distance(Parameters<T>& parameters, double slope, double offset) const;

  /// One number per pair. A pair's number depends on that pair alone (where nothing is dropped).
  void forward(const compute::Products& products, const Parameters<T>& parameters, const PairBatch& batch,
               const DropoutDraw& draw, std::span<T> scores);
  /// The same in two steps, which need no dropout and keep nothing for backward(): encode() what depends on
  /// one text alone, each text once, and score() pairs of what it gave. Both need pack() first, again
  /// whenever the parameters have changed.
  void pack(const compute::Products& products, const Parameters<T>& parameters);
  /// mixed: a row per word, all layers mixed by mix(). encoded: likewise, encoded_width() numbers.
  void encode(const compute::Products& products, const Parameters<T>& parameters, const TextSpans& texts,
              MatrixView<const T> mixed, MatrixView<T> encoded);
  const ScalarMix<T>& mix() const { return mix_; }
  std::size_t encoded_width() const { return encoder_.outputs(); }
  /// sequences: as in PairBatch.
  void score(const compute::Products& products, const Parameters<T>& parameters, const TextSpans& sequences,
             MatrixView<const T> encoded, std::span<T> scores);

  /// After forward() of the same batch: adds to `gradient`.
  void backward(const compute::Products& products, const Parameters<T>& parameters, const PairBatch& batch,
                std::span<const T> d_scores, Parameters<T>& gradient);

 private:
  std::size_t features() const;  ///< columns that go into the dense part
  void forward_encoded(const compute::Products& products, const Parameters<T>& parameters,
                       const TextSpans& sequences, MatrixView<const T> encoded, const DropoutDraw& draw,
                       Pass pass, std::span<T> scores);
  void forward_dense(const compute::Products& products, const Parameters<T>& parameters,
                     const DropoutDraw& draw, std::span<T> scores);
  void backward_dense(const compute::Products& products, const Parameters<T>& parameters,
                      std::span<const T> d_scores, Parameters<T>& gradient);

  NetworkShape shape_;
  ParameterLayout layout_;
  ScalarMix<T> mix_;
  BiLstm<T> encoder_;
  PairAttention<T> attention_;
  std::optional<Comparison<T>> projection_;  ///< ESIM
  std::optional<BiLstm<T>> composition_;
  MaxMeanPooling<T> pooling_;
  Linear<T> dense_, output_;
  Dropout<T> drop_input_, drop_projected_, drop_features_, drop_dense_;

  // Values of the current batch; a row per word, per text or per pair.
  Matrix<T> input_, encoded_, attended_, projected_, composed_, pooled_, features_, hidden_;
  Matrix<T> scores_, d_input_, d_encoded_, d_attended_, d_projected_, d_composed_, d_pooled_, d_features_,
      d_hidden_;
};

extern template class Network<float>;
extern template class Network<double>;

}  // namespace markeval::trained
