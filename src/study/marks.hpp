// Which metrics no other outperforms: what WMT and Mathur et al. print in bold. Used by all studies that hold
// metrics against people.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "meta/metric_significance.hpp"
#include "report/study.hpp"
#include "study/study_run.hpp"

namespace markeval::study {

/// How many resamples a study draws, and from which seed.
meta::MetricTestOptions mark_options(const StudyRun& run);

/// Were enough rows compared for the test to say something?
bool is_marked(const meta::MetricDifference& pair);
/// Does the test, two-sided and adjusted, find one of the two better?
bool is_sure(const meta::MetricDifference& pair);

/// What counts as outperformed.
enum class MarkRule {
  published,  ///< one-sided p at most 0.05, uncorrected, as WMT marks its tables
  adjusted,   ///< two-sided p at most 0.05, adjusted by Holm for the number of pairs, as `correlate` has it
};

class Marks {
 public:
  /// `columns`: how many metrics there are.
  explicit Marks(std::size_t columns, MarkRule rule = MarkRule::published) : columns_(columns), rule_(rule) {}

  /// The outcome of tests between all pairs of metrics, under their own groups or, where given, under `name`.
  void add(std::span<const meta::MetricDifference> differences, const std::string& name = {});
  /// Runs the tests first: all pairs of the table's columns.
  void add(StudyRun& run, const meta::ScoreTable& table, meta::Coefficient coefficient, meta::MetricTest test,
           const std::string& name = {});

  /// A row for each metric, its `labels` first, then a column for each group: "yes", or "-" where another one
  /// is better by the rule; "too few" where there are fewer than six rows; nothing where no test could be
  /// made.
  report::Table table(std::string name, const std::string& test,
                      std::vector<report::ReportColumn> label_columns,
                      std::span<const std::vector<std::string>> labels) const;

 private:
  std::size_t columns_;
  MarkRule rule_;
  std::vector<std::string> groups_;
  std::set<std::string> few_;                                      ///< groups of fewer than six rows
  std::set<std::pair<std::string, std::size_t>> tested_, beaten_;  ///< group and metric
};

}  // namespace markeval::study
