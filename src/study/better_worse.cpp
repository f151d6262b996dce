// The study of better/worse pairs: WMT19 asked whether a metric orders two translations of one source as
// people do (DARR). Intervals and tests draw source sentences, since the pairs of one source depend on each
// other.
#include <fmt/format.h>

#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "meta/judged_pairs.hpp"
#include "study/agreement.hpp"
#include "study/data_files.hpp"
#include "study/marks.hpp"
#include "study/study_run.hpp"

namespace markeval::study {
namespace {

/// The scores of some directions below each other, and the pairs among them.
struct ComparedScores {
  meta::ScoreTable table;
  meta::JudgedPairs pairs;

  ComparedScores() = default;
  ComparedScores(const JudgedComparisons& data, const std::vector<ScoredColumn>& columns) {
    add(data, columns);
  }
  void add(const JudgedComparisons& data, const std::vector<ScoredColumn>& columns) {
    const auto first = static_cast<std::uint32_t>(table.rows());
    table.gold.resize(first + data.texts.segments());  // people judged pairs, not texts
    table.predicted.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      table.predicted[i].name = columns[i].name;
      meta::Values& values = table.predicted[i].values;
      values.insert(values.end(), columns[i].values.begin(), columns[i].values.end());
    }
    for (std::size_t pair = 0; pair < data.better.size(); ++pair) {
      pairs.better.push_back(first + data.better[pair]);
      pairs.worse.push_back(first + data.worse[pair]);
      pairs.segment.push_back(data.sources[pair]);
      pairs.group.push_back(data.texts.name);
    }
  }
};

/// A row for each metric: the coefficient of every direction and of all pairs; then the ends of their
/// intervals.
void add_agreement(StudyRun& run, std::span<const JudgedComparisons> parts, const Scored& scored,
                   const RunContext& context) {
  ComparedScores all;
  for (std::size_t part = 0; part < parts.size(); ++part) all.add(parts[part], scored[part]);
  const std::vector<meta::CorrelationRow> found =
      meta::correlate_pairs(all.table, all.pairs, mark_options(run).resamples, run.request().seed, context);
  const std::size_t groups = parts.size() == 1 ? 1 : parts.size() + 1, step = parts.size() + 1;
  report::Table values = report::study_table("wmt19-pairs", "Kendall-like coefficient of better/worse pairs",
                                             {"metric", "model", "source"});
  report::Table intervals =
      report::study_table("wmt19-pairs-intervals", "95 % intervals, source sentences drawn with replacement",
                          {"metric", "model"});
  for (std::size_t column = 0; column < scored.front().size(); ++column) {
    const ScoredColumn& metric = scored.front()[column];
    auto& row = values.rows.emplace_back(std::vector<report::Cell>{metric.name, metric.model, "markeval"});
    auto& ends = intervals.rows.emplace_back(std::vector<report::Cell>{metric.name, metric.model});
    for (std::size_t group = 0; group < groups; ++group) {
      const meta::CorrelationRow& one = found[column * step + group];
      const std::string name = one.group == "mean" ? "all pairs" : one.group;
      if (column == 0) {
        values.columns.emplace_back(name);
        intervals.columns.insert(intervals.columns.end(),
                                 {report::ReportColumn(name + " low"), report::ReportColumn(name + " high")});
      }
      row.push_back(cell(one.values.front()));
      const std::optional<Interval>& interval = one.intervals.front();
      ends.push_back(interval ? report::Cell(interval->low) : report::Cell());
      ends.push_back(interval ? report::Cell(interval->high) : report::Cell());
    }
  }
  run.study().tables.push_back(std::move(values));
  run.study().tables.push_back(std::move(intervals));
}

void add_marks(StudyRun& run, std::span<const JudgedComparisons> parts, const Scored& scored,
               const RunContext& context) {
  if (scored.front().size() < 2) return;
  Marks marks(scored.front().size());
  const meta::MetricTestOptions options = mark_options(run);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const ComparedScores one(parts[part], scored[part]);
    marks.add(meta::compare_on_pairs(one.table, one.pairs, options, context), parts[part].texts.name);
  }
  run.study().tables.push_back(marks.table("wmt19-not-outperformed", "bootstrap over source sentences",
                                           {"metric", "model"}, labels_of(scored.front())));
}

}  // namespace

void run_wmt19(StudyRun& run) {
  const std::vector<Metric> metrics = chosen_metrics(
      run, {"bertscore", "bertr", "moverscore", "moverscore:n=2", "hmd", "me:samples=word,scope=segment",
            "sentbleu", "chrf", "chrf++", "ter", "character", "meteor", "rouge1", "rouge2", "rougeL"});
  std::vector<JudgedComparisons> parts;
  JudgedStudy study;
  std::size_t pairs = 0;
  for (const std::string& name : chosen_parts(run, wmt19_pairs())) {
    parts.push_back(read_wmt19_pairs(run.request().data, name));
    study.parts.push_back(parts.back().texts);
    run.add_files(parts.back().texts.files);
    pairs += parts.back().better.size();
  }
  run.study().about =
      fmt::format("Metrics and {} better/worse pairs of translations (WMT19 metrics task, DARR)", pairs);
  const Scored scored = score_parts(run, study, metrics, {}).metrics;
  ThreadPool pool(run.threads());
  add_agreement(run, parts, scored, RunContext{pool});
  add_marks(run, parts, scored, RunContext{pool});
}

}  // namespace markeval::study
