// Which of several systems is better, and is that more than chance? (installed as <markeval/compare.hpp>, to
// be used with <markeval/markeval.hpp>)
//
//   markeval::Evaluator evaluator;
//   const markeval::ComparisonReport report = evaluator.compare(
//       {.references = {{.source = "refs.txt"}}, .systems = {{.source = "baseline.txt"}, {.source =
//       "mine.txt"}},
//        .metrics = {"bleu"}}, {});
//   std::cout << report.text();
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/text_options.hpp"
#include "request/compare_options.hpp"

namespace markeval {

namespace score {
struct ComparisonData;
}

class ComparisonReport {
 public:
  /// p-value of a system against the baseline. Absent for the baseline and where the test has none. Metric
  /// "me:k=3" as asked for, or a bare name where exactly one variant of it was; result "petersen". Throws
  /// Error(usage) that names what is there; so does rank.
  std::optional<double> p_value(std::string_view system, std::string_view metric,
                                std::string_view result) const;
  std::size_t rank(std::string_view system, std::string_view metric, std::string_view result) const;
  const std::vector<std::string>& warnings() const;
  const std::vector<FailedMetric>& errors()
      const;  ///< metrics that could not be computed, while others could

  std::string text(const TextOptions& options = {}) const;
  std::string json() const;
  std::string tsv() const;
  /// One self-contained page with charts, for ScoreRequest::page. `command`: the words that remake it. Throws
  /// Error(usage) where no page was asked for.
  std::string html(const std::vector<std::string>& command = {}) const;

  explicit ComparisonReport(std::shared_ptr<const score::ComparisonData> data);

 private:
  std::shared_ptr<const score::ComparisonData> data_;  // immutable and shared by copies
};

}  // namespace markeval
