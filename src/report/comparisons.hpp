// What `markeval compare` found, and its three written forms. A value that is not defined is null in JSON,
// "-" in text and empty in TSV; NaN is never written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text_options.hpp"
#include "report/ceilings.hpp"
#include "report/groups.hpp"

namespace markeval::report {

/// Two systems, by their places in ComparedResult::systems, and whether a test separates them.
struct ComparedPair {
  std::size_t first = 0, second = 0;
  double difference = 0;             ///< second - first
  std::optional<Interval> interval;  ///< of the difference, 95 %
  std::optional<double> p_value;     ///< absent where the test has none
  std::optional<double> p_adjusted;  ///< for all pairs of this result
  bool held_back = false;            ///< the better number is of a system that stands worse beside people
};

/// Whether the test separates the two: p and the interval must agree. sacrebleu's p looks at one direction,
/// so it can be small where the interval still holds 0. Pairs that are held back are not separated.
bool is_separated(const ComparedPair& pair, double alpha);

struct ComparedSystem {
  std::string system;
  double score = 0;
  std::optional<double> mean, half_width;  ///< of the bootstrap's scores: sacrebleu's "mean +- half width"
  Interval interval;                       ///< of the score, 95 %
  std::size_t rank = 1;                    ///< the same for systems that are not separated; 0: suspicious
  std::size_t best_rank = 1, worst_rank = 1;
  PeopleLevel level = PeopleLevel::alike;  ///< beside people, where they stand beside the metric
  std::string suspicion{};  ///< "a copy of the reference": it has no rank, and is better than nobody
};

/// One number of one metric for all systems.
struct ComparedResult {
  std::string metric;     ///< "me"
  std::string requested;  ///< as the user wrote it: "me:k=3"
  std::string result;
  bool is_main = false;  ///< the result the metric is known by
  bool higher_is_better = true;
  std::string test;
  std::vector<ComparedSystem> systems;  ///< as given: the baseline first
  std::vector<ComparedPair> pairs;      ///< (0, 1), (0, 2), ... (1, 2), ...
  std::string signature;
};

/// What the tests say of some segments.
struct GroupComparison {
  std::string group;
  std::size_t segments = 0;
  std::vector<ComparedResult> results;
};

struct ComparisonRun {
  std::vector<ComparedResult> results;
  std::string correction;
  double alpha = 0.05;
  std::vector<std::string> warnings;
  std::vector<FailedMetric> errors{};  ///< metrics that have no result
  std::vector<Ceiling> ceilings{};     ///< of set metrics: systems and people at one size
  std::string group_column{};          ///< where groups were asked for: "genre"
  std::vector<GroupComparison> groups{};
};

/// By their level beside people, then by score.
std::vector<std::size_t> rows_by_rank(const ComparedResult& result);

/// Several metrics: one table with the main result of each. Then a table for each main result, with details
/// for every result: every system with its difference from the baseline, and its rank.
std::string to_text(const ComparisonRun& run, const TextOptions& options = {});
/// {"baseline", "correction", "alpha", "results": [{"metric", "request", "result", "systems": [...], "tests":
/// [...]}]}.
std::string to_json(const ComparisonRun& run);
/// One line per result and system; "verdict" is that on the system beside the first: better, worse, not
/// separated or held back.
std::string to_tsv(const ComparisonRun& run);

/// "copies is a copy of the reference, so me and prdc give it no rank.": a sentence for each such system.
std::vector<std::string> not_ranked(const ComparisonRun& run);
/// The main result of each metric, with ranks.
Table summary_table(const ComparisonRun& run);
/// Every system with its difference from the baseline, its p-values and its rank; `means`: those of the
/// bootstrap too, where there are any.
Table differences_table(const ComparedResult& result, bool means);
/// The groups, and their tables with a star where a system is better than the first.
GroupedScores group_sizes(const ComparisonRun& run);
std::vector<Table> group_tables(const ComparisonRun& run);

}  // namespace markeval::report
