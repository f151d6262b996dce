#include "api/set_scoring.hpp"

#include <algorithm>

#include "api/drawn_units.hpp"
#include "api/set_intervals.hpp"
#include "api/set_warnings.hpp"
#include "metric/bootstrap.hpp"

namespace markeval {
namespace {

constexpr std::uint64_t kCeilingStream = std::uint64_t{1} << 40;  ///< splits have the small numbers
constexpr std::size_t kFewRows = 20;                              ///< fewer say nothing of a distribution
constexpr std::size_t kMostNumbers = std::size_t{1} << 28;        ///< 1 GiB of float: a copy is made

/// The number a table shows first: the result asked for, or the main one.
double shown_score(const metric::MetricRequest& request, const Result& result) {
  for (const auto& [name, value] : result.scores) {
    if (name == request.result) return value;
  }
  return main_score(result);
}

}  // namespace

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
      errors_(requests.size()),
      shown_scores_(requests.size()) {}

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
  sizes_.emplace_back(name, units_of(system));
  for (const std::size_t place : places) {
    if (errors_[place]) continue;
    Result& result = scores.results[place];
    shown_scores_[place].push_back(shown_score(requests_[place], result));
    if (request_.sample > 0) metric::add_to_signature(result, "sample", std::to_string(request_.sample));
  }
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

std::vector<Result> SetScoring::finish(std::size_t files) {
  sizes_.insert(sizes_.begin(), {"reference", units_of(reference_) / files});
  if (std::all_of(errors_.begin(), errors_.end(), [](const auto& error) { return error.has_value(); }))
    return {};
  warn_of_sizes(sizes_, context_);
  for (std::size_t place = 0; place < requests_.size(); ++place) {
    if (!errors_[place] && units_of(reference_) >= kFewRows)
      warn_of_saturation(requests_[place], settings_.samples, shown_scores_[place], context_);
  }
  return request_.ceiling ? ceilings() : std::vector<Result>();
}

/// As many of the references as the largest system has, at most half of them, against all others.
std::vector<Result> SetScoring::ceilings() {
  const std::size_t all = units_of(reference_);
  std::size_t drawn = 0;
  for (std::size_t s = 1; s < sizes_.size(); ++s)
    drawn = std::max(drawn, std::min(sizes_[s].second, all / 2));
  if (drawn < kFewRows || reference_.points.rows() * reference_.points.columns() > kMostNumbers) return {};
  const std::vector<std::uint32_t> some = draw_places(all, drawn, request_.seed, kCeilingStream);
  const std::vector<std::uint32_t> others = places_without(all, some);
  DrawnUnits left, right;
  const metric::SampleSet people = left.copy(reference_, some, reference_.name);
  const metric::SampleSet rest = right.copy(reference_, others, reference_.name);
  const RunContext silent{context_.pool, context_.progress, nullptr, context_.cancel};
  metric::SetSettings settings = settings_;
  settings.explain = false;
  std::vector<Result> results;
  listener_.set_prefix("people: ");
  for (std::size_t place = 0; place < requests_.size(); ++place) {
    if (errors_[place]) continue;
    try {
      auto found =
          metric::score_sets(rest, people, std::span(&requests_[place], 1), settings, device_, silent);
      Result& result = results.emplace_back(std::move(found.results.front()));
      result.details = {{"system_rows", std::uint64_t{drawn}},
                        {"reference_rows", std::uint64_t{others.size()}},
                        {"systems", std::uint64_t{systems_}},
                        {"systems_above", std::uint64_t{systems_above(place, result)}}};
    } catch (const Error& error) {  // half of the references may be too few where all were enough
      if (error.code() != ErrorCode::invalid_input) throw;
    }
  }
  listener_.set_prefix("");
  return results;
}

/// Texts that say what the references say may be closer to them than other texts of people are: by more than
/// a system of people's own level would be by chance.
std::size_t SetScoring::systems_above(std::size_t place, const Result& ceiling) const {
  constexpr double kMargin = 0.05, kRatio = 1.5;
  const metric::MetricRequest& request = requests_[place];
  const double people = shown_score(request, ceiling);
  const bool higher = request.info->better == metric::Better::higher;
  const auto above = [&](double score) {
    return higher ? score > people + kMargin : score * kRatio < people;
  };
  return static_cast<std::size_t>(
      std::count_if(shown_scores_[place].begin(), shown_scores_[place].end(), above));
}

void SetScoring::add_intervals(std::span<const metric::MetricRequest> requests,
                               const metric::SampleSet& system, std::span<Result> results) {
  SplitSettings split;
  split.splits = request_.splits > 0 ? request_.splits : request_.resamples;
  split.seed = request_.seed;
  split.keep = request_.keep_statistics;
  if (split.keep) split.option = "--resamples";  // of compare
  split.runs = systems_;
  split.runs_before = scored_;
  listener_.set_prefix("");  // they are counted over all systems
  add_split_intervals(reference_, system, requests, settings_, split, device_, context_, results);
}

}  // namespace markeval
