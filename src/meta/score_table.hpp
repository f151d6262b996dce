// A table of human and metric scores, row by row, and how well each metric agrees with people: per group, on
// average, on segments or on systems. Missing values are absent, and the rows they cost are counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "meta/coefficient.hpp"

namespace markeval::meta {

using Values = std::vector<std::optional<double>>;

struct PredictedColumn {
  std::string name;
  Values values;
};

struct ScoreTable {
  std::string name = "table";  ///< for messages: its file
  Values gold;
  std::vector<PredictedColumn> predicted;
  std::vector<std::string> group;    ///< of each row (language pair, topic); empty: all rows are one group
  std::vector<std::string> system;   ///< of each row; only needed for the level of systems
  std::vector<std::string> segment;  ///< of each row; only needed for soft accuracy

  std::size_t rows() const { return gold.size(); }
};

/// The rows of each group, groups in order of first appearance.
struct RowGroups {
  std::vector<std::string> names;
  std::vector<std::vector<std::uint32_t>> rows;
};

/// The name of the one group of a table without groups.
inline constexpr const char* kAllRows = "all";
/// The name of the row with the mean over groups.
inline constexpr const char* kMeanRow = "mean";

/// Throws Error(invalid_input) for a group that is called as a row of the results: they are found by name,
/// and one of the two would be hidden. `source`: where the groups are from.
void require_other_names(std::span<const std::string> groups, std::initializer_list<std::string_view> rows,
                         const std::string& source);

/// Throws Error(invalid_input) for columns that differ in length and for values that are not finite.
void validate(const ScoreTable& table);
RowGroups rows_by_group(const ScoreTable& table);
/// The complete pairs of one column, group by group.
std::vector<Pairs> pairs_by_group(const ScoreTable& table, const RowGroups& groups,
                                  const PredictedColumn& column);

/// One row per group and system, each value the mean over that system's rows. A row with any value missing is
/// left out for all columns, so that every metric and the gold scores average the same segments; a system
/// without a complete row gets absent values. Throws Error(invalid_input) without system names.
ScoreTable average_by_system(const ScoreTable& table);

struct CorrelationRow {
  std::string predicted;
  std::string group;                          ///< kMeanRow for the mean over groups
  std::size_t n = 0;                          ///< complete rows
  std::size_t missing = 0;                    ///< rows left out
  std::vector<std::optional<double>> values;  ///< one per coefficient asked for
  /// Number of groups with a value, per coefficient, in the row of the mean; empty in other rows.
  std::vector<std::size_t> averaged;
  std::optional<double> tie_threshold;               ///< where `accuracy` was asked for
  std::vector<std::optional<Interval>> intervals{};  ///< of the values, 95 %; empty: not asked for
};

/// For each column a row per group and, where the table has groups, a row "mean".
std::vector<CorrelationRow> correlate(const ScoreTable& table, std::span<const Coefficient> coefficients,
                                      const CoefficientOptions& options = {});

}  // namespace markeval::meta
