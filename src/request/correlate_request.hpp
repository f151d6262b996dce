// How well metrics agree with people: the table, its columns, the coefficients. Installed as a part of
// <markeval/correlate.hpp>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoder_options.hpp"
#include "metric/metric.hpp"

namespace markeval {

/// A column of a table in memory: numbers (absent where a value is missing), or texts and labels.
struct TableColumn {
  std::string name{};
  std::vector<std::optional<double>> numbers{};
  std::vector<std::string> texts{};
  std::vector<std::size_t> starts{};  ///< as Texts::starts: several references in a row
};

struct CorrelateRequest {
  std::string table{};                   ///< .tsv, .csv or .jsonl, each also .gz; "-": standard input
  std::vector<TableColumn> columns{};    ///< or the table itself; `table` is then what messages call it
  std::vector<std::string> gold{};       ///< columns of human scores; each is a judgement of its own
  std::vector<std::string> predicted{};  ///< columns of metric scores
  std::string reference{};               ///< or: column of references,
  std::string hypothesis{};              ///< column of texts to score,
  std::vector<Metric> metrics{};         ///< and the metrics to score them with
  bool all_results = false;              ///< precision and recall too, not only the main result of a metric
  /// Instead of `gold`: better/worse pairs people judged, for kendall-like alone (WMT's DARR).
  /// A table with the columns segment, better and worse (systems), and `group` where there is one; rows of
  /// `table` are found by `system` and `segment`.
  std::string pairs{};
  /// Or every row of `table` is a pair: columns of its two texts, to be scored with `metrics`.
  std::string better{}, worse{};
  std::string group{};            ///< column: one coefficient per group and their mean
  std::string system{};           ///< column: whose output a row is; for level "system" and soft-accuracy
  std::string segment{};          ///< column: which segment a row is; for soft-accuracy and pairs
  std::string level = "segment";  ///< "system": scores averaged per system first
  /// "pearson", "spearman", "kendall", "kendall-c", "kendall-like", "accuracy", "soft-accuracy"
  std::vector<std::string> coefficients{"pearson", "spearman", "kendall"};
  /// "williams", "bootstrap", "perm-both": of the first coefficient, all pairs of columns. "none". Empty:
  /// perm-both where the first coefficient is pearson, which is cheap, and there are two columns or more.
  std::string test{};
  /// Columns of `predicted` where lower scores are better: the test turns their sign. For computed metrics
  /// the registry decides.
  std::vector<std::string> lower_is_better{};
  std::string correction = "holm";  ///< "none", "holm", "bh"
  std::size_t resamples = 10'000;
  /// 95 % intervals of all coefficients from so many bootstrap resamples; 0: none. Absent: of the first
  /// coefficient alone, from 1,000.
  std::optional<std::uint64_t> intervals{};
  std::uint64_t seed = 12345;
  double gold_threshold = 25;             ///< kendall-like: closer pairs are not judged
  std::optional<double> tie_threshold{};  ///< accuracy: calibrated where absent
  std::optional<std::size_t>
      min_rows{};                ///< leave smaller groups out instead of refusing those of fewer than 2 rows
  bool page = false;             ///< also keep what CorrelationReport::html() shows
  bool replace_invalid = false;  ///< U+FFFD for invalid UTF-8 instead of an error
  // Model for the metrics that need one, as in ScoreRequest:
  EncoderOptions encoder{};
  std::vector<std::vector<std::string_view>> gathered{};  ///< as ScoreRequest::gathered, of the metrics
};

}  // namespace markeval
