#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/evaluator_state.hpp"
#include "api/html_report.hpp"
#include "api/listener.hpp"
#include "api/report_data.hpp"
#include "api/text_inputs.hpp"
#include "api/vector_inputs.hpp"
#include "base/suggestion.hpp"
#include "metric/registry.hpp"

namespace markeval {
namespace {

void apply_compat(const std::string& compat, std::vector<metric::MetricRequest>& requests) {
  if (compat.empty() || compat == "none") return;
  const std::array known{std::string("none"), std::string("prdc")};
  if (compat != "prdc") throw_usage(fmt::format("unknown compat '{}'{}", compat, suggestion(compat, known)));
  bool used = false;
  for (metric::MetricRequest& request : requests) {
    if (request.info->name != "prdc") continue;
    if (request.options.given("ball") && request.options.text("ball") != "open") {
      throw_usage(fmt::format("{} contradicts compat prdc, which means ball=open", request.text));
    }
    request.options.set_default("ball", "open");
    used = true;
  }
  if (!used) throw_usage("compat prdc changes nothing: metric prdc is not asked for");
}

bool can_explain(const metric::MetricRequest& request) {
  if (request.info->kind == metric::Kind::pair) return true;
  const auto* make = std::get_if<metric::SetMetricFactory>(&request.info->factory);
  return make != nullptr && (*make)(request.options)->balls().has_value();
}

std::vector<metric::MetricRequest> understand(const ScoreRequest& request) {
  if (request.metrics.empty()) throw_usage("no metric given");
  std::vector<metric::MetricRequest> requests;
  for (const std::string& text : request.metrics) {
    if (std::count(request.metrics.begin(), request.metrics.end(), text) > 1) {
      throw_usage(fmt::format("metric '{}' is asked for twice", text));
    }
    requests.push_back(metric::parse_metric_request(text));
  }
  apply_compat(request.compat, requests);
  if (request.explain && std::none_of(requests.begin(), requests.end(), can_explain)) {
    throw_usage(
        "nothing to explain: only metrics that count in balls (me, impar, prdc) tell which rows lie outside, "
        "and only "
        "metrics on token vectors which tokens met");
  }
  return requests;
}

// Rows of vectors are the samples already, and do not tell which segment they belong to.
void require_rows_as_samples(const std::vector<metric::MetricRequest>& requests, const std::string& file) {
  for (const metric::MetricRequest& request : requests) {
    if (request.options.text("samples") != "sentence") {
      throw_usage(fmt::format("{}: samples={} needs texts, but {} holds vectors, whose rows are the samples",
                              request.info->name, request.options.text("samples"), file));
    }
    if (request.options.text("scope") != "corpus") {
      throw_usage(
          fmt::format("{}: scope=segment needs texts, but {} holds vectors", request.info->name, file));
    }
  }
}

void keep(metric::MetricResult result, Report::Data& data) {
  Result kept{result.system,
              result.metric,
              result.requested,
              result.scores,
              result.details,
              result.segments,
              {},
              metric::signature_text(result)};
  for (const auto& [name, interval] : result.intervals)
    kept.intervals.push_back({name, {interval.low, interval.high}});
  data.results.push_back(std::move(kept));
  data.report.results.push_back(std::move(result));
}

void keep(metric::SetScores scores, const std::string& system, const std::string& file, Report::Data& data) {
  for (metric::MetricResult& result : scores.results) {
    result.system = system;
    keep(std::move(result), data);
  }
  for (metric::SetExplanation& explanation : scores.explanations) {
    explanation.system = system;
    data.explanations.push_back(std::move(explanation));
    data.explained_files.push_back(file);
  }
}

/// All metrics of one run take the same kind of input.
bool takes_texts(const std::vector<metric::MetricRequest>& requests) {
  const auto texts = [](const metric::MetricRequest& request) {
    return request.info->kind != metric::Kind::set;
  };
  const auto found = std::find_if(requests.begin(), requests.end(), texts);
  if (found == requests.end()) return false;
  const auto other = std::find_if_not(requests.begin(), requests.end(), texts);
  if (other != requests.end()) {
    throw_usage(
        fmt::format("{} needs texts and {} vectors: score them in two runs", found->text, other->text));
  }
  return true;
}

/// Lexical metrics and metrics on token vectors. Results by system, then by metric.
std::shared_ptr<Report::Data> score_texts(const ScoreRequest& request,
                                          const std::vector<metric::MetricRequest>& requests,
                                          TokenSources& sources, PageBuilder& page,
                                          const RunContext& context) {
  std::vector<std::unique_ptr<metric::LexicalMetric>>
      metrics;  // made first: options are wrong before files are
  std::vector<metric::MetricRequest> pair_requests;
  for (const metric::MetricRequest& one : requests) {
    const auto* make = std::get_if<metric::LexicalMetricFactory>(&one.info->factory);
    metrics.push_back(make == nullptr ? nullptr : (*make)(one.options));
    if (make == nullptr) pair_requests.push_back(one);
  }
  if (!pair_requests.empty() && request.resamples > 0) {
    throw_usage(fmt::format("intervals are not available for {}", pair_requests.front().info->name));
  }
  const TextInputs inputs = load_texts(request, context);
  page.add_inputs(inputs);
  const metric::LexicalSettings settings{request.segments || page.wanted(), request.resamples, request.seed};
  auto data = std::make_shared<Report::Data>();
  std::vector<std::vector<metric::MetricResult>> results(requests.size());  // by metric, then by system
  if (!pair_requests.empty()) {
    std::vector<report::PairExamples> examples;
    std::vector<metric::MetricResult> found = score_pair_texts(
        request, inputs, pair_requests, sources, context,
        request.explain ? &data->pair_explanations.emplace() : nullptr, page.wanted() ? &examples : nullptr);
    page.set_examples(std::move(examples));
    auto next = found.begin();
    for (std::size_t s = 0; s < inputs.system_names.size(); ++s) {
      for (std::size_t m = 0; m < requests.size(); ++m) {
        if (metrics[m] == nullptr) results[m].push_back(std::move(*next++));
      }
    }
  }
  for (std::size_t m = 0; m < requests.size(); ++m) {
    context.check_cancelled();
    if (metrics[m] == nullptr) continue;
    results[m] =
        metric::score_texts(*metrics[m], requests[m].info->results, inputs.corpus, settings, context);
  }
  for (std::size_t s = 0; s < inputs.system_names.size(); ++s) {
    for (std::size_t m = 0; m < requests.size(); ++m) {
      metric::MetricResult& result = results[m][s];
      result.system = inputs.system_names[s];
      result.metric = requests[m].info->name;
      result.requested = requests[m].text;
      keep(std::move(result), *data);
    }
  }
  return data;
}

}  // namespace

void Observer::progress(std::string_view, std::uint64_t, std::uint64_t) {}
void Observer::info(const std::string&) {}
void Observer::warning(const std::string&) {}

Evaluator::Evaluator(const Settings& settings) {
  if (settings.device == "cuda") {
    throw Error(ErrorCode::io, "this build computes on the CPU only, device cuda is not available");
  }
  const std::array known{std::string("cpu"), std::string("cuda")};
  if (settings.device != "cpu") {
    throw_usage(fmt::format("unknown device '{}'{}", settings.device, suggestion(settings.device, known)));
  }
  state_ = std::make_unique<State>(settings.threads);
}

Evaluator::~Evaluator() = default;

Report Evaluator::score(const ScoreRequest& request, Observer* observer, const std::atomic<bool>* cancel) {
  const std::vector<metric::MetricRequest> requests = understand(request);
  Listener listener(observer);
  const RunContext context{state_->pool, &listener, &listener, cancel};
  PageBuilder page(request);
  if (takes_texts(requests)) {
    auto texts = score_texts(request, requests, state_->sources, page, context);
    texts->report.warnings = listener.take_warnings();
    page.finish(*texts);
    return Report(std::move(texts));
  }
  if (request.resamples > 0) {
    throw_usage(
        "intervals are not available for set metrics: rows drawn twice are duplicates, which change the "
        "balls");
  }
  if (request.segments)
    throw_usage("segment scores need texts: vectors do not tell which segment a row belongs to");
  const VectorInputs inputs = load_vectors(request, state_->pool);
  require_rows_as_samples(requests, inputs.reference().name());
  metric::SetSettings settings;
  settings.clamp_k = request.clamp_k;
  settings.seed = request.seed;
  settings.input_signature = {{"input", "vectors"}};
  settings.explain = request.explain || page.wanted();

  auto data = std::make_shared<Report::Data>();
  data->reference_files = inputs.reference_files;
  page.add_inputs(inputs);
  const metric::SampleSet reference{inputs.reference().name(), as_points(inputs.reference())};
  for (std::size_t i = 0; i < inputs.systems.size(); ++i) {
    context.check_cancelled();
    if (inputs.systems.size() > 1) listener.set_prefix(inputs.system_names[i] + ": ");
    const metric::SampleSet system{inputs.systems[i].name(), as_points(inputs.systems[i])};
    const std::size_t explained = data->explanations.size();
    keep(metric::score_sets(reference, system, requests, settings, *state_->device, context),
         inputs.system_names[i], inputs.systems[i].name(), *data);
    if (data->explanations.size() > explained)
      page.add_picture(data->explanations[explained], inputs, i, state_->pool);
  }
  data->report.warnings = listener.take_warnings();
  page.finish(*data);
  return Report(std::move(data));
}

}  // namespace markeval
