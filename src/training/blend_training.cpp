// Training of `blend`: the metrics score all pairs, and the penalty with the best validation Pearson is kept.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "request/lookup.hpp"
#include "score/engine.hpp"
#include "trained/blend.hpp"
#include "trained/trainer.hpp"
#include "training/training_run.hpp"

namespace markeval::training {
namespace {

using trained::ScoredPair;

constexpr std::array kPenalties{1e-4, 1e-3, 1e-2, 1e-1, 1.0};  // the middle one where nobody can choose
constexpr std::size_t kFewestPairs = 10;                       // for each metric

/// The metrics, each with the one result that counts.
std::vector<trained::BlendPart> parts_of(const TrainRequest& request) {
  std::vector<trained::BlendPart> parts;
  for (const Metric& metric : request.metrics) {
    if (metric.info->is(metric::Learned::blend))
      throw_usage(fmt::format("{} cannot be a part of a blend: it is one itself", metric.typed));
    if (!metric.scores_segments())
      throw_usage(
          fmt::format("{} cannot be a part of a blend: it has no score for every segment", metric.typed));
    parts.push_back({metric, metric.main_result(), {}, 0, 1, 0});
  }
  return parts;
}

/// values[i][j]: what part i says of pair j. Signatures of the parts are set.
std::vector<std::vector<double>> scores_of(const TrainRequest& request, const trained::TrainingData& data,
                                           const std::vector<ScoredPair>& pairs, const score::Caller& caller,
                                           std::vector<trained::BlendPart>& parts) {
  std::vector<std::string> references, texts;
  for (const ScoredPair& pair : pairs) {
    references.push_back(data.texts[pair.reference]);
    texts.push_back(data.texts[pair.text]);
  }
  ScoreRequest scoring;
  scoring.references = {{request.reference, Texts{references, {}}}};
  scoring.systems = {{request.hypothesis, Texts{texts, {}}}};
  scoring.metrics = request.metrics;
  scoring.encoder = request.encoder;
  scoring.segments = true;
  scoring.seed = request.seed;
  const auto scored = score::score_request(scoring, caller);
  request::require_all_computed(scored->report.errors);
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Result& result = scored->report.results[i];
    parts[i].signature = trained::comparable_signature(result.signature());
    if (const auto* segments = find_named(result.segments, parts[i].result)) values.push_back(*segments);
  }
  return values;
}

/// What the blend says of every pair.
std::vector<double> blend_of(const trained::Blend& blend, const std::vector<std::vector<double>>& values) {
  std::vector<double> scores(values.front().size()), one(values.size());
  for (std::size_t pair = 0; pair < scores.size(); ++pair) {
    for (std::size_t i = 0; i < values.size(); ++i) one[i] = values[i][pair];
    scores[pair] = blend.score(one);
  }
  return scores;
}

/// Metrics that say much the same balance each other, and what one of them likes may then count against a
/// text.
void warn_of_turned_parts(const trained::Blend& blend, const RunContext& context) {
  for (const trained::BlendPart& part : blend.parts) {
    if (part.metric.lower_is_better() ? part.weight <= 0 : part.weight >= 0) continue;
    context.warn(fmt::format(
        "{} has the weight {:.4f}, so a better {} lowers the score: leave it out, or take more pairs",
        part.metric.typed, part.weight, part.metric.typed));
  }
}

}  // namespace

void check_blend_parts(const TrainRequest& request) {
  parts_of(request);
}

TrainReport train_blend(const TrainRequest& request, const score::Caller& caller, TrainingRun& run) {
  std::vector<trained::BlendPart> parts = parts_of(request);
  const trained::TrainingData& data = run.data();
  if (data.train.size() < kFewestPairs * parts.size()) {
    throw_invalid(fmt::format("{} pairs to learn from, expected at least {} for {} metrics",
                              data.train.size(), kFewestPairs * parts.size(), parts.size()));
  }
  trained::gold_scale(data.train);
  const auto train = scores_of(request, data, data.train, caller, parts);
  std::vector<double> gold;
  for (const ScoredPair& pair : data.train) gold.push_back(pair.gold);
  trained::BlendPlan plan{run.train_files(), run.valid_files(), run.columns(), -1};
  trained::Blend best = trained::fit_blend(parts, train, gold, kPenalties[kPenalties.size() / 2]);
  TrainReport report;
  std::vector<double> alone(parts.size(), -1);  // Pearson of the parts
  if (!data.valid.empty()) {
    const auto valid = scores_of(request, data, data.valid, caller, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const Metric& metric = parts[i].metric;
      const trained::Blend one{{{metric, {}, {}, 0, 1, metric.lower_is_better() ? -1.0 : 1.0}}, 0, {}};
      alone[i] = trained::mean_pearson(blend_of(one, {valid[i]}), data.valid);
    }
    for (const double penalty : kPenalties) {
      trained::Blend blend = trained::fit_blend(parts, train, gold, penalty);
      const double found = trained::mean_pearson(blend_of(blend, valid), data.valid);
      if (found <= plan.pearson) continue;
      plan.pearson = found;
      best = std::move(blend);
    }
  }
  report.architecture = request.architecture;
  report.folder = request.folder;
  report.train_pairs = data.train.size();
  report.valid_pairs = data.valid.size();
  report.held_out = run.held_out();
  report.signature = trained::write_blend(request.folder, plan, best);
  report.pearson = plan.pearson;
  for (std::size_t i = 0; i < best.parts.size(); ++i)
    report.parts.push_back({best.parts[i].metric.typed, best.parts[i].weight, alone[i]});
  warn_of_turned_parts(best, run.context());
  report.warnings = run.take_warnings();
  return report;
}

}  // namespace markeval::training
