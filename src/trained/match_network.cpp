// Forward and backward passes, parallel over pairs and heads, and the Pearson loss with its gradient.
#include "trained/match_network.hpp"

#include <algorithm>
#include <cmath>

#include "base/per_thread.hpp"
#include "base/random.hpp"
#include "trained/functions.hpp"

namespace markeval::trained {
namespace {

constexpr std::size_t kBlock = 16;  // rows of one task, of one stream of dropout and of one partial sum

std::size_t blocks_of(std::size_t rows) {
  return (rows + kBlock - 1) / kBlock;
}

template <typename T>
T dot(const T* a, const T* b, std::size_t size) {
  constexpr std::size_t kLanes = 16;
  T lanes[kLanes] = {};
  std::size_t j = 0;
  for (; j + kLanes <= size; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[j + lane] * b[j + lane];
  }
  for (; j < size; ++j) lanes[0] += a[j] * b[j];
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

template <typename T>
void add_scaled(T factor, const T* from, std::size_t size, T* to) {
  for (std::size_t j = 0; j < size; ++j) to[j] += factor * from[j];
}

template <typename T>
void widen(const Half* from, std::size_t size, T* to) {
  for (std::size_t j = 0; j < size; ++j) to[j] = static_cast<T>(from_half(from[j]));
}

}  // namespace

template <typename T>
MatchNetwork<T>::MatchNetwork(const MatchShape& shape)
    : shape_(shape),
      mix_(layout_.add("mix", shape.heads, shape.layers, Start::small_normal)),
      projection_(layout_.add("projection", shape.heads * shape.head_width, shape.width, Start::orthogonal,
                              shape.heads)),
      token_weight_(layout_.add("token_weight", shape.heads, shape.width, Start::zero)),
      output_(layout_, shape) {}

template <typename T>
MatrixView<T> MatchNetwork<T>::mixed(Matrix<T>& all, std::size_t head) const {
  return {all.data() + head * shape_.width, all.rows(), shape_.width, all.columns()};
}
template <typename T>
MatrixView<T> MatchNetwork<T>::projected(Matrix<T>& all, std::size_t head) const {
  return {all.data() + head * shape_.head_width, all.rows(), shape_.head_width, all.columns()};
}

/// x of every head, and x with a share of its numbers dropped.
template <typename T>
void MatchNetwork<T>::mix_layers(ThreadPool& pool, const Parameters<T>& parameters, const MatchBatch& batch,
                                 const DropoutDraw& draw) {
  const std::size_t rows = batch.states.size(), width = shape_.width, columns = shape_.heads * width;
  std::vector<std::vector<T>> shares;
  for (std::size_t head = 0; head < shape_.heads; ++head)
    shares.push_back(layer_shares<T>(parameters[mix_].row(head)));
  dropout_ = draw.rate;
  mixed_.resize(rows, columns);
  if (dropout_ > 0) {
    dropped_.resize(rows, columns);
    kept_.resize(rows, columns);
  }
  const auto threshold = static_cast<std::uint64_t>(draw.rate * 65536.0);
  const T scale = static_cast<T>(65536.0 / (65536.0 - static_cast<double>(threshold)));
  pool.for_each(blocks_of(rows), [&](std::size_t block, std::size_t) {
    std::vector<T> state(width);
    RandomStream random(draw.seed, (std::uint64_t{3} << 56) + (draw.step << 20) + block);
    for (std::size_t row = block * kBlock; row < std::min((block + 1) * kBlock, rows); ++row) {
      T* const out = mixed_.row(row).data();
      std::fill_n(out, columns, T(0));
      for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
        widen(batch.states[row] + layer * width, width, state.data());
        for (std::size_t head = 0; head < shape_.heads; ++head)
          add_scaled(shares[head][layer], state.data(), width, out + head * width);
      }
      if (dropout_ == 0) continue;
      std::uint64_t bits = 0;
      for (std::size_t j = 0; j < columns; ++j, bits >>= 16) {
        if (j % 4 == 0) bits = random.next();
        const bool keep = (bits & 0xffff) >= threshold;
        kept_.row(row)[j] = keep ? 1 : 0;
        dropped_.row(row)[j] = keep ? out[j] * scale : T(0);
      }
    }
  });
}

/// One pair by one head: weights of the tokens, best partners, precision and recall.
template <typename T>
void MatchNetwork<T>::match(const compute::Products& products, const MatchBatch& batch, std::size_t pair,
                            std::size_t head) {
  thread_local PerThread<Matrix<T>> kept;
  Matrix<T>& similarity = *kept;
  const TextSpans& texts = batch.sequences;
  const std::size_t other = batch.pairs() + pair;
  const std::size_t n = texts.length(pair), m = texts.length(other);
  const std::size_t first = texts.begin(pair), second = texts.begin(other);
  similarity.resize(n, m);
  products.multiply(compute::as_is(projected(unit_, head).rows_from(first, n)),
                    compute::transposed(projected(unit_, head).rows_from(second, m)), similarity.view());
  for (std::size_t j = 0; j < m; ++j) {
    best_.row(second + j)[head] = similarity.row(0)[j];
    partner_.row(second + j)[head] = static_cast<std::uint32_t>(first);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const T* const row = similarity.row(i).data();
    std::size_t best = 0;
    for (std::size_t j = 0; j < m; ++j) {
      if (row[j] > row[best]) best = j;
      if (row[j] > best_.row(second + j)[head]) {
        best_.row(second + j)[head] = row[j];
        partner_.row(second + j)[head] = static_cast<std::uint32_t>(first + i);
      }
    }
    best_.row(first + i)[head] = row[best];
    partner_.row(first + i)[head] = static_cast<std::uint32_t>(second + best);
  }
  // The largest logit of a text is taken off: it falls out of the mean, and exp cannot overflow.
  const auto weighted_mean = [&](std::size_t begin, std::size_t count) {
    T largest = share_.row(begin)[head];
    for (std::size_t row = begin; row < begin + count; ++row)
      largest = std::max(largest, share_.row(row)[head]);
    T sum = 0, mean = 0;
    for (std::size_t row = begin; row < begin + count; ++row) {
      T& share = share_.row(row)[head];
      share = exponential(share - largest);
      sum += share;
    }
    for (std::size_t row = begin; row < begin + count; ++row) {
      T& share = share_.row(row)[head];
      share /= sum;
      mean += share * best_.row(row)[head];
    }
    return mean;
  };
  features_.row(pair)[2 * head] = weighted_mean(first, n);
  features_.row(pair)[2 * head + 1] = weighted_mean(second, m);
}

template <typename T>
void MatchNetwork<T>::forward(const compute::Products& products, const Parameters<T>& parameters,
                              const MatchBatch& batch, const DropoutDraw& draw, std::span<T> scores) {
  const std::size_t rows = batch.states.size(), heads = shape_.heads, width = shape_.head_width;
  ThreadPool& pool = products.pool();
  mix_layers(pool, parameters, batch, draw);
  unit_.resize(rows, heads * width);
  share_.resize(rows, heads);
  for (std::size_t head = 0; head < heads; ++head) {
    products.multiply(compute::as_is(mixed(dropout_ > 0 ? dropped_ : mixed_, head)),
                      compute::transposed(projection(parameters, head)), projected(unit_, head));
  }
  length_.resize(rows, heads);
  pool.for_each(blocks_of(rows), [&](std::size_t block, std::size_t) {
    for (std::size_t row = block * kBlock; row < std::min((block + 1) * kBlock, rows); ++row) {
      for (std::size_t head = 0; head < heads; ++head) {
        T* const z = unit_.row(row).data() + head * width;
        const T length = std::max(std::sqrt(dot(z, z, width)), T(1e-12));
        length_.row(row)[head] = length;
        for (std::size_t j = 0; j < width; ++j) z[j] /= length;
        share_.row(row)[head] = dot<T>(mixed_.row(row).data() + head * shape_.width,
                                       token_weight(parameters, head).data(), shape_.width);
      }
    }
  });
  best_.resize(rows, heads);
  partner_.resize(rows, heads);
  features_.resize(batch.pairs(), shape_.features());
  pool.for_each(batch.pairs() * heads,
                [&](std::size_t task, std::size_t) { match(products, batch, task / heads, task % heads); });
  for (std::size_t pair = 0; pair < batch.pairs(); ++pair)
    features_.row(pair)[2 * heads] = static_cast<T>(batch.cosines[pair]);
  output_.forward(products, parameters, features_.view(), scores);
}

/// Gradients of z and of the logits of both texts of a pair. A text belongs to one pair, so tasks do not
/// meet.
template <typename T>
void MatchNetwork<T>::match_backward(const MatchBatch& batch, std::size_t pair, std::size_t head) {
  const TextSpans& texts = batch.sequences;
  const std::size_t width = shape_.head_width, column = head * width;
  for (const std::size_t text : {pair, batch.pairs() + pair}) {
    for (std::size_t row = texts.begin(text); row < texts.begin(text) + texts.length(text); ++row)
      std::fill_n(d_unit_.row(row).data() + column, width, T(0));
  }
  for (const bool is_reference : {false, true}) {
    const std::size_t text = is_reference ? batch.pairs() + pair : pair;
    const std::size_t feature = 2 * head + (is_reference ? 1 : 0);
    const T mean = features_.row(pair)[feature], d_mean = d_features_.row(pair)[feature];
    for (std::size_t row = texts.begin(text); row < texts.begin(text) + texts.length(text); ++row) {
      const T share = share_.row(row)[head];
      const std::size_t partner = partner_.row(row)[head];
      d_logit_.row(row)[head] = d_mean * share * (best_.row(row)[head] - mean);
      add_scaled(d_mean * share, unit_.row(partner).data() + column, width, d_unit_.row(row).data() + column);
      add_scaled(d_mean * share, unit_.row(row).data() + column, width, d_unit_.row(partner).data() + column);
    }
  }
  for (const std::size_t text : {pair, batch.pairs() + pair}) {  // through the division by the length
    for (std::size_t row = texts.begin(text); row < texts.begin(text) + texts.length(text); ++row) {
      const T* const z = unit_.row(row).data() + column;
      T* const d = d_unit_.row(row).data() + column;
      const T along = dot(d, z, width), length = length_.row(row)[head];
      for (std::size_t j = 0; j < width; ++j) d[j] = (d[j] - along * z[j]) / length;
    }
  }
}

/// From the gradient of x to that of the mixes: sums by block, so that the order of adding is fixed.
template <typename T>
void MatchNetwork<T>::mix_backward(ThreadPool& pool, const Parameters<T>& parameters, const MatchBatch& batch,
                                   Parameters<T>& gradient) {
  const std::size_t rows = batch.states.size(), width = shape_.width, heads = shape_.heads;
  const std::size_t sums = heads * shape_.layers;
  const T scale = static_cast<T>(65536.0 / (65536.0 - std::floor(dropout_ * 65536.0)));
  std::vector<double> partial(blocks_of(rows) * sums, 0.0);
  pool.for_each(blocks_of(rows), [&](std::size_t block, std::size_t) {
    std::vector<T> state(width);
    for (std::size_t row = block * kBlock; row < std::min((block + 1) * kBlock, rows); ++row) {
      T* const d = d_mixed_.row(row).data();
      for (std::size_t j = 0; dropout_ > 0 && j < d_mixed_.columns(); ++j)
        d[j] = kept_.row(row)[j] != 0 ? d[j] * scale : T(0);
      for (std::size_t head = 0; head < heads; ++head) {
        add_scaled<T>(d_logit_.row(row)[head], token_weight(parameters, head).data(), width,
                      d + head * width);
      }
      for (std::size_t layer = 0; layer < shape_.layers; ++layer) {
        widen(batch.states[row] + layer * width, width, state.data());
        for (std::size_t head = 0; head < heads; ++head) {
          partial[block * sums + head * shape_.layers + layer] +=
              static_cast<double>(dot<T>(d + head * width, state.data(), width));
        }
      }
    }
  });
  std::vector<double> dots(sums, 0.0);
  for (std::size_t i = 0; i < partial.size(); ++i) dots[i % sums] += partial[i];
  for (std::size_t head = 0; head < heads; ++head) {
    const std::vector<T> share = layer_shares<T>(parameters[mix_].row(head));
    const double* const of_head = dots.data() + head * shape_.layers;
    double mean = 0;
    for (std::size_t layer = 0; layer < shape_.layers; ++layer)
      mean += static_cast<double>(share[layer]) * of_head[layer];
    for (std::size_t layer = 0; layer < shape_.layers; ++layer)
      gradient[mix_](head, layer) +=
          static_cast<T>(static_cast<double>(share[layer]) * (of_head[layer] - mean));
  }
}

template <typename T>
void MatchNetwork<T>::backward(const compute::Products& products, const Parameters<T>& parameters,
                               const MatchBatch& batch, std::span<const T> d_scores,
                               Parameters<T>& gradient) {
  const std::size_t rows = batch.states.size(), heads = shape_.heads;
  d_features_.resize(batch.pairs(), shape_.features());
  output_.backward(products, parameters, features_.view(), d_scores, d_features_.view(), gradient);
  d_unit_.resize(rows, heads * shape_.head_width);
  d_logit_.resize(rows, heads);
  d_mixed_.resize(rows, heads * shape_.width);
  products.pool().for_each(batch.pairs() * heads, [&](std::size_t task, std::size_t) {
    match_backward(batch, task / heads, task % heads);
  });
  for (std::size_t head = 0; head < heads; ++head) {
    const MatrixView<T> d = projected(d_unit_, head);
    const MatrixView<T> d_projection =
        gradient[projection_].rows_from(head * shape_.head_width, shape_.head_width);
    products.multiply(compute::transposed(d), compute::as_is(mixed(dropout_ > 0 ? dropped_ : mixed_, head)),
                      d_projection, true);
    products.multiply(compute::as_is(d), compute::as_is(projection(parameters, head)), mixed(d_mixed_, head));
    const MatrixView<T> d_logit(d_logit_.data() + head, rows, 1, heads);
    products.multiply(compute::transposed(d_logit), compute::as_is(mixed(mixed_, head)),
                      gradient[token_weight_].rows_from(head, 1), true);
  }
  mix_backward(products.pool(), parameters, batch, gradient);
}

template <typename T>
double pearson_loss(std::span<const T> scores, std::span<const double> gold, std::span<T> d_scores) {
  const std::size_t count = scores.size();
  double mean_s = 0, mean_g = 0, ss = 0, gg = 0, sg = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mean_s += static_cast<double>(scores[i]) / static_cast<double>(count);
    mean_g += gold[i] / static_cast<double>(count);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(scores[i]) - mean_s, g = gold[i] - mean_g;
    ss += s * s;
    gg += g * g;
    sg += s * g;
  }
  std::ranges::fill(d_scores, T(0));
  if (!(ss > 0) || !(gg > 0)) return 1;
  const double both = std::sqrt(ss * gg), pearson = sg / both;
  for (std::size_t i = 0; i < count; ++i) {
    const double s = static_cast<double>(scores[i]) - mean_s, g = gold[i] - mean_g;
    d_scores[i] = static_cast<T>(pearson * s / ss - g / both);
  }
  return 1 - pearson;
}

template double pearson_loss<float>(std::span<const float>, std::span<const double>, std::span<float>);
template double pearson_loss<double>(std::span<const double>, std::span<const double>, std::span<double>);
template class MatchNetwork<float>;
template class MatchNetwork<double>;

}  // namespace markeval::trained
