// Groups are counted by cause; what no cause explains is told metric by metric.
#include "score/undefined_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "report/cells.hpp"
#include "report/correlation_verdict.hpp"

namespace markeval::score {
namespace {

/// In how many groups a column of scores has no value, and why.
struct Undefined {
  std::size_t people = 0;          ///< one human score only
  std::size_t metric = 0;          ///< else one score of the metric only
  std::size_t equal_scores = 0;    ///< one score of the metric only, whatever people say
  std::vector<std::size_t> lacks;  ///< by coefficient: groups without a value
  std::string name{};

  bool any() const {
    return std::ranges::any_of(lacks, [](std::size_t count) { return count > 0; });
  }
};

template <typename Values>
bool all_equal(const Values& values) {
  return std::ranges::all_of(values, [&](const auto& value) { return value == values.front(); });
}

/// Coefficients of pairs have a value where a metric's scores are all equal: ties.
bool is_of_pairs(std::string_view coefficient) {
  return coefficient == "kendall-like" || coefficient.ends_with("accuracy");
}

std::size_t equal_groups(const meta::PredictedColumn& column, const meta::RowGroups& groups) {
  std::size_t count = 0;
  for (const std::vector<std::uint32_t>& rows : groups.rows) {
    std::vector<double> present;
    for (const std::uint32_t row : rows) {
      if (column.values[row]) present.push_back(*column.values[row]);
    }
    if (all_equal(present)) ++count;
  }
  return count;
}

std::vector<Undefined> undefined_of(const report::CorrelationRun& run, const meta::ScoreTable& table,
                                    const meta::RowGroups& groups, const std::string& told) {
  std::vector<Undefined> found;
  for (std::size_t column = 0; column < table.predicted.size(); ++column) {
    Undefined& one = found.emplace_back();
    one.name = table.predicted[column].name;
    for (const meta::Pairs& pairs : meta::pairs_by_group(table, groups, table.predicted[column])) {
      if (all_equal(pairs.gold)) {
        ++one.people;
      } else if (all_equal(pairs.predicted)) {
        ++one.metric;
      }
    }
    one.equal_scores = equal_groups(table.predicted[column], groups);
    const meta::CorrelationRow& row = report::whole_row(run, column);
    for (std::size_t c = 0; c < run.coefficients.size(); ++c) {
      const std::size_t lacks = row.averaged.empty() ? !row.values[c] : groups.names.size() - row.averaged[c];
      one.lacks.push_back(run.coefficients[c] == told ? 0 : lacks);
    }
  }
  return found;
}

/// "pearson and kendall are not defined", of a table without groups.
std::string not_defined(const report::CorrelationRun& run, const std::vector<Undefined>& columns) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < run.coefficients.size(); ++c) {
    if (std::ranges::any_of(columns, [&](const Undefined& one) { return one.lacks[c] > 0; }))
      names.push_back(run.coefficients[c]);
  }
  return fmt::format("{} {} not defined", report::few_names(names, "coefficients", names.size()),
                     names.size() == 1 ? "is" : "are");
}

std::string names_of(const std::vector<Undefined>& columns) {
  std::vector<std::string> names;
  for (const Undefined& one : columns) names.push_back(one.name);
  return report::few_names(names, "metrics");
}

/// "in 2 of 50 groups", "in up to 3 of 50 groups"
std::string in_groups(std::size_t least, std::size_t most, std::size_t groups) {
  return fmt::format("in {}{} of {} groups", least == most ? "" : "up to ", most, groups);
}

void warn_of_equal_people(const report::CorrelationRun& run, const std::vector<Undefined>& columns,
                          std::size_t groups, bool grouped, const RunContext& context) {
  std::vector<Undefined> hit;
  std::ranges::copy_if(columns, std::back_inserter(hit),
                       [](const Undefined& one) { return one.people > 0 && one.any(); });
  if (hit.empty()) return;
  const auto [least, most] = std::ranges::minmax_element(
      hit, [](const Undefined& a, const Undefined& b) { return a.people < b.people; });
  // Missing scores of a metric may leave a group with equal human scores for this metric alone.
  const std::string of = hit.size() == columns.size() && least->people == most->people
                             ? ""
                             : " with a score of " + names_of(hit);
  if (!grouped) {
    context.warn(
        fmt::format("{}: all rows{} have the same human score; {}", run.gold, of, not_defined(run, hit)));
    return;
  }
  context.warn(fmt::format("{}: {} all rows{} have the same human score; {} left out of the means", run.gold,
                           in_groups(least->people, most->people, groups), of,
                           most->people == 1 ? "it is" : "they are"));
}

/// Warns of the metrics alone, so that the same words come for every judgement, which are told once.
void warn_of_equal_scores(const report::CorrelationRun& run, const std::vector<Undefined>& columns,
                          std::size_t groups, bool grouped, const RunContext& context) {
  std::vector<Undefined> hit;
  std::ranges::copy_if(columns, std::back_inserter(hit), [&](const Undefined& one) {
    for (std::size_t c = 0; c < one.lacks.size(); ++c) {
      if (one.equal_scores > 0 && one.lacks[c] > 0 && !is_of_pairs(run.coefficients[c])) return true;
    }
    return false;
  });
  if (hit.empty()) return;
  const std::string who = fmt::format("{} {} all rows", names_of(hit), hit.size() == 1 ? "gives" : "give");
  if (!grouped) {
    context.warn(fmt::format("{} the same score; {}", who, not_defined(run, hit)));
    return;
  }
  const auto [least, most] = std::ranges::minmax_element(
      hit, [](const auto& a, const auto& b) { return a.equal_scores < b.equal_scores; });
  context.warn(fmt::format("{} of a group the same score {}; {} left out of the means", who,
                           in_groups(least->equal_scores, most->equal_scores, groups),
                           most->equal_scores == 1 ? "it is" : "they are"));
}

}  // namespace

void warn_of_undefined(const report::CorrelationRun& run, const meta::ScoreTable& table,
                       const std::string& told, const std::string& with, const RunContext& context) {
  const meta::RowGroups groups = meta::rows_by_group(table);
  const std::size_t count = groups.names.size();
  const bool grouped = !table.group.empty();
  const std::vector<Undefined> columns = undefined_of(run, table, groups, told);
  warn_of_equal_people(run, columns, count, grouped, context);
  warn_of_equal_scores(run, columns, count, grouped, context);
  for (const Undefined& one : columns) {
    const std::size_t metric = one.equal_scores > 0 ? one.metric : 0;
    for (std::size_t c = 0; c < one.lacks.size(); ++c) {
      const std::string& coefficient = run.coefficients[c];
      if (one.lacks[c] <= one.people + (is_of_pairs(coefficient) ? 0 : metric)) continue;
      context.warn(
          grouped ? fmt::format("{}{}: {} of {} groups without {} left out of its mean", one.name, with,
                                one.lacks[c], count, coefficient)
                  : fmt::format("{}{}: {} is not defined for these values", one.name, with, coefficient));
    }
  }
}

}  // namespace markeval::score
