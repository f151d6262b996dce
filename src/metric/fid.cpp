// Frechet distance of the Gaussians fitted to both sets (Heusel et al. 2017). Lower is better.
#include <fmt/format.h>

#include "base/error.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

class Fid : public SetMetric {
 public:
  void score(const SetInputs& inputs, const RunContext& context, Result& result) const override {
    const auto check = [&](std::size_t rows, std::string_view name) {
      if (rows < 2) throw_invalid(fmt::format("fid: {} has 1 row, expected at least 2", name));
      if (rows < inputs.columns) {
        context.warn(  // without the name: one line for all sets of this size
            fmt::format("fid: {} rows of {} columns; with fewer rows than columns the covariance is singular "
                        "and the distance unreliable",
                        rows, inputs.columns));
      }
    };
    if (!inputs.segment) {
      check(inputs.reference_rows, inputs.reference_name);
      check(inputs.evaluated_rows, inputs.evaluated_name);
    }
    result.details.emplace_back("reference_rows", inputs.reference_rows);
    result.details.emplace_back("system_rows", inputs.evaluated_rows);
    result.details.emplace_back("columns", inputs.columns);
    const geometry::FrechetDistance distance =
        inputs.engine->frechet(inputs.reference, inputs.evaluated, context);
    result.scores.emplace_back("fid", distance.total);
    result.details.emplace_back("squared_distance_of_means", distance.between_means);
  }

  Named<std::string> signature(const SetTerms& terms) const override {
    Named<std::string> signature;
    add_terms(terms, signature);
    return signature;
  }

  bool takes_one_row() const override { return true; }
};

std::unique_ptr<SetMetric> make_fid(const OptionValues&) {
  return std::make_unique<Fid>();
}

}  // namespace

MetricInfo fid_entry() {
  return {.name = "fid",
          .better = Better::lower,
          .summary = "Frechet distance of the Gaussians fitted to both sets",
          .results = {"fid"},
          .range = "0 or more",
          .options = set_options({}),
          .paper =
              "Heusel et al. 2017, GANs Trained by a Two Time-Scale Update Rule Converge to a Local Nash "
              "Equilibrium",
          .factory = make_fid,
          .amounts = {"fid"}};
}

}  // namespace markeval::metric
