#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/listener.hpp"
#include "api/report_data.hpp"
#include "api/vector_inputs.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "base/suggestion.hpp"
#include "compute/device.hpp"
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

bool counts_in_balls(const metric::MetricRequest& request) {
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
  if (request.explain && std::none_of(requests.begin(), requests.end(), counts_in_balls)) {
    throw_usage(
        "nothing to explain: only metrics that count in balls (me, impar, prdc) tell which rows lie outside");
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

void keep(metric::SetScores scores, const std::string& system, const std::string& file, Report::Data& data) {
  for (metric::MetricResult& result : scores.results) {
    result.system = system;
    data.results.push_back({system, result.metric, result.requested, result.scores, result.details,
                            metric::signature_text(result)});
    data.report.results.push_back(std::move(result));
  }
  for (metric::SetExplanation& explanation : scores.explanations) {
    explanation.system = system;
    data.explanations.push_back(std::move(explanation));
    data.explained_files.push_back(file);
  }
}

}  // namespace

void Observer::progress(std::string_view, std::uint64_t, std::uint64_t) {}
void Observer::info(const std::string&) {}
void Observer::warning(const std::string&) {}

struct Evaluator::State {
  explicit State(std::size_t threads) : pool(threads), device(compute::make_cpu_device(pool)) {}
  ThreadPool pool;
  std::unique_ptr<compute::Device> device;
};

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
  const VectorInputs inputs = load_vectors(request, state_->pool);
  require_rows_as_samples(requests, inputs.reference().name());
  metric::SetSettings settings;
  settings.clamp_k = request.clamp_k;
  settings.seed = request.seed;
  settings.input_signature = {{"input", "vectors"}};
  settings.explain = request.explain;

  auto data = std::make_shared<Report::Data>();
  data->reference_files = inputs.reference_files;
  const metric::SampleSet reference{inputs.reference().name(), as_points(inputs.reference())};
  for (std::size_t i = 0; i < inputs.systems.size(); ++i) {
    context.check_cancelled();
    if (inputs.systems.size() > 1) listener.set_prefix(inputs.system_names[i] + ": ");
    const metric::SampleSet system{inputs.systems[i].name(), as_points(inputs.systems[i])};
    keep(metric::score_sets(reference, system, requests, settings, *state_->device, context),
         inputs.system_names[i], inputs.systems[i].name(), *data);
  }
  data->report.warnings = listener.take_warnings();
  return Report(std::move(data));
}

}  // namespace markeval
