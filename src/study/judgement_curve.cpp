// For growing numbers of judgements, 200 draws each: the interval of every metric's agreement, and how often
// the best metric stays the best.
#include "study/judgement_curve.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "meta/quantile.hpp"
#include "study/agreement.hpp"

namespace markeval::study {
namespace {

constexpr std::size_t kDraws = 200;
constexpr std::size_t kLeastOfGroup = 5;  // rows drawn from a group
constexpr std::size_t kFirst = 25;        // judgements; doubled until half of all

/// The mean over groups of the agreement of each metric, on the rows drawn.
std::vector<double> agreements_of(const meta::ScoreTable& table, meta::Coefficient coefficient,
                                  const std::vector<std::vector<std::uint32_t>>& rows) {
  std::vector<double> found;
  for (const meta::PredictedColumn& column : table.predicted)
    found.push_back(agreement_on(table, column, rows, coefficient).value_or(0));
  return found;
}

std::size_t best_of(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
}

}  // namespace

std::optional<report::Table> judgement_curve(const meta::ScoreTable& table, meta::Coefficient coefficient,
                                             std::uint64_t seed) {
  const meta::RowGroups groups = meta::rows_by_group(table);
  const std::size_t best = best_of(agreements_of(table, coefficient, groups.rows));
  report::Table curve =
      report::study_table("judgements",
                          "How many judgements it takes: half the 95 % interval of each metric's agreement, "
                          "and how often the best "
                          "metric is found",
                          {"judgements"}, 3, report::Drawing::curve);
  for (const meta::PredictedColumn& column : table.predicted) curve.columns.emplace_back(column.name);
  curve.apart = "best found";
  curve.columns.emplace_back(curve.apart);
  for (std::size_t wanted = kFirst; wanted <= table.rows() / 2; wanted *= 2) {
    std::vector<std::size_t> sizes;
    std::size_t drawn = 0;
    for (const auto& rows : groups.rows) {
      sizes.push_back(wanted * rows.size() / table.rows());
      drawn += sizes.back();
    }
    if (*std::ranges::min_element(sizes) < kLeastOfGroup) continue;
    std::vector<std::vector<double>> by_metric(table.predicted.size());
    std::size_t found = 0;
    for (std::size_t draw = 0; draw < kDraws; ++draw) {
      RandomStream random(seed, draw);
      std::vector<std::vector<std::uint32_t>> rows;
      for (std::size_t g = 0; g < sizes.size(); ++g) {
        const auto order = random.permutation(static_cast<std::uint32_t>(groups.rows[g].size()));
        auto& chosen = rows.emplace_back();
        for (std::size_t i = 0; i < sizes[g]; ++i) chosen.push_back(groups.rows[g][order[i]]);
      }
      const std::vector<double> values = agreements_of(table, coefficient, rows);
      for (std::size_t m = 0; m < values.size(); ++m) by_metric[m].push_back(values[m]);
      if (best_of(values) == best) ++found;
    }
    auto& row = curve.rows.emplace_back(std::vector<report::Cell>{std::uint64_t{drawn}});
    for (auto& values : by_metric) {
      const Interval middle = meta::middle_of(std::move(values));
      row.emplace_back((middle.high - middle.low) / 2);
    }
    row.emplace_back(static_cast<double>(found) / static_cast<double>(kDraws));
  }
  if (curve.rows.size() < 2) return std::nullopt;
  return curve;
}

}  // namespace markeval::study
