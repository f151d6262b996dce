// Rows are sorted into a matrix of systems and segments; incomplete segments are left out.
#include "meta/soft_accuracy_table.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <string>
#include <unordered_map>

#include "base/error.hpp"
#include "meta/values.hpp"

namespace markeval::meta {
namespace {

constexpr std::uint32_t kNoRow = std::numeric_limits<std::uint32_t>::max();

/// The row of each system and segment of one group.
struct TableLayout {
  std::vector<std::vector<std::uint32_t>> rows;  // [segment][system]
  std::size_t systems = 0;
};

TableLayout lay_out(const ScoreTable& table, const std::vector<std::uint32_t>& rows) {
  std::unordered_map<std::string, std::size_t> systems, segments;
  for (const std::uint32_t row : rows) {
    systems.emplace(table.system[row], systems.size());
    segments.emplace(table.segment[row], segments.size());
  }
  TableLayout layout{std::vector(segments.size(), std::vector<std::uint32_t>(systems.size(), kNoRow)),
                     systems.size()};
  for (const std::uint32_t row : rows) {
    std::uint32_t& cell = layout.rows[segments[table.segment[row]]][systems[table.system[row]]];
    if (cell != kNoRow) {
      throw_invalid(fmt::format("{}: rows {} and {} are both system '{}', segment '{}'", table.name, cell + 1,
                                row + 1, table.system[row], table.segment[row]));
    }
    cell = row;
  }
  return layout;
}

/// Scores as a row per system, over the segments that are complete.
struct Matrices {
  std::vector<double> gold, predicted;
  std::size_t segments = 0, left_out = 0;
};

Matrices complete_segments(const ScoreTable& table, const TableLayout& layout, const Values& column) {
  std::vector<const std::vector<std::uint32_t>*> complete;
  Matrices result;
  for (const auto& segment : layout.rows) {
    bool whole = true;
    for (const std::uint32_t row : segment) whole = whole && row != kNoRow && table.gold[row] && column[row];
    if (whole) {
      complete.push_back(&segment);
    } else {
      ++result.left_out;
    }
  }
  result.segments = complete.size();
  for (std::size_t system = 0; system < layout.systems; ++system) {
    for (const auto* segment : complete) {
      result.gold.push_back(*table.gold[(*segment)[system]]);
      result.predicted.push_back(*column[(*segment)[system]]);
    }
  }
  return result;
}

}  // namespace

std::vector<SoftAccuracyOfColumn> soft_accuracy(const ScoreTable& table, const SoftAccuracyOptions& options,
                                                const RunContext& context) {
  validate(table);
  if (table.system.empty() || table.segment.empty()) {
    throw_invalid("soft accuracy needs the system and the segment of each row");
  }
  std::vector<SoftAccuracyOfColumn> results(table.predicted.size());
  const RowGroups groups = rows_by_group(table);
  for (const auto& rows : groups.rows) {
    const TableLayout layout = lay_out(table, rows);
    for (std::size_t c = 0; c < table.predicted.size(); ++c) {
      const Matrices scores = complete_segments(table, layout, table.predicted[c].values);
      const MatrixView<const double> gold(scores.gold.data(), layout.systems, scores.segments);
      const MatrixView<const double> predicted(scores.predicted.data(), layout.systems, scores.segments);
      results[c].segments_left_out += scores.left_out;
      results[c].values.groups.push_back(soft_pairwise_accuracy(gold, predicted, options, context));
    }
  }
  for (SoftAccuracyOfColumn& result : results) {
    MeanOfPresent mean;
    for (const auto& value : result.values.groups) mean.add(value);
    result.values.averaged = mean.count();
    result.values.mean = mean.value();
  }
  return results;
}

}  // namespace markeval::meta
