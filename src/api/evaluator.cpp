// The facade: an evaluator and the functions beside it hand each request to the engine.
#include "api/compare.hpp"
#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "api/training.hpp"
#include "parallel/gathered_scores.hpp"
#include "score/compare.hpp"
#include "score/correlate.hpp"
#include "score/embedding.hpp"
#include "score/engine.hpp"
#include "training/training.hpp"

namespace markeval {

Evaluator::Evaluator(const Settings& settings) : runtime_(std::make_unique<score::Runtime>(settings)) {}
Evaluator::Evaluator(const score::Runtime& shared, std::size_t threads)
    : runtime_(std::make_unique<score::Runtime>(shared, threads)) {}
Evaluator::~Evaluator() = default;

Report Evaluator::score(const ScoreRequest& request, Observer* observer, const std::atomic<bool>* cancel) {
  return Report(
      score::score_request(request, {*runtime_, observer, cancel}, parallel::measure_for(request.gathered)));
}

ComparisonReport Evaluator::compare(const ScoreRequest& request, const CompareOptions& options,
                                    Observer* observer, const std::atomic<bool>* cancel) {
  return ComparisonReport(score::compare(request, options, {*runtime_, observer, cancel},
                                         parallel::measure_for(request.gathered)));
}

CorrelationReport Evaluator::correlate(const CorrelateRequest& request, Observer* observer,
                                       const std::atomic<bool>* cancel) {
  return CorrelationReport(
      score::correlate(request, {*runtime_, observer, cancel}, parallel::measure_for(request.gathered)));
}

TextVectors Evaluator::embed(std::span<const std::string> texts, const EmbedRequest& request,
                             Observer* observer, const std::atomic<bool>* cancel) {
  return score::embed(texts, request, {*runtime_, observer, cancel});
}

std::vector<std::vector<std::int32_t>> Evaluator::tokenize(std::span<const std::string> texts,
                                                           const EmbedRequest& request,
                                                           const std::atomic<bool>* cancel) {
  return score::tokenize(texts, request, {*runtime_, nullptr, cancel});
}

std::string Evaluator::baseline(const BaselineRequest& request, Observer* observer,
                                const std::atomic<bool>* cancel) {
  return score::make_baseline(request, {*runtime_, observer, cancel});
}

CorrelationReport correlate(const CorrelateRequest& request, const Settings& settings, Observer* observer,
                            const std::atomic<bool>* cancel) {
  score::check_correlation(request);  // words are wrong before machines are
  return Evaluator(settings).correlate(request, observer, cancel);
}

EmbedReport embed_texts(const EmbedRequest& request, const Settings& settings, Observer* observer,
                        const std::atomic<bool>* cancel) {
  score::Runtime runtime(settings);
  return score::embed_texts(request, {runtime, observer, cancel});
}

EmbedReport tokenize_texts(const EmbedRequest& request,
                           const std::function<void(std::span<const std::int32_t>)>& sink,
                           const Settings& settings, Observer* observer, const std::atomic<bool>* cancel) {
  score::Runtime runtime(settings);
  return score::tokenize_texts(request, sink, {runtime, observer, cancel});
}

std::vector<std::string> paths_beside_tokens(const std::string& output) {
  return score::paths_beside_tokens(output);
}

TrainReport train(const TrainRequest& request, const Settings& settings, Observer* observer,
                  const std::atomic<bool>* cancel) {
  training::check_request(request);
  score::Runtime runtime(settings);
  return training::train(request, {runtime, observer, cancel});
}

}  // namespace markeval
