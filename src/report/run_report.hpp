// Everything one `score` run found, and its three written forms. Numbers are written the same in every
// locale, and NaN never: an infinite estimate is null in JSON and "infinite" in text.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text_options.hpp"
#include "metric/pair_run.hpp"
#include "metric/registry.hpp"
#include "metric/score_sets.hpp"
#include "report/clusters.hpp"
#include "report/groups.hpp"

namespace markeval::report {

struct RunReport {
  std::vector<Result> results;  ///< by system, then by metric, in the order asked for
  std::vector<std::string> warnings;
  std::vector<FailedMetric> errors{};  ///< metrics that have no result
  std::vector<Ceiling> ceilings{};     ///< of set metrics: systems and people at one size
  GroupedScores grouped{};             ///< where groups were asked for
  /// By system, where an explanation was asked for.
  std::vector<std::pair<std::string, std::vector<ClusterShare>>> clusters{};
};

/// "bertscore, me: model 'x' is not on this machine": a line for each reason.
std::vector<std::string> reasons_of(const std::vector<FailedMetric>& errors);
/// The same, below the tables of a text; empty where there are none.
std::string errors_to_text(const std::vector<FailedMetric>& errors, const TextOptions& options);

/// Several metrics: one table with the main result of each. One metric, or with details: an aligned table per
/// metric with all its results, systems as rows, the best first. Then, where segments were asked for, a table
/// of them per system; last the signatures.
std::string to_text(const RunReport& report, const TextOptions& options = {});
/// One JSON object, as docs/reference/cli.md describes it; doubles with as many digits as they need to be
/// read back exactly.
std::string to_json(const RunReport& report);
/// Header and one line per number: system, metric as asked for, result, value.
std::string to_tsv(const RunReport& report);

/// Where a row came from, for a person.
struct RowOrigin {
  std::string file;
  std::size_t row = 0;   ///< from 1: of the vectors, or the line of the texts
  bool is_line = false;  ///< what `row` counts
  std::string text;      ///< content of the line, for texts
  std::string word;      ///< where rows are words
  std::size_t layer = 0;
};
using RowLookup = std::function<RowOrigin(std::size_t row)>;
/// "poor.npy, row 69", "out.txt, line 3", "out.txt, line 3, cat, layer 5"; the whole path stands among the
/// inputs.
std::string describe(const RowOrigin& origin);

/// A row inside no ball of the other set, and the ball it is closest to.
struct OutsideRow {
  RowOrigin origin;
  RowOrigin nearest;
  double distance = 0;
  double radius = 0;
  std::string label{};  ///< its name on a map, "g1"; may be empty
};
/// No more than `most` of the points, the farthest.
std::vector<OutsideRow> outside_rows(std::span<const geometry::OutsidePoint> points, const RowLookup& own,
                                     const RowLookup& other, std::size_t most);

struct ExplainedSets {
  std::string system;
  std::string metric;  ///< as the user wrote it
  geometry::BallRequest request;
  std::vector<OutsideRow> off_manifold;
  std::vector<OutsideRow> missing_modes;
  std::vector<ClusterShare> clusters{};
};

/// `reference` and `system` tell where rows of the two sets came from.
ExplainedSets explain_sets(const metric::SetExplanation& explanation, const RowLookup& reference,
                           const RowLookup& system);

/// The JSON of --explain: the rows outside all balls, and, for pairs of texts, which row met which, offsets
/// in bytes of the text.
std::string explanations_to_json(const std::vector<ExplainedSets>& sets,
                                 const std::vector<metric::PairExplanation>& pairs);

/// What can be computed: a line for each metric; all about some, for people and for programs.
std::string metrics_overview(std::span<const metric::MetricInfo> metrics);
std::string metrics_to_text(std::span<const metric::MetricInfo> metrics);
std::string metrics_to_json(std::span<const metric::MetricInfo> metrics);

}  // namespace markeval::report
