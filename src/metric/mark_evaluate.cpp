// Mark-Evaluate (Mordido and Meinel 2020, section 3). How well do estimators of wildlife population
// sizes guess the number of rows of both sets together, when being close to a row counts as catching it?
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "metric/population.hpp"
#include "metric/set_metric.hpp"

namespace markeval::metric {
namespace {

using geometry::BallCounts;
using geometry::NeighbourLists;

class MarkEvaluate : public SetMetric {
 public:
  explicit MarkEvaluate(const OptionValues& options)
      : k_(options.number("k")),
        shuffle_(options.text("order") == "shuffle"),
        shuffles_(options.number("shuffles")) {}

  std::optional<geometry::BallRequest> balls() const override { return {{k_, geometry::Ball::closed}}; }

  void score(const SetInputs& inputs, const RunContext& context, MetricResult& result) const override {
    result.details.emplace_back("reference_rows", inputs.reference.rows());
    result.details.emplace_back("system_rows", inputs.evaluated.rows());
    const BallCounts& of_reference = inputs.counts->reference_balls;
    const BallCounts& of_evaluated = inputs.counts->evaluated_balls;
    score_petersen(inputs, result);
    // Quality: S = R, S' = E. Diversity: S = E, S' = R.
    score_schnabel("schnabel_qual", inputs, of_evaluated, of_reference, inputs.comparison->evaluated, context,
                   result);
    score_schnabel("schnabel_div", inputs, of_reference, of_evaluated, inputs.comparison->reference, context,
                   result);
    score_capture(inputs, result);
    add_ball_details(inputs, result);
  }

  Named<std::string> signature(const SetTerms& terms) const override {
    Named<std::string> signature = ball_signature(terms, geometry::Ball::closed);
    signature.emplace_back("order", shuffle_ ? "shuffle" : "file");
    if (shuffle_) {
      signature.emplace_back("shuffles", std::to_string(shuffles_));
      signature.emplace_back("seed", std::to_string(terms.seed));
    }
    return signature;
  }

 private:
  static void score_petersen(const SetInputs& inputs, MetricResult& result) {
    const std::uint64_t evaluated_covered = inputs.counts->reference_balls.total_covered();
    const std::uint64_t reference_covered = inputs.counts->evaluated_balls.total_covered();
    const std::uint64_t marked = inputs.reference.rows() + evaluated_covered;
    const std::uint64_t captured = inputs.evaluated.rows() + reference_covered;
    const std::uint64_t recaptured = evaluated_covered + reference_covered;
    const double estimate = petersen_estimate(marked, captured, recaptured);
    result.scores.emplace_back("petersen", population_score(estimate, inputs.population()));
    result.details.emplace_back("petersen_estimate", estimate);
    result.details.emplace_back("petersen_marked", marked);
    result.details.emplace_back("petersen_captured", captured);
    result.details.emplace_back("petersen_recaptured", recaptured);
  }

  // balls: of S' against S; marking_balls: of S against S'; neighbours: inside S'.
  void score_schnabel(const std::string& name, const SetInputs& inputs, const BallCounts& balls,
                      const BallCounts& marking_balls, const NeighbourLists& neighbours,
                      const RunContext& context, MetricResult& result) const {
    const std::uint64_t population = inputs.population();
    const auto visit = [&](std::span<const std::uint32_t> order) {
      return schnabel_visits(order, balls.hits, marking_balls.covered, neighbours, inputs.counts->request.k);
    };
    std::vector<std::uint32_t> order(balls.hits.size());
    std::iota(order.begin(), order.end(), 0u);
    if (!shuffle_) {
      const Recaptures visits = visit(order);
      const double estimate = schnabel_estimate(visits, population);
      result.scores.emplace_back(name, population_score(estimate, population));
      result.details.emplace_back(name + "_estimate", estimate);
      result.details.emplace_back(name + "_captured", visits.captured);
      result.details.emplace_back(name + "_recaptured", visits.recaptured);
      return;
    }
    std::vector<double> scores(shuffles_), estimates(shuffles_);
    context.pool.for_each(shuffles_, [&](std::size_t shuffle, std::size_t) {
      context.check_cancelled();
      RandomStream random(inputs.seed, shuffle);
      const Recaptures visits = visit(random.permutation(static_cast<std::uint32_t>(order.size())));
      estimates[shuffle] = schnabel_estimate(visits, population);
      scores[shuffle] = population_score(estimates[shuffle], population);
    });
    // Means as the first value and what the others differ by: equal values have exactly that mean and no
    // spread.
    const double count = static_cast<double>(shuffles_);
    double mean = 0, squares = 0;
    for (const double score : scores) mean += (score - scores[0]) / count;
    mean += scores[0];
    for (const double score : scores) squares += (score - mean) * (score - mean);
    result.scores.emplace_back(name, mean);
    result.details.emplace_back(name + "_estimate", estimates[0]);  // of the first shuffle
    result.details.emplace_back(name + "_spread", shuffles_ > 1 ? std::sqrt(squares / (count - 1)) : 0.0);
    result.details.emplace_back(name + "_lowest", *std::min_element(scores.begin(), scores.end()));
    result.details.emplace_back(name + "_highest", *std::max_element(scores.begin(), scores.end()));
  }

  static void score_capture(const SetInputs& inputs, MetricResult& result) {
    const std::uint64_t population = inputs.population();
    const CaptureCounts counts{.occasions = population,
                               .marked = population,  // each row captures itself
                               .captured = (inputs.counts->request.k + 1) * population +
                                           inputs.counts->reference_balls.total_hits() +
                                           inputs.counts->evaluated_balls.total_hits()};
    const double estimate = capture_estimate(counts);
    result.scores.emplace_back("capture", population_score(estimate, population));
    result.details.emplace_back("capture_estimate",
                                static_cast<std::uint64_t>(estimate));  // finite, as C > M
    result.details.emplace_back("capture_marked", counts.marked);
    result.details.emplace_back("capture_captured", counts.captured);
    result.details.emplace_back("capture_recaptured", counts.captured - counts.marked);
  }

  std::uint64_t k_;
  bool shuffle_;
  std::uint64_t shuffles_;
};

}  // namespace

std::unique_ptr<SetMetric> make_mark_evaluate(const OptionValues& options) {
  return std::make_unique<MarkEvaluate>(options);
}

}  // namespace markeval::metric
