#include <algorithm>
#include <chrono>
#include <optional>

#include "api/blend_run.hpp"
#include "api/drawn_units.hpp"
#include "api/evaluator_state.hpp"
#include "api/failures.hpp"
#include "api/groups.hpp"
#include "api/html_report.hpp"
#include "api/input_kind.hpp"
#include "api/listener.hpp"
#include "api/report_data.hpp"
#include "api/requested_metrics.hpp"
#include "api/segment_column.hpp"
#include "api/set_clusters.hpp"
#include "api/set_scoring.hpp"
#include "api/set_warnings.hpp"
#include "api/text_scoring.hpp"
#include "api/vector_inputs.hpp"
#include "base/cancellation.hpp"
#include "metric/score_sets.hpp"
#include "models/store.hpp"

namespace markeval {
namespace {

/// The rows of a file that ScoreRequest::sample leaves: all, or some drawn by chance, the same of files of
/// one size.
class VectorSample {
 public:
  explicit VectorSample(const ScoreRequest& request) : request_(request) {}

  metric::SampleSet of(const metric::SampleSet& set) {
    if (request_.sample == 0) return set;
    drawn_ = draw_sample(set.points.rows(), request_, set.name);
    metric::SampleSet sample = units_.copy(set, drawn_, set.name);
    for (const std::uint32_t row : drawn_) sample.lines.push_back(set.lines[row]);
    sample.file_lines = set.file_lines;
    return sample;
  }
  /// Which row of the file.
  std::size_t row(std::size_t of_sample) const { return drawn_.empty() ? of_sample : drawn_[of_sample]; }

 private:
  const ScoreRequest& request_;
  std::vector<std::uint32_t> drawn_;
  DrawnUnits units_;
};

/// A set of vectors whose row i comes from line `line(i)` of a file of `file_lines`.
template <typename Line>
metric::SampleSet rows_with_lines(const vectors::Vectors& file, std::size_t file_lines, const Line& line) {
  metric::SampleSet set{file.name(), as_points(file)};
  for (std::size_t row = 0; row < file.rows(); ++row)
    set.lines.push_back(static_cast<std::uint32_t>(line(row)));
  set.file_lines = file_lines;
  return set;
}

std::size_t most_rows(const std::vector<vectors::Vectors>& files) {
  std::size_t most = 0;
  for (const vectors::Vectors& file : files) most = std::max(most, file.rows());
  return most;
}

/// Set metrics on rows of vectors.
std::shared_ptr<Report::Data> score_vectors(const ScoreRequest& request,
                                            const std::vector<metric::MetricRequest>& metrics,
                                            Evaluator::State& state, PageBuilder& page, Listener& listener,
                                            const RunContext& context) {
  const VectorInputs inputs = load_vectors(request, context);
  page.add_inputs(inputs);
  warn_of_repetition(inputs, context);
  metric::SetSettings settings;
  settings.clamp_k = request.clamp_k;
  settings.seed = request.seed;
  settings.input_signature = {{"input", "vectors"}};
  settings.explain = request.explain || page.wanted() || wants_groups(request);
  auto data = std::make_shared<Report::Data>();
  VectorSample reference_sample(request);
  const std::size_t file_lines = inputs.references.front().rows();
  const bool equal = std::all_of(inputs.references.begin(), inputs.references.end(),
                                 [&](const auto& file) { return file.rows() == file_lines; });
  const metric::SampleSet reference = reference_sample.of(
      rows_with_lines(inputs.reference(), equal ? file_lines : 0,
                      [&](std::size_t row) { return inputs.reference_place(row).row - 1; }));
  std::vector<std::size_t> units;
  for (const vectors::Vectors& file : inputs.systems)
    units.push_back(request.sample > 0 ? request.sample : file.rows());
  SetScoring scoring(reference, metrics, settings, request, units, *state.device, listener, context);
  const auto reference_row = [&](std::size_t row) {
    return inputs.reference_place(reference_sample.row(row));
  };
  std::optional<SetClusters> clusters;
  if (request.explain || page.wanted())
    clusters.emplace(reference.points, reference_row, request.seed, state.device->products(), context);
  for (std::size_t i = 0; i < inputs.systems.size(); ++i) {
    VectorSample sample(request);
    const metric::SampleSet system = sample.of(rows_with_lines(
        inputs.systems[i], inputs.systems[i].rows(), [](std::size_t row) { return row; }));
    metric::SetScores scores = scoring.score(inputs.system_names[i], system);
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      Result& result = scores.results[m];
      result.requested = metrics[m].text;
      result.system = inputs.system_names[i];
      sign_references(inputs.references.size(), result);
      data->report.results.push_back(std::move(result));
    }
    const auto system_row = [&](std::size_t row) {
      return report::RowPlace{system.name, sample.row(row) + 1, false, "", "", 0};
    };
    if (wants_groups(request)) {
      keep_covered(
          scores.explanations, reference.points.rows(), most_rows(inputs.references),
          [&](std::size_t row) { return reference_row(row).row - 1; },
          std::span(data->report.results).last(metrics.size()));
    }
    for (metric::SetExplanation& explanation : scores.explanations) {
      explanation.system = inputs.system_names[i];
      if (!clusters) continue;  // for groups
      const auto shares = clusters->compare(system.points, explanation.missing_modes, context);
      page.add_picture(explanation, reference.points, system.points, reference_row, system_row,
                       state.device->products(), shares);
      if (!request.explain) continue;
      data->set_explanations.push_back(report::explain_sets(explanation, reference_row, system_row));
      data->set_explanations.back().clusters = shares;
    }
  }
  data->report.ceilings = scoring.finish(inputs.references.size());
  Failures failures(metrics, false);
  for (std::size_t place = 0; place < metrics.size(); ++place) {
    if (const auto& error = scoring.errors()[place]) failures.add(place, *error);
  }
  data->report.errors = failures.finish();
  std::erase_if(data->report.results, [&](const Result& result) {
    return std::any_of(data->report.errors.begin(), data->report.errors.end(),
                       [&](const FailedMetric& error) { return error.requested == result.requested; });
  });
  return data;
}

bool needs_model(const metric::MetricRequest& request) {
  return request.info->kind != metric::Kind::lexical;
}

}  // namespace

