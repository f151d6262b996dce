// Checks of a table, its rows by group or averaged by system, and the coefficients of each column.
#include "meta/score_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"

namespace markeval::meta {
namespace {

void require_finite_column(const Values& values, const std::string& name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] && !std::isfinite(*values[i])) {
      throw_invalid(fmt::format("{}: value {} is {}", name, i + 1,
                                std::isnan(*values[i]) ? "not a number" : "infinite"));
    }
  }
}

void require_rows(std::size_t found, std::size_t expected, const std::string& what) {
  if (found != expected) throw_invalid(fmt::format("{}: {} values, expected {}", what, found, expected));
}

bool is_complete(const ScoreTable& table, std::size_t row) {
  if (!table.gold[row]) return false;
  for (const PredictedColumn& column : table.predicted) {
    if (!column.values[row]) return false;
  }
  return true;
}

}  // namespace

void require_other_names(std::span<const std::string> groups, std::initializer_list<std::string_view> rows,
                         const std::string& source) {
  for (const std::string& group : groups) {
    if (std::ranges::find(rows, group) != rows.end()) {
      throw_invalid(
          fmt::format("{}: no group may be called '{}': a row of the results has this name", source, group));
    }
  }
}

void validate(const ScoreTable& table) {
  require_finite_column(table.gold, "gold");
  for (const PredictedColumn& column : table.predicted) {
    require_rows(column.values.size(), table.rows(), column.name);
    require_finite_column(column.values, column.name);
  }
  if (!table.group.empty()) require_rows(table.group.size(), table.rows(), "group");
  if (!table.system.empty()) require_rows(table.system.size(), table.rows(), "system");
  if (!table.segment.empty()) require_rows(table.segment.size(), table.rows(), "segment");
}

RowGroups rows_by_group(const ScoreTable& table) {
  RowGroups groups;
  if (table.group.empty()) {
    groups.names.emplace_back(kAllRows);
    groups.rows.emplace_back(table.rows());
    for (std::size_t row = 0; row < table.rows(); ++row)
      groups.rows[0][row] = static_cast<std::uint32_t>(row);
    return groups;
  }
  std::unordered_map<std::string, std::size_t> index;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto [at, added] = index.emplace(table.group[row], groups.names.size());
    if (added) {
      groups.names.push_back(table.group[row]);
      groups.rows.emplace_back();
    }
    groups.rows[at->second].push_back(static_cast<std::uint32_t>(row));
  }
  return groups;
}

std::vector<Pairs> pairs_by_group(const ScoreTable& table, const RowGroups& groups,
                                  const PredictedColumn& column) {
  std::vector<Pairs> result;
  for (const auto& rows : groups.rows) {
    Pairs& pairs = result.emplace_back();
    for (const std::uint32_t row : rows) {
      if (table.gold[row] && column.values[row]) {
        pairs.gold.push_back(*table.gold[row]);
        pairs.predicted.push_back(*column.values[row]);
      } else {
        ++pairs.missing;
      }
    }
  }
  return result;
}

ScoreTable average_by_system(const ScoreTable& table) {
  validate(table);
  if (table.system.empty()) throw_invalid("averages per system need the name of each row's system");
  struct SystemSums {
    double gold = 0;
    std::vector<double> predicted;
    std::size_t rows = 0;
  };
  std::vector<SystemSums> sums;
  ScoreTable result;
  const RowGroups groups = rows_by_group(table);
  for (std::size_t g = 0; g < groups.rows.size(); ++g) {
    std::unordered_map<std::string, std::size_t> index;
    for (const std::uint32_t row : groups.rows[g]) {
      const auto [at, added] = index.emplace(table.system[row], sums.size());
      if (added) {
        sums.push_back({0, std::vector<double>(table.predicted.size()), 0});
        result.system.push_back(table.system[row]);
        if (!table.group.empty()) result.group.push_back(groups.names[g]);
      }
      if (!is_complete(table, row)) continue;
      SystemSums& sum = sums[at->second];
      ++sum.rows;
      sum.gold += *table.gold[row];
      for (std::size_t c = 0; c < table.predicted.size(); ++c)
        sum.predicted[c] += *table.predicted[c].values[row];
    }
  }
  for (const PredictedColumn& column : table.predicted) result.predicted.push_back({column.name, {}});
  for (const SystemSums& sum : sums) {
    const auto mean = [&](double total) {
      return sum.rows > 0 ? std::optional(total / static_cast<double>(sum.rows)) : std::nullopt;
    };
    result.gold.push_back(mean(sum.gold));
    for (std::size_t c = 0; c < table.predicted.size(); ++c) {
      result.predicted[c].values.push_back(mean(sum.predicted[c]));
    }
  }
  return result;
}

std::vector<CorrelationRow> correlate(const ScoreTable& table, std::span<const Coefficient> coefficients,
                                      const CoefficientOptions& options) {
  validate(table);
  const RowGroups groups = rows_by_group(table);
  std::vector<CorrelationRow> result;
  for (const PredictedColumn& column : table.predicted) {
    const std::vector<Pairs> pairs = pairs_by_group(table, groups, column);
    std::vector<CorrelationRow> rows(groups.names.size());
    CorrelationRow mean{column.name, kMeanRow, 0, 0, {}, {}, {}};
    for (std::size_t g = 0; g < rows.size(); ++g) {
      rows[g] = {column.name, groups.names[g], pairs[g].size(), pairs[g].missing, {}, {}, {}};
      mean.n += pairs[g].size();
      mean.missing += pairs[g].missing;
    }
    for (const Coefficient coefficient : coefficients) {
      const GroupedCoefficient values = grouped_coefficient(coefficient, pairs, options);
      for (std::size_t g = 0; g < rows.size(); ++g) {
        rows[g].values.push_back(values.groups[g]);
        if (values.tie_threshold) rows[g].tie_threshold = values.tie_threshold;
      }
      mean.values.push_back(values.mean);
      mean.averaged.push_back(values.averaged);
      if (values.tie_threshold) mean.tie_threshold = values.tie_threshold;
    }
    for (CorrelationRow& row : rows) result.push_back(std::move(row));
    if (!table.group.empty()) result.push_back(std::move(mean));
  }
  return result;
}

}  // namespace markeval::meta
