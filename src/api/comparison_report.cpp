// What a comparison found, looked up and written.
#include <fmt/format.h>

#include <algorithm>

#include "api/compare.hpp"
#include "base/suggestion.hpp"
#include "report/html_comparison.hpp"
#include "request/lookup.hpp"
#include "score/compare.hpp"

namespace markeval {
namespace {

const report::ComparedResult& find(const report::ComparisonRun& run, std::string_view metric,
                                   std::string_view result) {
  std::vector<std::string> requests, results;
  for (const report::ComparedResult& one : run.results) requests.push_back(one.requested);
  request::require_computed(run.errors, requests, metric);
  const std::string asked = request::find_request(requests, metric);
  for (const report::ComparedResult& one : run.results) {
    if (one.requested != asked) continue;
    if (one.result == result) return one;
    results.push_back(one.result);
  }
  throw_usage(fmt::format("{} has no result '{}'{}", asked, result, suggestion(result, results)));
}

std::size_t row_of(const report::ComparedResult& result, std::string_view system) {
  const auto found =
      std::ranges::find_if(result.systems, [&](const auto& one) { return one.system == system; });
  if (found == result.systems.end()) {
    std::vector<std::string> known;
    for (const report::ComparedSystem& one : result.systems) known.push_back(one.system);
    throw_usage(missing_name("system", system, known));
  }
  return static_cast<std::size_t>(found - result.systems.begin());
}

}  // namespace

ComparisonReport::ComparisonReport(std::shared_ptr<const score::ComparisonData> data)
    : data_(std::move(data)) {}

std::optional<double> ComparisonReport::p_value(std::string_view system, std::string_view metric,
                                                std::string_view result) const {
  const report::ComparedResult& found = find(data_->run, metric, result);
  const std::size_t second = row_of(found, system);
  return second == 0 ? std::nullopt : found.pairs[second - 1].p_value;
}
std::size_t ComparisonReport::rank(std::string_view system, std::string_view metric,
                                   std::string_view result) const {
  const report::ComparedResult& found = find(data_->run, metric, result);
  return found.systems[row_of(found, system)].rank;
}
const std::vector<std::string>& ComparisonReport::warnings() const {
  return data_->run.warnings;
}
const std::vector<FailedMetric>& ComparisonReport::errors() const {
  return data_->run.errors;
}
std::string ComparisonReport::text(const TextOptions& options) const {
  return report::to_text(data_->run, options);
}
std::string ComparisonReport::json() const {
  return report::to_json(data_->run);
}
std::string ComparisonReport::tsv() const {
  return report::to_tsv(data_->run);
}
std::string ComparisonReport::html(const std::vector<std::string>& command) const {
  if (!data_->page) throw_usage("no page was asked for");
  report::ComparisonPage page{*data_->page, data_->run};
  page.score.facts.command = command;
  return report::comparison_page(page);
}

}  // namespace markeval
