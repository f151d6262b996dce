// Preparation of a text, the match of two, the mean over heads, and links for --explain.
#include "trained/match_metric.hpp"

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/per_thread.hpp"
#include "metric/match_links.hpp"
#include "trained/functions.hpp"
#include "trained/match_texts.hpp"

namespace markeval::trained {
namespace {

using metric::Match;
using metric::PairLink;
using metric::PreparedText;
using metric::SeveralReferences;
using metric::TokenRows;

/// The largest cosine of every row and of every column.
struct BestPartners {
  std::vector<float> of_rows, of_columns;

  void find(MatrixView<const float> cosines) {
    of_rows.clear();
    of_columns.assign(cosines.columns(), -2.0f);
    for (std::size_t row = 0; row < cosines.rows(); ++row) {
      const float* const values = cosines.row(row).data();
      float best = -2;
      for (std::size_t column = 0; column < cosines.columns(); ++column) {
        best = std::max(best, values[column]);
        of_columns[column] = std::max(of_columns[column], values[column]);
      }
      of_rows.push_back(best);
    }
  }
};

class MatchMetric final : public metric::PairMetric {
 public:
  MatchMetric(MatchHead head, SeveralReferences several, const compute::Products& products)
      : head_(std::move(head)), several_(several), products_(products), projections_(head_.shape.heads) {
    for (std::size_t h = 0; h < head_.shape.heads; ++h) {
      shares_.push_back(layer_shares<float>(head_.network->mix(*head_.values).row(h)));
      products.pack(compute::transposed(head_.network->projection(*head_.values, h)), projections_[h]);
    }
  }

  metric::IdfUse idf() const override { return metric::IdfUse::none; }
  SeveralReferences several() const override { return several_; }
  compute::RowRelation relation() const override { return compute::RowRelation::cosine; }
  std::size_t parts() const override { return head_.shape.heads; }
  std::vector<std::size_t> layers(const embed::VectorSource&) const override {
    std::vector<std::size_t> all(head_.shape.layers);
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }

  PreparedText prepare(const embed::EncodedText& text, std::span<const std::size_t> layers,
                       const metric::IdfTable*) const override {
    PreparedText prepared;
    const std::vector<embed::TokenFact>& facts = text.tokens.facts;
    if (std::ranges::all_of(facts, &embed::TokenFact::special)) return prepared;
    const std::size_t tokens = text.tokens.size(), width = head_.shape.width, heads = head_.shape.heads;
    thread_local PerThread<Matrix<float>> kept;
    Matrix<float>& mixed = *kept;  // a head's rows below those of the one before
    mixed.resize(heads * tokens, width);
    mixed.fill(0);
    std::vector<float> state(width);
    for (std::size_t token = 0; token < tokens; ++token) {
      for (std::size_t layer = 0; layer < layers.size(); ++layer) {
        normalize_layer(text.layer(layers[layer]).row(token), state);
        for (std::size_t h = 0; h < heads; ++h) {
          const float share = shares_[h][layer];
          float* const out = mixed.row(h * tokens + token).data();
          for (std::size_t j = 0; j < width; ++j) out[j] += share * state[j];
        }
      }
    }
    TokenRows& rows = prepared.rows;
    rows.columns = heads * head_.shape.head_width;
    rows.values.resize(tokens * rows.columns);
    rows.weights.assign(tokens, 0);
    rows.part_weights.resize(heads * tokens);
    rows.first.resize(tokens);
    std::iota(rows.first.begin(), rows.first.end(), 0u);
    rows.last = rows.first;
    for (std::size_t h = 0; h < heads; ++h) {
      project(mixed.view().rows_from(h * tokens, tokens), h, rows);
      weigh(mixed.view().rows_from(h * tokens, tokens), h, rows);
    }
    rows.pooled = pooled_direction(text.layer(layers.back()));
    return prepared;
  }

  void score(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> cosines,
             metric::PairScratch&, std::span<double> out) const override {
    thread_local PerThread<BestPartners> kept;
    BestPartners& best = *kept;
    std::vector<double> features;
    for (std::size_t h = 0; h < head_.shape.heads; ++h) {
      const MatrixView<const float> part = cosines.rows_from(h * candidate.rows(), candidate.rows());
      best.find(part);
      features.push_back(mean_of_best(candidate, h, best.of_rows));
      features.push_back(mean_of_best(reference, h, best.of_columns));
    }
    features.push_back(pooled_cosine(candidate.pooled, reference.pooled));
    const double score = head_.network->output().score(*head_.values, features);
    out[0] = (score - head_.scale.offset) * head_.scale.factor;
  }

