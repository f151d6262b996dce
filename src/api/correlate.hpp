// How well metrics agree with people, from a table of scores (installed as <markeval/correlate.hpp>, to be
// used with <markeval/markeval.hpp>).
//
//   const markeval::CorrelationReport report =
//       markeval::correlate({.table = "scores.tsv", .gold = {"human"}, .predicted = {"bleu", "chrf"}, .group
//       = "lp"}, {});
//   std::cout << report.text();
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/encoder_options.hpp"
#include "base/text_options.hpp"

namespace markeval {

struct Settings;  // of <markeval/markeval.hpp>
class Observer;

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
  std::vector<std::string> metrics{};    ///< and the metrics to score them with
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
  /// Of `predicted`, where lower scores are better: the test turns their sign. Metrics that are computed are
  /// turned by what the registry says of them.
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
  // Of the metrics that need a model, as in ScoreRequest:
  EncoderOptions encoder{};
  std::vector<std::vector<std::string_view>> gathered{};  ///< as ScoreRequest::gathered, of the metrics
};

class CorrelationReport {
 public:
  /// Column "bleu", group "de-en" ("mean", or "all" without groups), coefficient "pearson"; absent where not
  /// defined. `gold`: of several columns of human scores (the first). Throws Error(usage) where it was not
  /// asked for.
  std::optional<double> value(std::string_view predicted, std::string_view group,
                              std::string_view coefficient, std::string_view gold = {}) const;
  /// A sentence for each column of human scores: "chrf agrees best with human (pearson 0.62); ...".
  std::vector<std::string> verdicts() const;
  const std::vector<std::string>& warnings() const;

  /// `details`: every group too, not only their mean.
  std::string text(const TextOptions& options = {}) const;
  std::string json() const;
  std::string tsv() const;
  /// One self-contained page with charts, for CorrelateRequest::page. `command`: the words that remake it.
  /// Throws Error(usage) where no page was asked for.
  std::string html(const std::vector<std::string>& command = {}) const;

  struct State;
  explicit CorrelationReport(std::shared_ptr<const State> data);

 private:
  std::shared_ptr<const State> state_;  // immutable and shared by copies
};

/// Throws Error(usage) for unknown names and columns, Error(invalid_input) for cells of the wrong kind and
/// for groups with too few rows. Once `*cancel` becomes true, ends soon with Error(cancelled).
CorrelationReport correlate(const CorrelateRequest& request, const Settings& settings,
                            Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
