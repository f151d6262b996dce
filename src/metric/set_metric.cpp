// The parts of signature and details that metrics based on balls have in common.
#include "metric/set_metric.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace markeval::metric {
namespace {

// Smallest, lower quartile, median, upper quartile, largest.
std::vector<double> radius_quantiles(const geometry::NeighbourLists& neighbours, std::size_t k) {
  std::vector<double> radii(neighbours.rows());
  for (std::size_t row = 0; row < radii.size(); ++row)
    radii[row] = std::sqrt(neighbours.squared_radius(row, k));
  std::ranges::sort(radii);
  std::vector<double> quantiles;
  for (std::size_t quarter = 0; quarter <= 4; ++quarter)
    quantiles.push_back(radii[(radii.size() - 1) * quarter / 4]);
  return quantiles;
}

// Rows that have an identical other row in their set.
std::uint64_t duplicates(const geometry::NeighbourLists& neighbours) {
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < neighbours.rows(); ++row)
    count += neighbours.squared_radius(row, 1) == 0 ? 1 : 0;
  return count;
}

}  // namespace

void add_terms(const SetTerms& terms, Named<std::string>& signature) {
  signature.emplace_back("samples", terms.samples);
  signature.emplace_back("scope", terms.scope);
  if (!terms.multi.empty()) signature.emplace_back("multi", terms.multi);
}

Named<std::string> ball_signature(const SetTerms& terms, geometry::Ball ball) {
  Named<std::string> signature{{"k", std::to_string(terms.k)}};
  if (terms.requested_k != terms.k) signature.emplace_back("k_asked", std::to_string(terms.requested_k));
  add_terms(terms, signature);
  signature.emplace_back("ball", ball == geometry::Ball::closed ? "closed" : "open");
  return signature;
}

void add_ball_details(const SetInputs& inputs, Result& result) {
  const geometry::SetComparison& comparison = *inputs.comparison;
  const std::size_t k = inputs.counts->request.k;
  result.details.emplace_back("reference_radius_quantiles", radius_quantiles(comparison.reference, k));
  result.details.emplace_back("system_radius_quantiles", radius_quantiles(comparison.evaluated, k));
  result.details.emplace_back("reference_duplicates", duplicates(comparison.reference));
  result.details.emplace_back("system_duplicates", duplicates(comparison.evaluated));
  result.details.emplace_back("pairs", comparison.statistics.pairs);
  result.details.emplace_back("pairs_refined", comparison.statistics.pairs_refined);
  result.details.emplace_back("filter", comparison.statistics.method);
}

OptionSpec ball_option() {
  return choice_option("ball", {"closed", "open"}, "a ball includes its surface (<=) or not (<)");
}

OptionSpec k_option(std::uint64_t default_value) {
  return count_option("k", default_value, 1, "the ball of a row reaches to its k-th nearest neighbour",
                      10'000);
}

std::vector<OptionSpec> set_options(std::vector<OptionSpec> own) {
  for (OptionSpec& option : std::vector{
           choice_option("samples", {"sentence", "word"}, "what a row stands for when texts are given"),
           choice_option("scope", {"corpus", "segment"}, "all rows at once, or the rows of each segment"),
           text_option(
               "layers", "auto",
               "last, 4, -2, last5, 2-6 or 1+3+6 of texts: auto is last of sentences, last5 of words"),
           choice_option("unit", {"no", "yes"}, "rows of texts as the model gives them, or of length 1"),
           choice_option("multi", {"mean", "max", "union"},
                         "several references of a segment: the mean, the best, or their rows together"),
           count_option("n", 0, 0,
                        "so many texts of each set, drawn 10 times, and the mean; 0: all texts, once")})
    own.push_back(std::move(option));
  return own;
}

}  // namespace markeval::metric