  /// Who met whom by the mean cosine of all heads, with the mean weight of a token.
  void align(const TokenRows& candidate, const TokenRows& reference, MatrixView<const float> cosines,
             metric::PairScratch& scratch) const override {
    Matrix<float> mean(candidate.rows(), reference.rows());
    mean.fill(0);
    for (std::size_t row = 0; row < cosines.rows(); ++row) {
      float* const to = mean.row(row % candidate.rows()).data();
      for (std::size_t column = 0; column < reference.rows(); ++column)
        to[column] += cosines(row, column) / static_cast<float>(head_.shape.heads);
    }
    scratch.matcher.match(candidate, reference, mean.view());
  }
  std::vector<PairLink> links(const TokenRows& candidate, const TokenRows& reference,
                              const metric::PairScratch& scratch) const override {
    std::vector<PairLink> links;
    metric::add_links(links, scratch.matcher.candidate_matches(), candidate.weights, false);
    metric::add_links(links, scratch.matcher.reference_matches(), reference.weights, true);
    return links;
  }
  Named<std::string> signature(const embed::VectorSource&) const override {
    return {{"head", head_.hash.substr(0, 8)},
            {"multi", several_ == SeveralReferences::max ? "max" : "mean"}};
  }

 private:
  void project(MatrixView<const float> mixed, std::size_t h, TokenRows& rows) const {
    const std::size_t width = head_.shape.head_width;
    const MatrixView<float> out(rows.values.data() + h * width, mixed.rows(), width, rows.columns);
    products_.multiply(compute::as_is(mixed), projections_[h], out);
    for (std::size_t token = 0; token < mixed.rows(); ++token) embed::to_unit_length(out.row(token));
  }

  /// Weights of the tokens of a text by one head sum to 1. What is shown is their mean over the heads.
  void weigh(MatrixView<const float> mixed, std::size_t h, TokenRows& rows) const {
    const std::size_t tokens = mixed.rows();
    const std::span<const float> direction = head_.network->token_weight(*head_.values, h);
    const std::span<double> weights = std::span(rows.part_weights).subspan(h * tokens, tokens);
    for (std::size_t token = 0; token < tokens; ++token) {
      double logit = 0;
      for (std::size_t j = 0; j < direction.size(); ++j)
        logit += static_cast<double>(direction[j]) * static_cast<double>(mixed(token, j));
      weights[token] = logit;
    }
    const double largest = *std::ranges::max_element(weights);
    double sum = 0;
    for (double& weight : weights) sum += weight = exponential(static_cast<float>(weight - largest));
    for (std::size_t token = 0; token < tokens; ++token) {
      weights[token] /= sum;
      rows.weights[token] += weights[token] / static_cast<double>(head_.shape.heads);
    }
  }

  static double mean_of_best(const TokenRows& rows, std::size_t h, std::span<const float> best) {
    double sum = 0;
    for (std::size_t row = 0; row < best.size(); ++row)
      sum += rows.part_weights[h * best.size() + row] * static_cast<double>(best[row]);
    return sum;
  }

  MatchHead head_;
  SeveralReferences several_;
  const compute::Products& products_;
  std::vector<std::vector<float>> shares_;                  ///< of the layers, by head
  std::vector<compute::PackedOperand<float>> projections_;  ///< by head
};

}  // namespace

std::unique_ptr<metric::PairMetric> make_match(const metric::OptionValues& options,
                                               const embed::VectorSource& source,
                                               const EncoderIdentity& identity,
                                               const compute::Products& products) {
  const std::string& folder = options.text("weights");
  MatchHead head = folder.empty() ? shipped_head(identity) : read_head(folder);
  if (!folder.empty()) check_same_vectors(folder, head.encoder, identity);
  if (head.shape.layers > source.last_layer() + 1 || head.shape.width != source.width())
    refuse_shape(folder, head.shape.layers, head.shape.width, source, identity);
  const auto several = options.text("multi") == "max" ? SeveralReferences::max : SeveralReferences::mean;
  return std::make_unique<MatchMetric>(std::move(head), several, products);
}

}  // namespace markeval::trained
