// Order of the metrics, and what the tests allow to say of the best one.
#include "study/own_finding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/cells.hpp"
#include "report/correlation_verdict.hpp"
#include "score/learned_pairs.hpp"
#include "study/marks.hpp"

namespace markeval::study {

std::string coefficient_name(meta::Coefficient coefficient) {
  std::string name(meta::name(coefficient));
  for (const char* person : {"pearson", "spearman", "kendall"}) {
    if (name.starts_with(person)) name.front() = static_cast<char>(name.front() - 'a' + 'A');
  }
  return name;
}

std::vector<std::size_t> best_metrics_first(const std::vector<meta::CorrelationRow>& rows) {
  std::vector<double> values;
  std::string last;
  for (const meta::CorrelationRow& row : rows) {
    if (values.empty() || row.predicted != last) values.push_back(-2);
    last = row.predicted;
    if (report::is_whole(row)) values.back() = row.values.front().value_or(-2);
  }
  return report::best_first(values, true);
}

std::string finding_of(const std::vector<meta::CorrelationRow>& rows, std::size_t best, bool turned,
                       const meta::ScoreTable& table, const std::vector<meta::MetricDifference>& tests,
                       std::size_t judged, meta::Coefficient coefficient) {
  const std::string& name = table.predicted[best].name;
  const auto row = std::ranges::find_if(
      rows, [&](const meta::CorrelationRow& one) { return one.predicted == name && report::is_whole(one); });
  if (row == rows.end() || !row->values.front()) return "";
  const std::string value = fmt::format("({} {:.3f}{})", coefficient_name(coefficient), *row->values.front(),
                                        turned ? " with its sign turned" : "");
  std::vector<std::string> alike;
  std::size_t tested = 0;
  for (const meta::MetricDifference& pair : tests) {
    if ((pair.first != best && pair.second != best) || !is_marked(pair)) continue;
    if (pair.group != meta::kMeanRow && pair.group != meta::kAllRows) continue;
    ++tested;
    if (!is_sure(pair)) alike.push_back(table.predicted[pair.first == best ? pair.second : pair.first].name);
  }
  if (judged == 1 || tested + 1 < judged)
    return fmt::format("{} is highest with people {}, untested", name, value);
  if (alike.empty()) return fmt::format("{} agrees best with people {}", name, value);
  return fmt::format("{} is highest with people {}, but the test does not separate it from {}", name, value,
                     report::few_names(alike, "other metrics"));
}

std::set<std::size_t> learned_metrics(StudyRun& run, const OwnData& data, const std::vector<Asked>& metrics) {
  std::vector<Metric> asked;
  for (const Asked& one : metrics) asked.push_back(one.metric);
  std::set<std::size_t> found;
  const auto learned = score::learned_from(asked, {data.references, data.starts}, {data.hypotheses});
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (!learned[i]) continue;
    found.insert(i);
    run.warn(score::about_learned(metrics[i].metric.text));
  }
  if (data.groups.empty() && run.request().level == "segment") {
    const std::string shared = score::about_shared_references(data.references);
    if (!shared.empty()) run.warn(shared);
  }
  return found;
}

void join_marks(std::vector<report::Table>& tables) {
  const report::Table marks = tables.back();
  if (marks.columns.size() != 2) return;
  tables.pop_back();
  report::Table& agreement = tables.back();
  agreement.title += ". " + marks.title;
  agreement.columns.insert(agreement.columns.begin() + 3, "not outperformed");
  for (std::size_t row = 0; row < marks.rows.size(); ++row)
    agreement.rows[row].insert(agreement.rows[row].begin() + 3, marks.rows[row][1]);
}

}  // namespace markeval::study
