// Pairs come from rows of the table or from a file that names systems and segments.
#include "score/judged_pairs.hpp"

#include <fmt/format.h>

#include <unordered_map>

#include "base/error.hpp"
#include "meta/judged_pairs.hpp"
#include "text/score_columns.hpp"

namespace markeval::score {
namespace {

using meta::JudgedPairs;
using meta::ScoreTable;
using text::ColumnKind;

std::string coefficient_of_pairs() {
  return std::string(name(meta::Coefficient::kendall_like));
}

/// Every row of the table is a pair; its scores are those of the better texts, then those of the worse.
JudgedPairs pairs_of_rows(ScoreTable& table) {
  JudgedPairs pairs;
  const std::size_t rows = table.predicted.front().values.size() / 2;
  for (std::size_t row = 0; row < rows; ++row) {
    pairs.better.push_back(static_cast<std::uint32_t>(row));
    pairs.worse.push_back(static_cast<std::uint32_t>(rows + row));
  }
  pairs.segment = std::move(table.segment);
  pairs.group = std::move(table.group);
  return pairs;
}

/// What finds a row: its group (where there are groups), segment and system.
std::string row_key(const std::string& group, const std::string& segment, const std::string& system) {
  return group + '\x1f' + segment + '\x1f' + system;
}

JudgedPairs pairs_of_file(const CorrelateRequest& request, ScoreTable& table) {
  std::unordered_map<std::string, std::uint32_t> rows;
  const auto group_of = [](const std::vector<std::string>& groups, std::size_t at) {
    return groups.empty() ? std::string() : groups[at];
  };
  for (std::size_t row = 0; row < table.system.size(); ++row) {
    const std::string key = row_key(group_of(table.group, row), table.segment[row], table.system[row]);
    if (rows.emplace(key, static_cast<std::uint32_t>(row)).second) continue;
    throw_invalid(fmt::format("{}: two rows are segment '{}' of system '{}'", request.table,
                              table.segment[row], table.system[row]));
  }
  std::vector<text::ColumnRequest> wanted{
      {"segment", ColumnKind::label}, {"better", ColumnKind::label}, {"worse", ColumnKind::label}};
  if (!request.group.empty()) wanted.push_back({request.group, ColumnKind::label});
  std::vector<text::Column> found = text::read_columns(request.pairs, wanted, {request.replace_invalid});
  JudgedPairs pairs;
  pairs.segment = std::move(found[0].labels);
  if (!request.group.empty()) pairs.group = std::move(found[3].labels);
  for (std::size_t pair = 0; pair < pairs.segment.size(); ++pair) {
    if (found[1].labels[pair] == found[2].labels[pair])
      throw_invalid(fmt::format("{}: pair {}: system '{}' is better than itself, expected two systems",
                                request.pairs, pair + 1, found[1].labels[pair]));
    for (const std::size_t side : {1u, 2u}) {
      const std::string& system = found[side].labels[pair];
      const auto row = rows.find(row_key(group_of(pairs.group, pair), pairs.segment[pair], system));
      if (row == rows.end()) {
        throw_invalid(fmt::format("{}: pair {}: {} has no row of system '{}', segment '{}'{}", request.pairs,
                                  pair + 1, request.table, system, pairs.segment[pair],
                                  pairs.group.empty() ? "" : fmt::format(", group '{}'", pairs.group[pair])));
      }
      (side == 1 ? pairs.better : pairs.worse).push_back(row->second);
    }
  }
  table.group.clear();
  table.segment.clear();
  return pairs;
}

}  // namespace

void check_pairs(const CorrelateRequest& request) {
  const auto refuse = [](bool wrong, const char* why) {
    if (wrong) throw_usage(why);
  };
  const bool file = !request.pairs.empty();
  refuse(file && !(request.better.empty() && request.worse.empty()),
         "pairs come from --pairs or from --better and --worse, not from both");
  refuse(request.better.empty() != request.worse.empty(), "expected both --better COLUMN and --worse COLUMN");
  refuse(!file && request.better == request.worse, "--better and --worse are the same column");
  refuse(!request.gold.empty(), "better/worse pairs stand in place of human scores: leave --gold out");
  refuse(!file && !request.predicted.empty(),
         "--better and --worse are texts; scores of systems and segments go with --pairs FILE");
  refuse(!file && (request.reference.empty() || request.metrics.empty()),
         "--better and --worse need --ref COLUMN and -m METRIC");
  refuse(!file && !request.hypothesis.empty(), "--better and --worse stand in place of --hyp");
  refuse(file && (request.system.empty() || request.segment.empty()),
         "--pairs needs --system COLUMN and --segment COLUMN");
  refuse(request.level != "segment", "better/worse pairs are of segments: leave --level out");
  refuse(request.min_rows.has_value(), "--min-rows counts rows with human scores, which pairs have not got");
  refuse(request.page, "a page shows human scores, which pairs have not got: leave --report out");
  refuse(request.coefficients != CorrelateRequest{}.coefficients &&
             request.coefficients != std::vector<std::string>{coefficient_of_pairs()},
         "the coefficient of better/worse pairs is kendall-like");
  refuse(!request.test.empty() && request.test != "none" && request.test != "bootstrap",
         "the test for better/worse pairs is bootstrap, over source segments");
  refuse((request.intervals.value_or(0) > 0 || request.test == "bootstrap") && request.segment.empty(),
         "resamples draw source segments: --segment COLUMN names the one of each pair");
}

report::CorrelationRun correlate_given_pairs(const CorrelateRequest& request, TableScores& scores,
                                             std::size_t intervals, const RunContext& context) {
  ScoreTable& table = scores.table;
  const JudgedPairs pairs = request.pairs.empty() ? pairs_of_rows(table) : pairs_of_file(request, table);
  table.system.clear();
  table.gold.assign(table.predicted.front().values.size(), std::nullopt);
  report::CorrelationRun run;
  run.coefficients = {coefficient_of_pairs()};
  for (const meta::PredictedColumn& column : table.predicted) run.predicted.push_back(column.name);
  run.rows = meta::correlate_pairs(table, pairs, intervals, request.seed, context);
  if (request.test.empty() || request.test == "none") return run;
  meta::MetricTestOptions options;
  options.resamples = request.resamples;
  options.seed = request.seed;
  options.correction = meta::correction_named(request.correction);
  run.tests = report::CorrelationTests{
      request.test, coefficient_of_pairs(), request.correction, scores.lower_is_better,
      meta::compare_on_pairs(turned(table, scores.lower_is_better), pairs, options, context)};
  return run;
}

}  // namespace markeval::score
