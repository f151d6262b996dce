// The passes of each architecture from its layers: mix, LSTM, attention or comparison, pooling, dense.
#include "trained/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "base/error.hpp"
#include "base/suggestion.hpp"

namespace markeval::trained {
namespace {

constexpr std::array kArchitectures{Architecture::bilstm, Architecture::bilstm_attention, Architecture::esim};

/// [text; reference] side by side, a row per pair.
template <typename T>
void join_pairs(MatrixView<const T> pooled, MatrixView<T> out) {
  const std::size_t pairs = out.rows(), width = pooled.columns();
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::copy_n(pooled.row(pair).data(), width, out.row(pair).data());
    std::copy_n(pooled.row(pairs + pair).data(), width, out.row(pair).data() + width);
  }
}
template <typename T>
void join_pairs_backward(MatrixView<const T> d_out, MatrixView<T> d_pooled) {
  const std::size_t pairs = d_out.rows(), width = d_pooled.columns();
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    std::copy_n(d_out.row(pair).data(), width, d_pooled.row(pair).data());
    std::copy_n(d_out.row(pair).data() + width, width, d_pooled.row(pairs + pair).data());
  }
}

}  // namespace

std::string_view name(Architecture architecture) {
  switch (architecture) {
    case Architecture::bilstm:
      return "bilstm";
    case Architecture::bilstm_attention:
      return "bilstm-attention";
    case Architecture::esim:
      return "esim";
  }
  return "unknown";
}

Architecture parse_architecture(std::string_view text) {
  std::vector<std::string> names;
  for (const Architecture architecture : kArchitectures) {
    if (name(architecture) == text) return architecture;
    names.emplace_back(name(architecture));
  }
  throw_usage(fmt::format("unknown architecture '{}'{}", text, suggestion(text, names)));
}

template <typename T>
std::size_t Network<T>::features() const {
  // Pooling doubles the two directions; four parts of a comparison, or two texts side by side.
  return 4 * shape_.hidden * (shape_.architecture == Architecture::esim ? 2 : 4);
}

template <typename T>
Network<T>::Network(const NetworkShape& shape)
    : shape_(shape),
      mix_(layout_, "mix", shape.layers, shape.width, shape.standardised),
      encoder_(layout_, "encoder", shape.width, shape.hidden),
      dense_(layout_, "dense", features(), shape.dense),
      output_(layout_, "output", shape.dense, 1) {
  if (shape.architecture == Architecture::esim) {
    projection_.emplace(layout_, "projection", 2 * shape.hidden, shape.dense);
    composition_.emplace(layout_, "composition", shape.dense, shape.hidden);
  }
}

template <typename T>
void Network<T>::start_as_distance(Parameters<T>& parameters, double slope, double offset) const {
  const MatrixView<T> weight = dense_.weight(parameters);
  const std::size_t width = 4 * shape_.hidden;
  for (std::size_t unit = 0; unit + 1 < weight.rows(); unit += 2) {
    const std::span<T> row = weight.row(unit);
    if (shape_.architecture == Architecture::esim) {
      for (std::size_t j = 0; j < width; ++j) row[width + j] = -row[j];
    } else {
      std::fill_n(row.data(), 3 * width, T(0));
    }
    std::transform(row.begin(), row.end(), weight.row(unit + 1).begin(), std::negate<>());
  }
  for (T& factor : output_.weight(parameters).row(0)) factor = static_cast<T>(slope);
  output_.bias(parameters)[0] = static_cast<T>(offset);
}

template <typename T>
void Network<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                         const PairBatch& batch, const DropoutDraw& draw, std::span<T> scores) {
  pack(products, parameters);
  const TextSpans& sequences = batch.sequences;
  input_.resize(sequences.rows(), shape_.width);
  mix_.forward(products.pool(), parameters, batch.words, input_.view());
  drop_input_.draw(draw, 0, draw.shared ? batch.pairs() : sequences.count(), shape_.width);
  drop_input_.apply_to_texts(sequences, input_.view());
  encoded_.resize(sequences.rows(), encoder_.outputs());
  encoder_.forward(products, parameters, sequences, input_.view(), Pass::training, encoded_.view());
  forward_encoded(products, parameters, sequences, encoded_.view(), draw, Pass::training, scores);
}

template <typename T>
void Network<T>::pack(const compute::Products& products, const Parameters<T>& parameters) {
  encoder_.pack(products, parameters);
  if (projection_) projection_->pack(products, parameters);
  if (composition_) composition_->pack(products, parameters);
}

template <typename T>
void Network<T>::encode(const compute::Products& products, const Parameters<T>& parameters,
                        const TextSpans& texts, MatrixView<const T> mixed, MatrixView<T> encoded) {
  encoder_.forward(products, parameters, texts, mixed, Pass::scoring, encoded);
}

template <typename T>
void Network<T>::score(const compute::Products& products, const Parameters<T>& parameters,
                       const TextSpans& sequences, MatrixView<const T> encoded, std::span<T> scores) {
  forward_encoded(products, parameters, sequences, encoded, {}, Pass::scoring, scores);
}

