// What `markeval correlate` found, and its written forms. A value that is not defined is null in JSON,
// "-" in text and empty in TSV; NaN is never written.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/text_options.hpp"
#include "meta/metric_significance.hpp"
#include "meta/score_table.hpp"
#include "report/table.hpp"

namespace markeval::report {

struct CorrelationTests {
  std::string test;                 ///< "perm-both"
  std::string coefficient;          ///< "pearson"
  std::string correction;           ///< "holm"
  std::vector<std::string> turned;  ///< columns where lower is better: tested with their sign turned
  std::vector<meta::MetricDifference> differences;
  bool asked = true;  ///< false: made for the verdict alone, so the text has no table of it
};

/// Whether a test of it has intervals.
bool has_intervals(const CorrelationTests& tests);

/// The outcome for one column of human scores. The runs of a report share all but gold, rows, tests and
/// verdict.
struct CorrelationRun {
  std::string gold;                            ///< the column of human scores; empty: better/worse pairs
  std::vector<std::string> coefficients;       ///< names of the values of each row
  std::vector<std::string> predicted;          ///< names of the columns the tests point to
  std::vector<std::string> lower_is_better{};  ///< columns whose sign was turned
  std::size_t from_table = 0;  ///< so many of `predicted`, the first, are columns; others were computed
  bool of_systems = false;     ///< rows are averages of systems
  std::string drawn{};  ///< for intervals of means over groups: "groups" or "rows"; empty: no such mean
  std::vector<meta::CorrelationRow> rows;
  std::optional<CorrelationTests> tests;
  std::string verdict;  ///< from verdict_of()
  std::string signature;
  std::vector<std::string> metric_signatures;  ///< of metrics computed on the way
  std::vector<std::string> warnings;
};

/// "Lower is better for ter and fid: the order and the tests turn the sign."; empty where there is none.
std::string turned_note(const CorrelationRun& run);

/// Coefficients, the best metric first: the whole rows, or those of a group, or of all groups; `missing`: how
/// many rows had no score, where there are such.
Table coefficients_table(const CorrelationRun& run, bool whole, const std::string& group = "",
                         bool missing = false);
/// A row for each metric, a column for each judgement: the first coefficient. The metric whose places in the
/// rankings have the lowest mean comes first.
Table judgements_table(const std::vector<const CorrelationRun*>& runs);
/// All pairs of metrics with their difference and p-values.
Table tests_table(const CorrelationRun& run);

/// Tables of coefficients, the best metric first, the verdict and, where asked for, a table of differences.
/// Several runs: a table of metrics and judgements. Groups only with `details`.
std::string to_text(std::span<const CorrelationRun> runs, const TextOptions& options = {});
/// {"results": [{"predicted", "group", "n", "missing", "pearson", ...}, ...], "tests": [...], "verdicts":
/// [...]}; doubles with as many digits as they need to be read back exactly. Several runs: "gold" in each.
std::string to_json(std::span<const CorrelationRun> runs);
/// predicted, group, n, result, value: a line per number; of a test `predicted` is "a - b" and `result`
/// "perm-both.pearson.p_value". Several runs: the column gold comes first.
std::string to_tsv(std::span<const CorrelationRun> runs);

}  // namespace markeval::report
