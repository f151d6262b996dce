// What `markeval correlate` found, and its three written forms. A value that is not defined is null in JSON,
// "-" in text and empty in TSV; NaN is never written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "meta/metric_significance.hpp"
#include "meta/score_table.hpp"

namespace markeval::report {

struct CorrelationTests {
  std::string test;                 ///< "perm-both"
  std::string coefficient;          ///< "pearson"
  std::string correction;           ///< "holm"
  std::vector<std::string> turned;  ///< columns where lower is better: tested with their sign turned
  std::vector<meta::MetricDifference> differences;
};

/// "lower is better: the test turns the sign of ter.ter, fid.fid"; empty where there is none.
std::string turned_note(const CorrelationTests& tests);

struct CorrelationRun {
  std::vector<std::string> coefficients;  ///< names of the values of each row
  std::vector<std::string> predicted;     ///< names of the columns the tests point to
  std::vector<meta::CorrelationRow> rows;
  std::optional<CorrelationTests> tests;
  std::string signature;
  std::vector<std::string> metric_signatures;  ///< of metrics computed on the way
  std::vector<std::string> warnings;
};

/// An aligned table of coefficients and, where asked for, one of differences.
std::string to_text(const CorrelationRun& run);
/// {"results": [{"predicted", "group", "n", "missing", "pearson", ...}, ...], "tests": [...]}; doubles with
/// as many digits as they need to be read back exactly.
std::string to_json(const CorrelationRun& run);
/// predicted, group, n, result, value: a line per number; of a test `predicted` is "a - b" and `result`
/// "perm-both.pearson.p_value".
std::string to_tsv(const CorrelationRun& run);

}  // namespace markeval::report
