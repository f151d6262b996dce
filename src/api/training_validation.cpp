#include "api/training_validation.hpp"

#include "base/error.hpp"

namespace markeval {

std::vector<TrainReport::Known> known_metrics(const TrainRequest& request, const trained::TrainingData& data,
                                              Evaluator& evaluator, Observer* observer,
                                              const std::atomic<bool>* cancel) {
  std::vector<TrainReport::Known> known;
  if (data.valid.empty() || request.token_vectors) return known;  // of vectors there are no texts
  std::vector<std::string> references, texts;
  for (const trained::ScoredPair& pair : data.valid) {
    references.push_back(data.texts[pair.reference]);
    texts.push_back(data.texts[pair.text]);
  }
  ScoreRequest scoring;
  scoring.references = {{request.reference, Texts{references, {}}}};
  scoring.systems = {{request.hypothesis, Texts{texts, {}}}};
  scoring.encoder = request.encoder;
  scoring.segments = true;
  const auto add = [&](const std::vector<std::string>& metrics) {
    scoring.metrics = metrics;
    const Report report = evaluator.score(scoring, observer, cancel);
    for (const Result& result : report.results())
      known.push_back({result.metric, trained::mean_pearson(result.segments.front().second, data.valid)});
  };
  add({"chrf", "bertscore.f1"});
  try {
    add({"match"});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::cancelled) throw;  // else: the program has no head for this encoder
  }
  return known;
}

}  // namespace markeval
