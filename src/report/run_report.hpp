// Everything one `score` run found, and its three written forms. Numbers are written the same in every
// locale, and NaN never: an infinite estimate is null in JSON and "infinite" in text.
#pragma once

#include <string>
#include <vector>

#include "metric/registry.hpp"
#include "metric/result.hpp"
#include "metric/score_pairs.hpp"
#include "metric/score_sets.hpp"

namespace markeval::report {

struct RunReport {
  std::vector<metric::MetricResult> results;  ///< by system, then by metric, in the order asked for
  std::vector<std::string> warnings;
};

/// An aligned table per metric with the systems as rows, and its signature below.
std::string to_text(const RunReport& report);
/// One JSON object, as docs/cli.md describes it; doubles with as many digits as they need to be read back
/// exactly.
std::string to_json(const RunReport& report);
/// Header and one line per number: system, metric, result, value.
std::string to_tsv(const RunReport& report);

/// Where a row of a stacked set came from: "refs.npy", 1-based row in it.
struct RowOrigin {
  std::string file;
  std::size_t first_row = 0;  ///< in the stacked set
};

/// The JSON of --explain. `reference_files`: the parts of the reference in order; `system_files`: one per
/// explanation.
std::string explanations_to_json(const std::vector<metric::SetExplanation>& explanations,
                                 const std::vector<RowOrigin>& reference_files,
                                 const std::vector<std::string>& system_files);

/// The JSON of --explain for pairs of texts: which row met which, offsets in bytes of the text.
std::string pair_explanations_to_json(const std::vector<metric::PairExplanation>& explanations);

/// What can be computed, for people and for programs.
std::string metrics_to_text(std::span<const metric::MetricInfo> metrics);
std::string metrics_to_json(std::span<const metric::MetricInfo> metrics);

}  // namespace markeval::report
