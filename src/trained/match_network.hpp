// Learned matching (docs/reference/metrics/trained.md): pairs of texts as frozen token states -> one number
// per pair. For every head:
//   x_t = sum over layers of softmax(mix)[layer] * state[layer][t]; states come normalised: match_texts.hpp
//
//   z_t = P x_t / |P x_t|,   w_t = exp(u . x_t)
//
//   precision = mean over the text's tokens, by w_t, of the best z_t . z'_u with a reference token
//
//   recall = the same from the reference's side
//
// Features: precision and recall of all heads, and the cosine of the pooled texts. The score is linear in
// them, or has one hidden layer of GELU units. It starts near bertscore: P is orthogonal, u is 0, features
// weigh about alike. The hidden units start as ramps that begin at different heights of the features' mean,
// so that the score starts as a rising curve of it. From a random start some seeds learned much worse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/float16.hpp"
#include "compute/products.hpp"
#include "trained/dense.hpp"
#include "trained/dropout.hpp"
#include "trained/sequences.hpp"

namespace markeval::trained {

struct MatchShape {
  std::size_t layers = 0;  ///< the first so many of the encoder, the embedding layer counted
  std::size_t width = 0;   ///< of its states
  std::size_t heads = 4;
  std::size_t head_width = 96;
  std::size_t hidden = 0;  ///< units of the hidden layer; 0: the score is linear

  std::size_t features() const { return 2 * heads + 1; }
  bool operator==(const MatchShape&) const = default;
};

/// Sequence i is the text to score of pair i, sequence count + i its reference.
struct MatchBatch {
  TextSpans sequences;
  std::vector<const Half*> states;  ///< per row: layers x width numbers
  std::vector<double> cosines;      ///< of the pooled texts of a pair

  std::size_t pairs() const { return cosines.size(); }
};

/// Features -> score.
template <typename T>
class MatchOutput {
 public:
  MatchOutput(ParameterLayout& layout, const MatchShape& shape);
  void forward(const compute::Products& products, const Parameters<T>& parameters,
               MatrixView<const T> features, std::span<T> scores);
  /// After forward() of the same features: adds to `gradient`, writes `d_features`.
  void backward(const compute::Products& products, const Parameters<T>& parameters,
                MatrixView<const T> features, std::span<const T> d_scores, MatrixView<T> d_features,
                Parameters<T>& gradient);
  /// Score of one pair; any thread may call it.
  double score(const Parameters<T>& parameters, std::span<const double> features) const;

 private:
  std::optional<Linear<T>> hidden_;
  Linear<T> output_;
  Matrix<T> sums_, activated_, scores_, d_activated_;
};

template <typename T>
class MatchNetwork {
 public:
  explicit MatchNetwork(const MatchShape& shape);
  MatchNetwork(const MatchNetwork&) = delete;
  MatchNetwork& operator=(const MatchNetwork&) = delete;

  const MatchShape& shape() const { return shape_; }
  const ParameterLayout& layout() const { return layout_; }

  /// One number per pair. A pair's number depends on that pair alone (where nothing is dropped).
  void forward(const compute::Products& products, const Parameters<T>& parameters, const MatchBatch& batch,
               const DropoutDraw& draw, std::span<T> scores);
  /// After forward() of the same batch: adds to `gradient`.
  void backward(const compute::Products& products, const Parameters<T>& parameters, const MatchBatch& batch,
                std::span<const T> d_scores, Parameters<T>& gradient);

  // Views of the parameters, for scoring (match_metric.hpp).
  MatrixView<const T> mix(const Parameters<T>& parameters) const { return parameters[mix_]; }
  /// Projection of one head: head_width x width.
  MatrixView<const T> projection(const Parameters<T>& parameters, std::size_t head) const {
    return parameters[projection_].rows_from(head * shape_.head_width, shape_.head_width);
  }
  std::span<const T> token_weight(const Parameters<T>& parameters, std::size_t head) const {
    return parameters[token_weight_].row(head);
  }
  const MatchOutput<T>& output() const { return output_; }

 private:
  MatrixView<T> mixed(Matrix<T>& all, std::size_t head) const;  ///< the columns of a head
  MatrixView<T> projected(Matrix<T>& all, std::size_t head) const;
  void mix_layers(ThreadPool& pool, const Parameters<T>& parameters, const MatchBatch& batch,
                  const DropoutDraw& draw);
  void match(const compute::Products& products, const MatchBatch& batch, std::size_t pair, std::size_t head);
  void match_backward(const MatchBatch& batch, std::size_t pair, std::size_t head);
  void mix_backward(ThreadPool& pool, const Parameters<T>& parameters, const MatchBatch& batch,
                    Parameters<T>& gradient);

  MatchShape shape_;
  ParameterLayout layout_;
  std::size_t mix_, projection_, token_weight_;
  MatchOutput<T> output_;

  // Values of the current batch: a row per token, the heads side by side.
  Matrix<T> mixed_, dropped_;      ///< x, and x as dropout left it
  Matrix<std::uint8_t> kept_;      ///< by dropout
  Matrix<T> unit_, length_;        ///< z, |P x|
  Matrix<T> share_, best_;         ///< w / sum of w over the text; best similarity
  Matrix<std::uint32_t> partner_;  ///< row of the other text that has it
  Matrix<T> features_, d_features_, d_unit_, d_logit_, d_mixed_;
  double dropout_ = 0;
};

/// 1 - Pearson correlation of scores and gold; writes its gradient. Where either is constant: 1, and no
/// gradient.
template <typename T>
double pearson_loss(std::span<const T> scores, std::span<const double> gold, std::span<T> d_scores);

extern template class MatchOutput<float>;
extern template class MatchOutput<double>;
extern template class MatchNetwork<float>;
extern template class MatchNetwork<double>;

}  // namespace markeval::trained
