#include "api/set_scoring.hpp"

#include <algorithm>

#include "api/set_intervals.hpp"

namespace markeval {

SetScoring::SetScoring(const metric::SampleSet& reference, std::span<const metric::MetricRequest> requests,
                       metric::SetSettings settings, const ScoreRequest& request, std::size_t systems,
                       compute::Device& device, Listener& listener, const RunContext& context)
    : reference_(reference),
      requests_(requests),
      settings_(std::move(settings)),
      request_(request),
      systems_(systems),
      device_(device),
      listener_(listener),
      context_(context),
      errors_(requests.size()) {}

metric::SetScores SetScoring::score(const std::string& name, const metric::SampleSet& system) {
  context_.check_cancelled();
  if (systems_ > 1) listener_.set_prefix(name + ": ");
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < requests_.size(); ++place) {
    if (!errors_[place]) places.push_back(place);
  }
  metric::SetScores scores;
  scores.results.resize(requests_.size());
  const auto take = [&](std::span<const std::size_t> some) {
    metric::SetScores found = score_some(some, system);
    for (std::size_t i = 0; i < some.size(); ++i) scores.results[some[i]] = std::move(found.results[i]);
    for (auto& explanation : found.explanations) scores.explanations.push_back(std::move(explanation));
  };
  try {
    take(places);
  } catch (const Error& error) {
    const auto ends_all = [](const Error& one) {
      return one.code() == ErrorCode::usage || one.code() == ErrorCode::cancelled;
    };
    if (ends_all(error)) throw;
    for (const std::size_t place : places) {  // which one was it?
      try {
        take(std::span(&place, 1));
      } catch (const Error& its_own) {
        if (ends_all(its_own)) throw;
        errors_[place] = its_own;
      }
    }
  }
  ++scored_;
  listener_.set_prefix("");
  return scores;
}

metric::SetScores SetScoring::score_some(std::span<const std::size_t> places,
                                         const metric::SampleSet& system) {
  if (places.empty()) return {};
  std::vector<metric::MetricRequest> requests;
  for (const std::size_t place : places) requests.push_back(requests_[place]);
  metric::SetScores scores = metric::score_sets(reference_, system, requests, settings_, device_, context_,
                                                systems_ > 1 ? &known_ : nullptr);
  if (request_.resamples > 0) add_intervals(requests, system, scores.results);
  return scores;
}

void SetScoring::add_intervals(std::span<const metric::MetricRequest> requests,
                               const metric::SampleSet& system, std::span<Result> results) {
  SplitSettings split;
  split.splits = request_.splits > 0 ? request_.splits : request_.resamples;
  split.seed = request_.seed;
  split.keep = request_.keep_statistics;
  split.runs = systems_;
  split.runs_before = scored_;
  listener_.set_prefix("");  // they are counted over all systems
  add_split_intervals(reference_, system, requests, settings_, split, device_, context_, results);
}

}  // namespace markeval
