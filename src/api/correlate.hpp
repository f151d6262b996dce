// How well metrics agree with people, from a table of scores (installed as <markeval/correlate.hpp>, to be
// used with <markeval/markeval.hpp>).
//
//   const markeval::CorrelationReport report =
//       markeval::correlate({.table = "scores.tsv", .gold = {"human"}, .predicted = {"bleu", "chrf"}, .group
//       = "lp"}, {});
//   std::cout << report.text();
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_options.hpp"
#include "request/correlate_request.hpp"

namespace markeval {

struct Settings;  // in <markeval/markeval.hpp>
class Observer;
namespace score {
struct CorrelationData;
}

class CorrelationReport {
 public:
  /// Column "bleu", group "de-en" ("mean", or "all" without groups), coefficient "pearson"; absent where not
  /// defined. `gold`: of several columns of human scores (the first). Throws Error(usage) where it was not
  /// asked for.
  std::optional<double> value(std::string_view predicted, std::string_view group,
                              std::string_view coefficient, std::string_view gold = {}) const;
  /// For each column of human scores: "chrf agrees best with human (pearson 0.62). Worse: ter (...)."
  std::vector<std::string> verdicts() const;
  const std::vector<std::string>& warnings() const;

  /// `details`: every group too, not only their mean.
  std::string text(const TextOptions& options = {}) const;
  std::string json() const;
  std::string tsv() const;
  /// One self-contained page with charts, for CorrelateRequest::page. `command`: the words that remake it.
  /// Throws Error(usage) where no page was asked for.
  std::string html(const std::vector<std::string>& command = {}) const;

  explicit CorrelationReport(std::shared_ptr<const score::CorrelationData> data);

 private:
  std::shared_ptr<const score::CorrelationData> data_;  // immutable and shared by copies
};

/// Throws Error(usage) for unknown names and columns, Error(invalid_input) for cells of the wrong kind and
/// for groups with too few rows. Once `*cancel` becomes true, ends soon with Error(cancelled).
CorrelationReport correlate(const CorrelateRequest& request, const Settings& settings,
                            Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
