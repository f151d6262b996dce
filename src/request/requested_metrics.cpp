// Parsing of all metrics, the checks of their options against the kind of input, and the removal of results
// not asked for.
#include "request/requested_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/suggestion.hpp"
#include "meta/resampling_budget.hpp"

namespace markeval::request {
namespace {

using metric::Kind;

void apply_compat(const std::string& compat, std::vector<Metric>& requests) {
  if (compat.empty() || compat == "none") return;
  std::vector<std::string> known{"none"}, changed;  // the metrics this one changes
  for (const metric::MetricInfo& info : metric::registry()) {
    for (const metric::CompatOption& one : info.compats) {
      known.push_back(one.compat);
      if (one.compat == compat) changed.push_back(info.name);
    }
  }
  if (changed.empty()) throw_usage(fmt::format("unknown compat '{}'{}", compat, suggestion(compat, known)));
  bool used = false;
  for (Metric& request : requests) {
    for (const auto& [name, option, value] : request.info->compats) {
      if (name != compat) continue;
      if (request.options.given(option) && request.options.shown(option) != value)
        throw_usage(
            fmt::format("{} contradicts compat {}, which means {}={}", request.text, compat, option, value));
      request.options.set_default(option, value);
      used = true;
    }
  }
  if (!used)
    throw_usage(
        fmt::format("compat {} changes nothing: metric {} is not asked for", compat, changed.front()));
}

bool can_explain(const Metric& request) {
  if (request.info->kind == Kind::pair || request.info->is(metric::Learned::match)) return true;
  const auto* make = std::get_if<metric::SetMetricFactory>(&request.info->factory);
  return make != nullptr && !request.scores_segments() && (*make)(request.options)->balls().has_value();
}

/// Rows of vectors are the samples already, and do not tell which segment they belong to.
void require_options_of_vectors(const Metric& request, const std::string& file) {
  const std::string& name = request.info->name;
  if (request.scores_segments())
    throw_usage(fmt::format("{}: scope=segment needs texts, but {} holds vectors", name, file));
  if (request.options.given("layers"))
    throw_usage(fmt::format("{}: layers={} needs texts, but {} holds vectors", name,
                            request.options.text("layers"), file));
  if (request.options.given("unit"))
    throw_usage(fmt::format("{}: unit={} needs texts, but {} holds vectors", name,
                            request.options.text("unit"), file));
}

void require_options_of_texts(const Metric& request) {
  if (request.scores_segments() && request.options.text("samples") == "sentence") {
    throw_usage(fmt::format(
        "{}: a segment is one sentence, too few for a set; expected {}:samples=word,scope=segment",
        request.info->name, request.info->name));
  }
}

std::string first_input(const ScoreRequest& request) {
  for (const auto* list : {&request.references, &request.systems}) {
    for (const Input& input : *list) {
      if (const auto* path = std::get_if<std::string>(&input.source)) return *path;
    }
  }
  return "the input";
}

template <typename Value>
void keep_wanted(const Metric& metric, Named<Value>& values) {
  std::erase_if(values, [&](const auto& one) { return !metric.wants(one.first); });
}

}  // namespace

void drop_unwanted(const std::vector<Metric>& metrics, std::vector<Result>& results) {
  for (Result& result : results) {
    const auto metric = std::ranges::find(metrics, result.requested, &Metric::text);
    if (!result.scores.empty() && result.scores.front().first == "covered") continue;  // made for a group
    keep_wanted(*metric, result.scores);
    keep_wanted(*metric, result.segments);
    keep_wanted(*metric, result.intervals);
    keep_wanted(*metric, result.resampled);
  }
}

void require_resampling_budget(const std::vector<Metric>& metrics, const ScoreRequest& request,
                               std::size_t groups) {
  std::size_t resampled = 0, split = 0;  // scores of one resample, of one split
  for (const Metric& metric : metrics)
    (metric.scores_segments() ? resampled : split) += metric.info->results.size();
  const bool kept = request.keep_statistics;  // else one score after the other
  constexpr std::string_view kAdvice = "fewer resamples (--ci 1000, --resamples 1000) need less";
  meta::require_resampled(request.resamples,
                          request.systems.size() * (kept            ? resampled * (groups + 1)
                                                    : resampled > 0 ? 1
                                                                    : 0),
                          kAdvice);
  meta::require_resampled(request.splits > 0 ? request.splits : request.resamples,
                          request.systems.size() * split, kAdvice);
}

void require_few_metrics(std::size_t metrics) {
  if (metrics > limit_of(Limit::metrics))
    throw_beyond(Limit::metrics, fmt::format("{} metrics", metrics), "ask for them in several requests");
}

std::vector<Metric> requested_metrics(const ScoreRequest& request) {
  require_few_metrics(request.metrics.size());
  if (request.metrics.empty()) throw_usage("no metric given");
  if (request.resamples == 1) throw_usage("resamples 1, expected at least 2: one has no spread");
  std::vector<Metric> requests;
  for (const Metric& asked : request.metrics) {
    const bool known =
        std::ranges::any_of(requests, [&](const Metric& one) { return one.text == asked.text; });
    if (known) throw_usage(fmt::format("metric '{}' is asked for twice", asked.text));
    requests.push_back(asked);
  }
  apply_compat(request.compat, requests);
  require_resampling_budget(requests, request, 0);
  if (request.explain && std::ranges::none_of(requests, can_explain)) {
    throw_usage(
        "nothing to explain: me, impar and prdc over a corpus show the rows outside of it, and metrics on "
        "token vectors (match, bertscore, moverscore, ...) show which tokens were matched");
  }
  return requests;
}

void check_set_options(const std::vector<Metric>& metrics, InputKind kind, const ScoreRequest& request) {
  for (const Metric& one : metrics) {
    if (one.info->kind != Kind::set) continue;
    if (kind == InputKind::vectors) {
      require_options_of_vectors(one, first_input(request));
    } else {
      require_options_of_texts(one);
    }
    if (one.options.given("n") && one.scores_segments()) {
      throw_usage(fmt::format("{}: n={} is for scope=corpus; a segment has all of its rows", one.info->name,
                              one.options.count("n")));
    }
    if (one.options.given("multi") && !one.scores_segments()) {
      throw_usage(
          fmt::format("{}: multi={} is for scope=segment; over a corpus several references are one set",
                      one.info->name, one.options.text("multi")));
    }
  }
  if (!request.segments || std::ranges::any_of(metrics, &Metric::scores_segments)) return;
  if (kind == InputKind::vectors)
    throw_usage("segment scores need texts: rows of vectors are not assigned to segments");
  const std::string& name = metrics.front().info->name;
  throw_usage(fmt::format("{} scores a set as a whole; {}:samples=word,scope=segment scores every segment",
                          name, name));
}

}  // namespace markeval::request
