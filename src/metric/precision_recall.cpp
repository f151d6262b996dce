// Improved precision and recall (Kynkaanniemi et al. 2019), and density and coverage (Naeem et al. 2020).
#include <algorithm>

#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

double share(std::uint64_t part, std::size_t whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

class PrecisionRecallMetric : public SetMetric {
 public:
  PrecisionRecallMetric(const OptionValues& options, bool with_density)
      : request_{options.count("k"),
                 options.text("ball") == "open" ? geometry::Ball::open : geometry::Ball::closed},
        with_density_(with_density) {}

  std::optional<geometry::BallRequest> balls() const override { return request_; }

  void score(const SetInputs& inputs, const RunContext&, Result& result) const override {
    const geometry::BallCounts& of_reference = inputs.counts->reference_balls;
    const geometry::BallCounts& of_evaluated = inputs.counts->evaluated_balls;
    const std::uint64_t evaluated_covered = of_reference.total_covered();
    const std::uint64_t reference_covered = of_evaluated.total_covered();
    result.scores.emplace_back("precision", share(evaluated_covered, inputs.evaluated_rows));
    result.scores.emplace_back("recall", share(reference_covered, inputs.reference_rows));
    result.details.emplace_back("reference_rows", inputs.reference_rows);
    result.details.emplace_back("system_rows", inputs.evaluated_rows);
    result.details.emplace_back("system_covered", evaluated_covered);
    result.details.emplace_back("reference_covered", reference_covered);
    if (with_density_) {
      const std::uint64_t hits = of_reference.total_hits();
      const auto filled = static_cast<std::uint64_t>(
          std::ranges::count_if(of_reference.hits, [](std::uint32_t count) { return count > 0; }));
      result.scores.emplace_back("density", share(hits, inputs.counts->request.k * inputs.evaluated_rows));
      result.scores.emplace_back("coverage", share(filled, inputs.reference_rows));
      result.details.emplace_back("reference_ball_hits", hits);
      result.details.emplace_back("reference_balls_filled", filled);
    }
    add_ball_details(inputs, result);
  }

  Named<std::string> signature(const SetTerms& terms) const override {
    return ball_signature(terms, request_.ball);
  }

 private:
  geometry::BallRequest request_;
  bool with_density_;
};

std::unique_ptr<SetMetric> make_impar(const OptionValues& options) {
  return std::make_unique<PrecisionRecallMetric>(options, false);
}
std::unique_ptr<SetMetric> make_prdc(const OptionValues& options) {
  return std::make_unique<PrecisionRecallMetric>(options, true);
}

}  // namespace

MetricInfo impar_entry() {
  return {
      .name = "impar",
      .summary = "improved precision and recall",
      .results = {"precision", "recall"},
      .range = "0 to 1",
      .options = set_options({k_option(3), ball_option()}),
      .paper =
          "Kynkaanniemi et al. 2019, Improved Precision and Recall Metric for Assessing Generative Models",
      .factory = make_impar};
}

MetricInfo prdc_entry() {
  return {.name = "prdc",
          .summary = "precision, recall, density and coverage",
          .results = {"precision", "recall", "density", "coverage"},
          .main = "coverage",
          .range = "0 to 1",
          .options = set_options({k_option(5), ball_option()}),
          .paper = "Naeem et al. 2020, Reliable Fidelity and Diversity Metrics for Generative Models",
          .factory = make_prdc,
          .amounts = {"density"},
          .compats = {{"prdc", "ball", "open"}}};
}

}  // namespace markeval::metric
