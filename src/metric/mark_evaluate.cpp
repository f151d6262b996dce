// Mark-Evaluate (Mordido and Meinel 2020, section 3). How well do estimators of wildlife population
// sizes guess the number of rows of both sets together, when being close to a row counts as catching it?
#include "metric/population.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

using geometry::BallCounts;

class MarkEvaluate : public SetMetric {
 public:
  explicit MarkEvaluate(const OptionValues& options) : k_(options.count("k")) {}

  std::optional<geometry::BallRequest> balls() const override { return {{k_, geometry::Ball::closed}}; }

  void score(const SetInputs& inputs, const RunContext& /*context*/, Result& result) const override {
    result.details.emplace_back("reference_rows", inputs.reference_rows);
    result.details.emplace_back("system_rows", inputs.evaluated_rows);
    const BallCounts& of_reference = inputs.counts->reference_balls;
    const BallCounts& of_evaluated = inputs.counts->evaluated_balls;
    score_petersen(inputs, result);
    // Quality: S = R, S' = E. Diversity: S = E, S' = R.
    score_schnabel("schnabel_qual", inputs, of_evaluated, of_reference, result);
    score_schnabel("schnabel_div", inputs, of_reference, of_evaluated, result);
    score_capture(inputs, result);
    add_ball_details(inputs, result);
  }

  Named<std::string> signature(const SetTerms& terms) const override {
    return ball_signature(terms, geometry::Ball::closed);
  }

 private:
  static void score_petersen(const SetInputs& inputs, Result& result) {
    const std::uint64_t evaluated_covered = inputs.counts->reference_balls.total_covered();
    const std::uint64_t reference_covered = inputs.counts->evaluated_balls.total_covered();
    const std::uint64_t marked = inputs.reference_rows + evaluated_covered;
    const std::uint64_t captured = inputs.evaluated_rows + reference_covered;
    const std::uint64_t recaptured = evaluated_covered + reference_covered;
    const double estimate = petersen_estimate(marked, captured, recaptured);
    result.scores.emplace_back("petersen", population_score(estimate, inputs.population()));
    result.details.emplace_back("petersen_estimate", estimate);
    result.details.emplace_back("petersen_marked", marked);
    result.details.emplace_back("petersen_captured", captured);
    result.details.emplace_back("petersen_recaptured", recaptured);
  }

  // balls: of S' against S; marking_balls: of S against S'.
  static void score_schnabel(const std::string& name, const SetInputs& inputs, const BallCounts& balls,
                             const BallCounts& marking_balls, Result& result) {
    const Recaptures visits = schnabel_visits(balls.hits, marking_balls.covered, inputs.counts->request.k);
    const double estimate = schnabel_estimate(visits, inputs.population());
    result.scores.emplace_back(name, population_score(estimate, inputs.population()));
    result.details.emplace_back(name + "_estimate", estimate);
    result.details.emplace_back(name + "_captured", visits.captured);
    result.details.emplace_back(name + "_recaptured", visits.recaptured);
  }

  static void score_capture(const SetInputs& inputs, Result& result) {
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
};

std::unique_ptr<SetMetric> make_mark_evaluate(const OptionValues& options) {
  return std::make_unique<MarkEvaluate>(options);
}

}  // namespace

MetricInfo mark_evaluate_entry() {
  return {.name = "me",
          .summary = "Mark-Evaluate: do the sets mix? quality, diversity",
          .results = {"petersen", "schnabel_qual", "schnabel_div", "capture"},
          .range = "0 to 1",
          .options = set_options({k_option(1)}),
          .paper =
              "Mordido and Meinel 2020, Mark-Evaluate: Assessing Language Generation using Population "
              "Estimation Methods",
          .factory = make_mark_evaluate};
}

}  // namespace markeval::metric
