#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/markeval.hpp"
#include "api/request_lookup.hpp"
#include "api/requested_metrics.hpp"
#include "api/training_run.hpp"
#include "api/training_validation.hpp"
#include "base/error.hpp"
#include "trained/blend.hpp"
#include "trained/trainer.hpp"

namespace markeval {
namespace {

using trained::ScoredPair;

constexpr std::array kPenalties{1e-4, 1e-3, 1e-2, 1e-1, 1.0};  // the middle one where nobody can choose
constexpr std::size_t kFewestPairs = 10;                       // for each metric

/// The metrics, each with the one result that counts.
std::vector<trained::BlendPart> parts_of(const TrainRequest& request) {
  std::vector<trained::BlendPart> parts;
  for (const std::string& text : request.metrics) {
    const metric::MetricRequest parsed = metric::parse_metric_request(text);
    if (!scores_segments(parsed) || parsed.info->name == "blend") {
      throw_usage(fmt::format(
          "{} cannot be a part of a blend: {}", text,
          parsed.info->name == "blend" ? "it is one itself" : "it has no score for every segment"));
    }
    parts.push_back({text, parsed.result.empty() ? parsed.info->main : parsed.result, {}, 0, 1, 0});
  }
  return parts;
}

/// values[i][j]: what part i says of pair j. Signatures of the parts are set.
std::vector<std::vector<double>> scores_of(const TrainRequest& request, const trained::TrainingData& data,
                                           const std::vector<ScoredPair>& pairs, Evaluator& evaluator,
                                           Observer* observer, const std::atomic<bool>* cancel,
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
  const Report report = evaluator.score(scoring, observer, cancel);
  require_all_computed(report);
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Result& result = report.results()[i];
    parts[i].signature = trained::comparable_signature(result.signature());
    for (const auto& [name, segments] : result.segments) {
      if (name == parts[i].result) values.push_back(segments);
    }
  }
  return values;
}

double mean_pearson_of(const trained::Blend& blend, const std::vector<std::vector<double>>& values,
                       const std::vector<ScoredPair>& pairs) {
  std::vector<double> one(values.size()), scores;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    for (std::size_t i = 0; i < values.size(); ++i) one[i] = values[i][pair];
    scores.push_back(blend.score(one));
  }
  return mean_pearson(scores, pairs);
}

}  // namespace

void check_blend_parts(const TrainRequest& request) {
  parts_of(request);
}

TrainReport train_blend(const TrainRequest& request, const Settings& settings, TrainingRun& run,
                        Observer* observer, const std::atomic<bool>* cancel) {
  std::vector<trained::BlendPart> parts = parts_of(request);
  const trained::TrainingData& data = run.data();
  if (data.train.size() < kFewestPairs * parts.size()) {
    throw_invalid(fmt::format("{} pairs to learn from, expected at least {} for {} metrics",
                              data.train.size(), kFewestPairs * parts.size(), parts.size()));
  }
  trained::gold_scale(data.train);
  Evaluator evaluator(settings);
  const auto train = scores_of(request, data, data.train, evaluator, observer, cancel, parts);
  std::vector<double> gold;
  for (const ScoredPair& pair : data.train) gold.push_back(pair.gold);
  trained::BlendPlan plan{run.train_files(), run.valid_files(), run.columns(), -1};
  trained::Blend best = trained::fit_blend(parts, train, gold, kPenalties[kPenalties.size() / 2]);
  TrainReport report;
  std::vector<double> alone(parts.size(), -1);  // Pearson of the parts
  if (!data.valid.empty()) {
    const auto valid = scores_of(request, data, data.valid, evaluator, observer, cancel, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool lower = metric::parse_metric_request(parts[i].request).info->better == metric::Better::lower;
      const trained::Blend one{{{{}, {}, {}, 0, 1, lower ? -1.0 : 1.0}}, 0, {}};
      alone[i] = mean_pearson_of(one, {valid[i]}, data.valid);
    }
    for (const double penalty : kPenalties) {
      trained::Blend blend = trained::fit_blend(parts, train, gold, penalty);
      const double found = mean_pearson_of(blend, valid, data.valid);
      if (found <= plan.pearson) continue;
      plan.pearson = found;
      best = std::move(blend);
    }
  }
  report.architecture = request.architecture;
  report.folder = request.folder;
  report.train_pairs = data.train.size();
  report.valid_pairs = data.valid.size();
  report.signature = trained::write_blend(request.folder, plan, best);
  report.pearson = plan.pearson;
  for (std::size_t i = 0; i < best.parts.size(); ++i)
    report.parts.push_back({best.parts[i].request, best.parts[i].weight, alone[i]});
  report.warnings = run.take_warnings();
  return report;
}

}  // namespace markeval
