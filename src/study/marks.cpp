// A metric is marked unless a test at the 5 % level finds another one better.
#include "study/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/lookup.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"

namespace markeval::study {
namespace {

constexpr double kSure = 0.05;
constexpr std::size_t kResamples = 1000;
/// With fewer rows a test has two degrees of freedom at most and finds next to nothing: everyone would be
/// marked.
constexpr std::size_t kFewestRows = 6;

}  // namespace

meta::MetricTestOptions mark_options(const StudyRun& run) {
  meta::MetricTestOptions options;
  options.resamples = kResamples;
  options.seed = run.request().seed;
  return options;
}

bool is_marked(const meta::MetricDifference& pair) {
  return pair.p_greater && pair.n >= kFewestRows;
}

bool is_sure(const meta::MetricDifference& pair) {
  return pair.p_adjusted.value_or(1) <= kSure;
}

void Marks::add(std::span<const meta::MetricDifference> differences, const std::string& name) {
  for (const meta::MetricDifference& pair : differences) {
    const std::string& group = name.empty() ? pair.group : name;
    add_once(groups_, group);
    if (pair.n < kFewestRows) few_.insert(group);
    if (!is_marked(pair)) continue;
    tested_.insert({group, pair.first});
    tested_.insert({group, pair.second});
    if (rule_ == MarkRule::adjusted) {
      if (is_sure(pair)) beaten_.insert({group, pair.difference.value_or(0) > 0 ? pair.second : pair.first});
      continue;
    }
    if (*pair.p_greater <= kSure) beaten_.insert({group, pair.second});
    if (*pair.p_greater >= 1 - kSure) beaten_.insert({group, pair.first});
  }
}

void Marks::add(StudyRun& run, const meta::ScoreTable& table, meta::Coefficient coefficient,
                meta::MetricTest test, const std::string& name) {
  ThreadPool pool(run.threads());
  add(meta::compare_metrics(table, coefficient, test, mark_options(run), RunContext{pool}), name);
}

report::Table Marks::table(std::string name, const std::string& test,
                           std::vector<report::ReportColumn> label_columns,
                           std::span<const std::vector<std::string>> labels) const {
  assert(labels.size() == columns_);
  report::Table marks = report::study_table(
      std::move(name),
      fmt::format("Not outperformed by any other ({}, {}; no mark below {} rows)", test,
                  rule_ == MarkRule::adjusted
                      ? fmt::format("two-sided p at most {}, adjusted by holm as in correlate", kSure)
                      : fmt::format("one-sided p at most {}", kSure),
                  kFewestRows),
      std::move(label_columns));
  marks.columns.insert(marks.columns.end(), groups_.begin(), groups_.end());
  for (std::size_t metric = 0; metric < columns_; ++metric) {
    auto& row = marks.rows.emplace_back(labels[metric].begin(), labels[metric].end());
    for (const std::string& group : groups_) {
      const bool tested = tested_.contains({group, metric});
      const report::Cell untested = few_.contains(group) ? report::Cell("too few") : report::Cell();
      row.push_back(tested ? report::Cell(beaten_.contains({group, metric}) ? "-" : "yes") : untested);
    }
  }
  return marks;
}

}  // namespace markeval::study
