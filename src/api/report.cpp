// The results of a score run, looked up by name and written in each format; also the descriptions of metrics.
#include <fmt/format.h>

#include "api/markeval.hpp"
#include "base/suggestion.hpp"
#include "request/lookup.hpp"
#include "score/report_data.hpp"
#include "text/utf8.hpp"

namespace markeval {
namespace {

std::vector<metric::MetricInfo> named_metrics(std::span<const std::string> names) {
  std::vector<metric::MetricInfo> metrics;
  for (const std::string& name : names) metrics.push_back(metric::find_metric(name));
  return metrics;
}

}  // namespace

double main_score(const Result& result) {
  return metric::main_score(result);
}

Report::Report(std::shared_ptr<const score::ScoreData> data) : data_(std::move(data)) {}

const std::vector<Result>& Report::results() const {
  return data_->report.results;
}
const std::vector<std::string>& Report::warnings() const {
  return data_->report.warnings;
}

const std::vector<FailedMetric>& Report::errors() const {
  return data_->report.errors;
}

const std::vector<Ceiling>& Report::ceilings() const {
  return data_->report.ceilings;
}

std::vector<std::pair<std::string, std::vector<Result>>> Report::groups() const {
  std::vector<std::pair<std::string, std::vector<Result>>> groups;
  for (const report::GroupScores& group : data_->report.grouped.groups)
    groups.emplace_back(group.group, group.results);
  return groups;
}

double Report::score(std::string_view system, std::string_view metric, std::string_view result) const {
  std::vector<std::string> requests;
  for (const Result& one : data_->report.results) requests.push_back(one.requested);
  request::require_computed(data_->report.errors, requests, metric);
  const Result& found = request::find_result(data_->report.results, system, metric);
  const std::string wanted(result.empty() ? metric::find_metric(found.metric).main : result);
  std::vector<std::string> names;
  for (const auto& [name, value] : found.scores) {
    if (name == wanted) return value;
    names.push_back(name);
  }
  throw_usage(fmt::format("{} has no result '{}'{}", found.requested, result, suggestion(result, names)));
}

std::string Report::text(const TextOptions& options) const {
  return report::to_text(data_->report, options);
}
std::string Report::json() const {
  return report::to_json(data_->report);
}
std::string Report::tsv() const {
  return report::to_tsv(data_->report);
}
std::string Report::explanation_json() const {
  return report::explanations_to_json(data_->set_explanations, data_->pair_explanations);
}

std::string Report::html(const std::vector<std::string>& command) const {
  if (!data_->page) throw_usage("no page was asked for");
  report::ScorePage page = *data_->page;
  page.facts.command = command;
  return report::score_page(page);
}

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const metric::MetricInfo& info : metric::registry()) names.push_back(info.name);
  return names;
}
std::string metrics_overview() {
  return report::metrics_overview(metric::registry());
}
std::vector<std::string> split_metrics(std::span<const std::string> words) {
  std::vector<std::string> metrics;
  for (const std::string& word : words) {
    for (std::string& metric : metric::split_metrics(word)) metrics.push_back(std::move(metric));
  }
  return metrics;
}
std::vector<std::string> metric_words(std::string_view metric, std::string_view text) {
  const Metric request = metric;
  if (text::valid_prefix(text) != text.size()) throw_invalid("the text is not valid UTF-8");
  const auto* make = std::get_if<metric::LexicalMetricFactory>(&request.info->factory);
  if (make == nullptr) throw_usage(fmt::format("{} counts no words", metric));
  return (*make)(request.options)->words(text);
}
std::string describe_as_text(std::span<const std::string> names) {
  return report::metrics_to_text(named_metrics(names));
}
std::string describe_as_json(std::span<const std::string> names) {
  return report::metrics_to_json(named_metrics(names));
}

}  // namespace markeval
