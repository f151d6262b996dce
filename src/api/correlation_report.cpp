// What a correlation found, looked up and written.
#include <fmt/format.h>

#include <algorithm>

#include "api/correlate.hpp"
#include "base/error.hpp"
#include "score/correlate.hpp"

namespace markeval {

CorrelationReport::CorrelationReport(std::shared_ptr<const score::CorrelationData> data)
    : data_(std::move(data)) {}

std::optional<double> CorrelationReport::value(std::string_view predicted, std::string_view group,
                                               std::string_view coefficient, std::string_view gold) const {
  const auto& names = data_->runs.front().coefficients;
  const auto found = std::ranges::find(names, coefficient);
  for (const report::CorrelationRun& run : data_->runs) {
    if (!gold.empty() && run.gold != gold) continue;
    for (const meta::CorrelationRow& row : run.rows) {
      if (found == names.end() || row.predicted != predicted || row.group != group) continue;
      return row.values[static_cast<std::size_t>(found - names.begin())];
    }
  }
  throw_usage(fmt::format("no {} of '{}' in group '{}' in this report", coefficient, predicted, group));
}

const std::vector<std::string>& CorrelationReport::warnings() const {
  return data_->runs.front().warnings;
}
std::vector<std::string> CorrelationReport::verdicts() const {
  std::vector<std::string> verdicts;
  for (const report::CorrelationRun& run : data_->runs) verdicts.push_back(run.verdict);
  return verdicts;
}
std::string CorrelationReport::text(const TextOptions& options) const {
  return report::to_text(data_->runs, options);
}
std::string CorrelationReport::json() const {
  return report::to_json(data_->runs);
}
std::string CorrelationReport::html(const std::vector<std::string>& command) const {
  if (!data_->page) throw_usage("no page was asked for");
  report::CorrelationPage page = *data_->page;
  page.facts.command = command;
  return report::correlation_page(page);
}
std::string CorrelationReport::tsv() const {
  return report::to_tsv(data_->runs);
}

}  // namespace markeval
