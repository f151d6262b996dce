// Frechet distance of the Gaussians fitted to both sets (Heusel et al. 2017). Lower is better.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "geometry/gaussian.hpp"
#include "metric/set_metric.hpp"

namespace markeval::metric {
namespace {

class Fid : public SetMetric {
 public:
  void score(const SetInputs& inputs, const RunContext& context, Result& result) const override {
    const auto check = [&](const geometry::Points& points, std::string_view name) {
      if (points.rows() < 2) throw_invalid(fmt::format("fid: {} has 1 row, expected at least 2", name));
      if (points.rows() < points.columns()) {
        context.warn(
            fmt::format("fid: {} has {} rows of {} columns; with fewer rows than columns the covariance is "
                        "singular and the distance unreliable",
                        name, points.rows(), points.columns()));
      }
    };
    if (!inputs.segment) {
      check(inputs.reference, inputs.reference_name);
      check(inputs.evaluated, inputs.evaluated_name);
    }
    context.report_progress("covariances", 0, 3);
    const std::size_t columns = inputs.reference.columns();
    result.details.emplace_back("reference_rows", inputs.reference.rows());
    result.details.emplace_back("system_rows", inputs.evaluated.rows());
    result.details.emplace_back("columns", columns);
    const std::size_t fewest = std::min(inputs.reference.rows(), inputs.evaluated.rows());
    const std::size_t most = std::max(inputs.reference.rows(), inputs.evaluated.rows());
    if (most < columns || fewest < 2) {
      score_few_rows(inputs, result);
    } else {
      score_many_rows(inputs, context, result);
    }
    context.report_progress("covariances", 3, 3);
  }

  Named<std::string> signature(const SetTerms& terms) const override {
    Named<std::string> signature;
    add_terms(terms, signature);
    return signature;
  }

  bool takes_one_row() const override { return true; }

 private:
  static void score_few_rows(const SetInputs& inputs, Result& result) {
    const geometry::FrechetDistance distance =
        geometry::squared_frechet_distance(inputs.reference, inputs.evaluated, inputs.products);
    result.scores.emplace_back("fid", distance.total);
    result.details.emplace_back("squared_distance_of_means", distance.between_means);
  }

  static void score_many_rows(const SetInputs& inputs, const RunContext& context, Result& result) {
    const geometry::Gaussian reference = geometry::fit_gaussian(inputs.reference, inputs.products, context);
    context.report_progress("covariances", 1, 3);
    const geometry::Gaussian evaluated = geometry::fit_gaussian(inputs.evaluated, inputs.products, context);
    context.report_progress("covariances", 2, 3);
    result.scores.emplace_back(
        "fid", geometry::squared_frechet_distance(reference, evaluated, inputs.products, context));
    double between_means = 0;
    for (std::size_t i = 0; i < reference.mean.size(); ++i) {
      const double difference = reference.mean[i] - evaluated.mean[i];
      between_means += difference * difference;
    }
    result.details.emplace_back("squared_distance_of_means", between_means);
  }
};

}  // namespace

std::unique_ptr<SetMetric> make_fid(const OptionValues&) {
  return std::make_unique<Fid>();
}

}  // namespace markeval::metric
