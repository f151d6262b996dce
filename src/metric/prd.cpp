// Precision and recall of distributions (Sajjadi et al. 2018): both sets as histograms over clusters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "metric/prd_curve.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

constexpr std::size_t kAngles = 1001;

class Prd : public SetMetric {
 public:
  explicit Prd(const OptionValues& options)
      : clusters_(options.count("clusters")), runs_(options.count("runs")) {}

  void score(const SetInputs& inputs, const RunContext& context, Result& result) const override {
    const std::array sets{inputs.reference, inputs.evaluated};
    const std::uint64_t clusters = inputs.segment ? std::min(clusters_, inputs.population()) : clusters_;
    if (inputs.population() < clusters) {
      throw_invalid(
          fmt::format("prd: {} has {} rows and {} has {}, too few for {} clusters; take fewer with "
                      "prd:clusters=N",
                      inputs.reference_name, inputs.reference_rows, inputs.evaluated_name,
                      inputs.evaluated_rows, clusters));
    }
    PrdCurve mean;
    std::vector<double> f8, f1_8;
    for (const geometry::Clustering& clustering :
         inputs.engine->cluster(sets, {clusters, inputs.seed, runs_}, context)) {
      const PrdCurve curve = curve_of(clustering, clusters, inputs.reference_rows);
      f8.push_back(best_f_beta(curve, 8));
      f1_8.push_back(best_f_beta(curve, 1.0 / 8));
      mean.precision.resize(curve.precision.size());
      mean.recall.resize(curve.recall.size());
      for (std::size_t i = 0; i < curve.precision.size(); ++i) {
        mean.precision[i] += curve.precision[i] / static_cast<double>(runs_);
        mean.recall[i] += curve.recall[i] / static_cast<double>(runs_);
      }
    }
    // Averaging may carry a sum of shares a rounding above 1.
    result.scores.emplace_back("f8", std::min(best_f_beta(mean, 8), 1.0));
    result.scores.emplace_back("f1_8", std::min(best_f_beta(mean, 1.0 / 8), 1.0));
    result.details.emplace_back("reference_rows", inputs.reference_rows);
    result.details.emplace_back("system_rows", inputs.evaluated_rows);
    result.details.emplace_back("f8_runs", f8);
    result.details.emplace_back("f1_8_runs", f1_8);
  }

  Named<std::string> signature(const SetTerms& terms) const override {
    Named<std::string> signature{{"clusters", std::to_string(clusters_)},
                                 {"runs", std::to_string(runs_)},
                                 {"angles", std::to_string(kAngles)}};
    add_terms(terms, signature);
    signature.emplace_back("seed", std::to_string(terms.seed));
    return signature;
  }

 private:
  PrdCurve curve_of(const geometry::Clustering& clustering, std::size_t clusters,
                    std::size_t reference_rows) const {
    std::vector<double> reference(clusters, 0), evaluated(clusters, 0);
    for (std::size_t row = 0; row < clustering.cluster.size(); ++row) {
      (row < reference_rows ? reference : evaluated)[clustering.cluster[row]] += 1;
    }
    const double evaluated_rows = static_cast<double>(clustering.cluster.size() - reference_rows);
    for (double& count : reference) count /= static_cast<double>(reference_rows);
    for (double& count : evaluated) count /= evaluated_rows;
    return prd_curve(reference, evaluated, slopes_);
  }

  std::uint64_t clusters_;
  std::uint64_t runs_;
  std::vector<double> slopes_ = prd_slopes(kAngles);
};

std::unique_ptr<SetMetric> make_prd(const OptionValues& options) {
  return std::make_unique<Prd>(options);
}

}  // namespace

MetricInfo prd_entry() {
  return {.name = "prd",
          .summary = "precision and recall over clusters",
          .results = {"f8", "f1_8"},
          .range = "0 to 1",
          .options = set_options({count_option("clusters", 20, 1, "of k-means on both sets together", 10'000),
                                  count_option("runs", 10, 1, "clusterings to average over", 10'000)}),
          .paper = "Sajjadi et al. 2018, Assessing Generative Models via Precision and Recall",
          .factory = make_prd};
}

}  // namespace markeval::metric