template <typename T>
void Network<T>::forward_encoded(const compute::Products& products, const Parameters<T>& parameters,
                                 const TextSpans& sequences, MatrixView<const T> encoded,
                                 const DropoutDraw& draw, Pass pass, std::span<T> scores) {
  const std::size_t rows = sequences.rows(), pairs = sequences.count() / 2;
  MatrixView<const T> last = encoded;
  if (shape_.architecture != Architecture::bilstm) {
    attended_.resize(rows, encoder_.outputs());
    attention_.forward(products, sequences, encoded, attended_.view());
    last = attended_.view();
  }
  if (shape_.architecture == Architecture::esim) {
    projected_.resize(rows, shape_.dense);
    projection_->forward(products, parameters, encoded, attended_.view(), projected_.view());
    rectify(projected_.view());
    const std::size_t masks = draw.shared ? pairs : sequences.count();
    drop_projected_.draw(draw, 1, masks, shape_.dense);
    drop_projected_.apply_to_texts(sequences, projected_.view());
    composed_.resize(rows, composition_->outputs());
    composition_->forward(products, parameters, sequences, projected_.view(), pass, composed_.view());
    last = composed_.view();
  }
  pooled_.resize(sequences.count(), 4 * shape_.hidden);
  pooling_.forward(products.pool(), sequences, last, pass, pooled_.view());
  features_.resize(pairs, features());
  if (shape_.architecture == Architecture::esim) {
    join_pairs<T>(pooled_.view(), features_.view());
  } else {
    compare_rows<T>(products.pool(), pooled_.view().rows_from(0, pairs),
                    pooled_.view().rows_from(pairs, pairs), features_.view());
  }
  forward_dense(products, parameters, draw, scores);
}

template <typename T>
void Network<T>::forward_dense(const compute::Products& products, const Parameters<T>& parameters,
                               const DropoutDraw& draw, std::span<T> scores) {
  const bool halves = draw.shared && shape_.architecture == Architecture::esim;  // [t; r] lose the same
  drop_features_.draw(draw, 2, features_.rows(), features_.columns() / (halves ? 2 : 1));
  drop_features_.apply(features_.view());
  hidden_.resize(features_.rows(), shape_.dense);
  dense_.forward(products, parameters, features_.view(), hidden_.view());
  rectify(hidden_.view());
  drop_dense_.draw(draw, 3, hidden_.rows(), hidden_.columns());
  drop_dense_.apply(hidden_.view());
  scores_.resize(hidden_.rows(), 1);
  output_.forward(products, parameters, hidden_.view(), scores_.view());
  std::copy_n(scores_.data(), scores.size(), scores.data());
}

template <typename T>
void Network<T>::backward_dense(const compute::Products& products, const Parameters<T>& parameters,
                                std::span<const T> d_scores, Parameters<T>& gradient) {
  d_hidden_.resize(hidden_.rows(), hidden_.columns());
  output_.backward(products, parameters, hidden_.view(),
                   MatrixView<const T>(d_scores.data(), d_scores.size(), 1), d_hidden_.view(), gradient);
  drop_dense_.apply(d_hidden_.view());
  rectify_backward<T>(hidden_.view(), d_hidden_.view());
  d_features_.resize(features_.rows(), features_.columns());
  dense_.backward(products, parameters, features_.view(), d_hidden_.view(), d_features_.view(), gradient);
  drop_features_.apply(d_features_.view());
}

template <typename T>
void Network<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                          const PairBatch& batch, std::span<const T> d_scores, Parameters<T>& gradient) {
  const TextSpans& sequences = batch.sequences;
  const std::size_t rows = sequences.rows(), pairs = batch.pairs();
  backward_dense(products, parameters, d_scores, gradient);
  d_pooled_.resize(sequences.count(), pooled_.columns());
  d_encoded_.resize(rows, encoder_.outputs());
  if (shape_.architecture == Architecture::esim) {
    join_pairs_backward<T>(d_features_.view(), d_pooled_.view());
    d_composed_.resize(rows, composition_->outputs());
    pooling_.backward(products.pool(), sequences, d_pooled_.view(), d_composed_.view());
    d_projected_.resize(rows, shape_.dense);
    composition_->backward(products, parameters, sequences, {projected_.view(), composed_.view()},
                           d_composed_.view(), d_projected_.view(), gradient);
    drop_projected_.apply_to_texts(sequences, d_projected_.view());
    rectify_backward<T>(projected_.view(), d_projected_.view());
    d_attended_.resize(rows, encoder_.outputs());
    projection_->backward(products, parameters, {encoded_.view(), attended_.view()}, d_projected_.view(),
                          {d_encoded_.view(), d_attended_.view()}, gradient);
    attention_.backward(products, sequences, encoded_.view(), d_attended_.view(), d_encoded_.view());
  } else {
    // The features were compared before dropout; what was compared is still in pooled_.
    const MatrixView<T> d_pooled = d_pooled_.view();
    compare_rows_backward<T>(products.pool(), pooled_.view().rows_from(0, pairs),
                             pooled_.view().rows_from(pairs, pairs), d_features_.view(),
                             d_pooled.rows_from(0, pairs), d_pooled.rows_from(pairs, pairs));
    if (shape_.architecture == Architecture::bilstm) {
      pooling_.backward(products.pool(), sequences, d_pooled_.view(), d_encoded_.view());
    } else {
      d_attended_.resize(rows, encoder_.outputs());
      pooling_.backward(products.pool(), sequences, d_pooled_.view(), d_attended_.view());
      d_encoded_.fill(0);
      attention_.backward(products, sequences, encoded_.view(), d_attended_.view(), d_encoded_.view());
    }
  }
  d_input_.resize(rows, shape_.width);
  encoder_.backward(products, parameters, sequences, {input_.view(), encoded_.view()}, d_encoded_.view(),
                    d_input_.view(), gradient);
  drop_input_.apply_to_texts(sequences, d_input_.view());
  mix_.backward(products.pool(), parameters, batch.words, d_input_.view(), gradient);
}

template class Network<float>;
template class Network<double>;

}  // namespace markeval::trained
