// A text such as "rouge2.f1:stem=yes" becomes a metric; names are found in any spelling.
#include "metric/metric.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/plain_text.hpp"
#include "base/suggestion.hpp"
#include "metric/foreign_words.hpp"
#include "metric/registry.hpp"

namespace markeval::metric {
namespace {

/// The metric of that name in any spelling; null: none.
const MetricInfo* metric_spelled(std::string_view name) {
  const MetricInfo* found = nullptr;
  for (const MetricInfo& info : registry()) {
    if (info.name == name) return &info;
    if (plain_name(info.name) == plain_name(name)) found = &info;
  }
  return found;
}

/// "prdc.precision, bertscore.precision and 7 others" for a result that is taken for a metric; else empty.
std::string metrics_with_result(std::string_view result) {
  std::vector<std::string> found;
  for (const MetricInfo& info : registry()) {
    if (std::ranges::find(info.results, result) != info.results.end())
      found.push_back(fmt::format("{}.{}", info.name, result));
  }
  constexpr std::size_t kShown = 4;
  const std::size_t others = found.size() - std::min(found.size(), kShown);
  found.resize(found.size() - others);
  return fmt::format("{}{}", fmt::join(found, ", "), others > 0 ? fmt::format(" and {} others", others) : "");
}

bool is_metric(std::string_view name) {
  return metric_spelled(name) != nullptr;
}
bool is_named(std::string_view name) {
  const MetricInfo* info = metric_spelled(name);
  return info != nullptr && info->name == name;
}

/// "ROUGE-2.f1:stem=yes" -> "rouge2.f1:stem=yes"; what is no metric stays as it is.
std::string usual_spelling(std::string_view request) {
  std::size_t start = request.find('=');
  start = start < request.find(':') ? start + 1 : 0;
  const std::size_t end = std::min(request.find_first_of(".:", start), request.size());
  const MetricInfo* info = metric_spelled(request.substr(start, end - start));
  if (info == nullptr) return std::string(request);
  return fmt::format("{}{}{}", request.substr(0, start), info->name, request.substr(end));
}

/// Whether what stands after a comma begins with a metric, and so is no option of the one before:
/// "bleu", "bertscore.f1", "words=me:samples=word".
bool starts_a_request(std::string_view piece) {
  const std::size_t equals = piece.find('=');
  if (equals != std::string_view::npos && equals < piece.find(':')) piece.remove_prefix(equals + 1);
  return is_metric(piece.substr(0, piece.find_first_of(".:")));
}

}  // namespace

const MetricInfo& find_metric(std::string_view name) {
  if (const MetricInfo* found = metric_spelled(name)) return *found;
  if (const std::string answer = answer_to_metric(name); !answer.empty())
    throw_usage(fmt::format("metric '{}' {}", name, answer));
  if (const std::string results = metrics_with_result(name); !results.empty())
    throw_usage(fmt::format("'{}' is a result of metrics: {}", name, results));
  std::vector<std::string> names;
  for (const MetricInfo& info : registry()) names.push_back(info.name);
  const auto close = closest_word(name, names);
  throw_usage(
      fmt::format("unknown metric '{}'; {}", name,
                  close ? fmt::format("did you mean '{}'?", *close) : "`markeval metrics` lists them"));
}

double main_score(const Result& result) {
  return result.scores.at(index_of(result.scores, find_metric(result.metric).main)).second;
}

std::vector<std::string> split_metrics(std::string_view text) {
  std::vector<std::string> requests;
  for (const std::string_view piece : parts_of(text, ',')) {
    const bool goes_on =
        !requests.empty() && requests.back().find(':') != std::string::npos && !starts_a_request(piece);
    if (goes_on) {
      requests.back() += fmt::format(",{}", piece);
    } else {
      requests.push_back(usual_spelling(piece));
    }
  }
  return requests;
}

}  // namespace markeval::metric

namespace markeval {

Metric::Metric(std::string_view asked, std::string_view name, const metric::MetricInfo& entry,
               std::string_view given, std::string one)
    : typed(asked),
      text(name.empty() ? asked : name),
      info(&entry),
      options(entry.name, entry.options, given),
      result(std::move(one)) {}

Metric Metric::parse(std::string_view asked) {
  std::string_view left = asked;
  const std::size_t equals = asked.find('=');
  if (equals < asked.find(':')) left.remove_prefix(equals + 1);
  const std::string_view name = asked.substr(0, left.size() == asked.size() ? 0 : equals);
  if (left.size() < asked.size() && (name.empty() || metric::is_named(name))) {
    throw_usage(fmt::format("metric '{}', expected a name of your own before the '='{}", asked,
                            name.empty() ? "" : fmt::format(", '{}' is a metric's", name)));
  }
  const std::size_t colon = left.find(':');
  const std::string_view head = left.substr(0, colon);
  const std::string_view of = head.substr(0, head.find('.'));
  const metric::MetricInfo& entry = metric::find_metric(of);
  std::string one(head.substr(std::min(head.size(), of.size() + 1)));
  if (of.size() < head.size() && std::ranges::find(entry.results, one) == entry.results.end())
    throw_usage(fmt::format("{} has no result '{}'{}", entry.name, one, suggestion(one, entry.results)));
  const std::string_view given =
      colon == std::string_view::npos ? std::string_view() : left.substr(colon + 1);
  return {asked, name, entry, given, std::move(one)};
}

std::size_t Metric::result_count() const {
  return result.empty() ? info->results.size() : 1;
}
const std::string& Metric::main_result() const {
  return result.empty() ? info->main : result;
}
bool Metric::scores_segments() const {
  return info->kind != metric::Kind::set || options.text("scope") == "segment";
}
bool Metric::needs_vectors() const {
  return info->kind != metric::Kind::lexical;
}
bool Metric::lower_is_better() const {
  return info->better == metric::Better::lower;
}

}  // namespace markeval
