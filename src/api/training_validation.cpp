#include "api/training_validation.hpp"

#include <map>

#include "trained/trainer.hpp"

namespace markeval {

double mean_pearson(std::span<const double> scores, std::span<const trained::ScoredPair> pairs) {
  std::map<std::size_t, std::pair<std::vector<double>, std::vector<double>>> groups;
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    groups[pairs[pair].group].first.push_back(scores[pair]);
    groups[pairs[pair].group].second.push_back(pairs[pair].gold);
  }
  double sum = 0;
  std::size_t defined = 0;
  for (const auto& [number, group] : groups) {
    const double found = trained::pearson(group.first, group.second);
    if (found == -1) continue;
    sum += found;
    ++defined;
  }
  return defined == 0 ? -1 : sum / static_cast<double>(defined);
}

std::vector<TrainReport::Known> known_metrics(const TrainRequest& request, const trained::TrainingData& data,
                                              Evaluator& evaluator, Observer* observer,
                                              const std::atomic<bool>* cancel) {
  std::vector<TrainReport::Known> known;
  if (data.valid.empty()) return known;
  std::vector<std::string> references, texts;
  for (const trained::ScoredPair& pair : data.valid) {
    references.push_back(data.texts[pair.reference]);
    texts.push_back(data.texts[pair.text]);
  }
  ScoreRequest scoring;
  scoring.references = {{request.reference, Texts{references, {}}}};
  scoring.systems = {{request.hypothesis, Texts{texts, {}}}};
  scoring.metrics = {"chrf", "bertscore.f1"};
  scoring.encoder = request.encoder;
  scoring.segments = true;
  const Report report = evaluator.score(scoring, observer, cancel);
  for (const Result& result : report.results())
    known.push_back({result.metric, mean_pearson(result.segments.front().second, data.valid)});
  return known;
}

}  // namespace markeval
