// The study `own` on vectors: each system's .npy file is scored, by segment or as a whole.
#include <fmt/format.h>

#include "base/error.hpp"
#include "study/agreement.hpp"
#include "study/own_scores.hpp"

namespace markeval::study {
namespace {

/// The segments of one result that were judged.
void add_segments(const Result& result, const Asked& metric, const std::vector<std::optional<double>>& human,
                  const std::string& file, std::vector<std::optional<double>>& out) {
  for (const auto& [name, values] : result.segments) {
    if (name != metric.result) continue;
    if (values.size() != human.size())
      throw_invalid(fmt::format("{}: {} segments, but {} human scores", file, values.size(), human.size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (human[i]) out.emplace_back(sign_of(*metric.metric.info) * values[i]);
    }
  }
}

}  // namespace

ScoreRequest request_of(const StudyRun& run, const std::vector<Asked>& metrics) {
  ScoreRequest scoring = run.score_request();
  scoring.equal_sizes = true;
  for (const Asked& one : metrics) scoring.metrics.push_back(one.metric);
  return scoring;
}

meta::ScoreTable score_vectors(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics) {
  meta::ScoreTable table;
  const bool whole = run.request().level == "system";
  for (const Asked& one : metrics) table.predicted.push_back({one.metric.text, {}});
  for (const OwnVectors& group : data.vectors) {
    ScoreRequest scoring = request_of(run, metrics);
    scoring.segments = !whole;
    for (const std::string& file : group.references) scoring.references.push_back({"", file});
    for (const auto& [name, file] : group.systems) scoring.systems.push_back({name, file});
    const Report report = run.score(scoring);
    for (std::size_t system = 0; system < group.systems.size(); ++system) {
      const auto& [name, file] = group.systems[system];
      const auto& human = group.human[system];
      if (whole) {
        table.gold.emplace_back(mean_of_judged(human));
      } else {
        for (const auto& score : human) {
          if (score) table.gold.push_back(score);
        }
      }
      table.group.resize(table.gold.size(), group.group);
      for (std::size_t m = 0; m < metrics.size(); ++m) {
        auto& values = table.predicted[m].values;
        if (whole)
          values.emplace_back(sign_of(*metrics[m].metric.info) *
                              report.score(name, metrics[m].metric.text, metrics[m].result));
        else
          add_segments(report.results()[system * metrics.size() + m], metrics[m], human, file, values);
      }
    }
  }
  return table;
}

}  // namespace markeval::study