void Observer::progress(std::string_view, std::uint64_t, std::uint64_t) {}
void Observer::info(const std::string&) {}
void Observer::warning(const std::string&) {}
void Observer::early_results(const std::vector<Result>&) {}

Evaluator::Evaluator(const Settings& settings) {
  state_ = std::make_unique<State>(settings);
}

Evaluator::~Evaluator() = default;

cache::VectorCache open_cache(const EncoderOptions& options, LogSink* log) {
  return cache::VectorCache(options.cache.empty() ? models::default_cache_folder() : options.cache,
                            cache::default_cache_bytes(), log);
}

Evaluator::State::Turn::Turn(State& state, const std::atomic<bool>* cancel) : state_(state) {
  const RunContext context{state_.pool, nullptr, nullptr, cancel};
  std::unique_lock lock(state_.turn_mutex);
  const auto is_free = [&] { return !state_.turn_taken || state_.turn_shared; };
  while (!state_.turn_ended.wait_for(lock, std::chrono::milliseconds(50), is_free)) context.check_cancelled();
  state_.turn_taken = true;
}

Evaluator::State::Turn::~Turn() {
  {
    const std::lock_guard lock(state_.turn_mutex);
    state_.turn_taken = false;
  }
  state_.turn_ended.notify_one();
}

void Evaluator::State::share_turn(bool shared) {
  const std::lock_guard lock(turn_mutex);
  turn_shared = shared;
}

Report Evaluator::score(const ScoreRequest& request, Observer* observer, const std::atomic<bool>* cancel) {
  const std::vector<metric::MetricRequest> metrics = requested_metrics(request);
  if (request.references.empty()) throw_usage("no reference given");
  if (request.systems.empty()) throw_usage("no system given");
  require_inputs_once(request);
  const InputKind kind = input_kind(request, metrics);
  check_set_options(metrics, kind, request);
  Listener listener(observer);
  std::optional<CancelScope> stoppable(cancel);
  const RunContext context{state_->pool, &listener, &listener, cancel};
  std::optional<State::Turn> turn;
  if (kind != InputKind::vectors && std::any_of(metrics.begin(), metrics.end(), needs_model))
    turn.emplace(*state_, cancel);
  PageBuilder page(request);
  std::optional<Groups> groups;
  if (wants_groups(request)) groups = read_groups(request, context);
  const ScoreRequest& scored = groups ? with_parts(request) : request;
  if (groups) require_resampling_budget(metrics, scored, request.keep_statistics ? groups->names.size() : 0);
  const auto data = kind != InputKind::vectors
                        ? score_texts_and_blends(scored, metrics, *state_, page, listener, context)
                        : score_vectors(scored, metrics, *state_, page, listener, context);
  stoppable.reset();  // what is done by now becomes a report, also where the rest was stopped
  if (groups) data->report.grouped = score_groups(*groups, metrics, request, context, data->report.results);
  data->report.warnings = listener.take_warnings();
  if (!request.keep_statistics)
    drop_unwanted(metrics, data->report.results);  // a comparison needs their places
  for (report::GroupScores& group : data->report.grouped.groups) {
    if (!request.keep_statistics) drop_unwanted(metrics, group.results);
  }
  for (const report::ExplainedSets& one : data->set_explanations) {
    auto& clusters = data->report.clusters;
    if (clusters.empty() || clusters.back().first != one.system)
      clusters.emplace_back(one.system, one.clusters);
  }
  page.finish(*data);
  return Report(data);
}

}  // namespace markeval
