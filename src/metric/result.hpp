// What a metric says about one system: scores, what stands behind them, and a signature that tells exactly
// what was computed, so that two numbers with the same signature may be compared.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lexical/python_number.hpp"
#include "lexical/segment_statistics.hpp"

namespace markeval::metric {

/// In the order they are to be shown.
template <typename Value>
using Named = std::vector<std::pair<std::string, Value>>;

/// A double may be infinite (an estimate from nothing recaptured), never NaN.
using DetailValue = std::variant<double, std::uint64_t, std::string, std::vector<double>>;

struct Interval {
  double low = 0;
  double high = 0;
};

class LexicalMetric;

/// Scores of resamples, the same segments or rows drawn for every system of a run. Of a set metric: by how
/// much the scores of two halves differ, split by split, and how many rows there are in all and in a half.
struct ResampledResult {
  std::vector<std::vector<lexical::PythonNumber>> scores;  ///< per result, in the order of its scores
  std::size_t rows = 0, half_rows = 0;
};

/// What paired tests need of a score that is not the mean of segment scores: BLEU.
struct ScoredStatistics {
  lexical::SegmentStatistics segments;
  std::shared_ptr<const LexicalMetric> metric;
};

struct MetricResult {
  std::string metric;     ///< "me"
  std::string requested;  ///< as the user wrote it: "me:k=3"
  std::string system;
  Named<double> scores;
  Named<DetailValue> details;
  Named<std::vector<double>> segments;         ///< per result, where asked for
  Named<Interval> intervals;                   ///< per result, where asked for
  ResampledResult resampled;                   ///< where asked for, with the intervals
  std::optional<ScoredStatistics> statistics;  ///< where asked for
  Named<std::string> signature;                ///< after the metric's name: k -> 1, ball -> closed
};

/// "me|k:1|samples:rows|...".
std::string signature_text(const MetricResult& result);

}  // namespace markeval::metric
