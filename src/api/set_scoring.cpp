#include "api/set_scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/drawn_scores.hpp"
#include "api/set_intervals.hpp"
#include "api/set_warnings.hpp"
#include "metric/bootstrap.hpp"

namespace markeval {
namespace {

constexpr std::size_t kFewRows = 20;  ///< fewer tell nothing of a distribution

/// The number a table shows first: the result asked for, or the main one.
double shown_score(const metric::MetricRequest& request, const Result& result) {
  for (const auto& [name, value] : result.scores) {
    if (name == request.result) return value;
  }
  return main_score(result);
}

}  // namespace

SetScoring::SetScoring(const metric::SampleSet& reference, std::span<const metric::MetricRequest> requests,
                       metric::SetSettings settings, const ScoreRequest& request,
                       std::span<const std::size_t> system_units, compute::Device& device,
                       Listener& listener, const RunContext& context)
    : reference_(reference),
      requests_(requests.begin(), requests.end()),
      settings_(std::move(settings)),
      request_(request),
      systems_(system_units.size()),
      device_(device),
      listener_(listener),
      context_(context),
      errors_(requests.size()),
      shown_scores_(requests.size()) {
  if (request.equal_sizes) draw_to_one_size(system_units);
  if (!request.ceiling) return;
  std::vector<metric::MetricRequest> of_pairs, others;
  for (const metric::MetricRequest& one : requests_)
    (settings_.samples == "word" && compares_pairs(one) ? of_pairs : others).push_back(one);
  for (std::vector<metric::MetricRequest>* some : {&others, &of_pairs}) {
    if (some->empty()) continue;
    people_.emplace_back(reference_, std::move(*some), settings_, system_units, request_, device_, context_);
    if (people_.back().texts() == 0) people_.pop_back();
  }
}

void SetScoring::draw_to_one_size(std::span<const std::size_t> system_units) {
  const auto [least, most] = std::minmax_element(system_units.begin(), system_units.end());
  if (!differ_in_size(*least, *most)) return;
  drawn_to_ = std::min(*least, units_of(reference_));
  for (metric::MetricRequest& request : requests_) request.options.set_default("n", std::to_string(drawn_to_));
  context_.warn(fmt::format(
      "systems differ in size ({} to {} texts or rows): set metrics compare {} of each, drawn by chance (n={})",
      *least, *most, drawn_to_, drawn_to_));
}

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
  listener_.set_prefix(name + " beside people: ");
  for (BesidePeople& people : people_) people.add(name, system);
  listener_.set_prefix("");
  return scores;
}

metric::SetScores SetScoring::score_some(std::span<const std::size_t> places,
                                         const metric::SampleSet& system) {
  if (places.empty()) return {};
  metric::SetScores scores;
  scores.results.resize(places.size());
  std::map<std::uint64_t, std::vector<std::size_t>> by_size;  // the option n -> among the places
  for (std::size_t i = 0; i < places.size(); ++i)
    by_size[requests_[places[i]].options.number("n")].push_back(i);
  for (const auto& [texts, mine] : by_size) {
    std::vector<metric::MetricRequest> requests;
    for (const std::size_t i : mine) requests.push_back(requests_[places[i]]);
    metric::SetScores found;
    if (texts > 0) {
      found.results = score_draws(reference_, system, requests, texts, settings_, device_, context_);
    } else {
      found = metric::score_sets(reference_, system, requests, settings_, device_, context_,
                                 systems_ > 1 ? &known_ : nullptr);
    }
    if (request_.resamples > 0) add_intervals(requests, system, texts, found.results);
    for (std::size_t i = 0; i < mine.size(); ++i) scores.results[mine[i]] = std::move(found.results[i]);
    for (auto& explanation : found.explanations) scores.explanations.push_back(std::move(explanation));
  }
  return scores;
}

std::vector<Ceiling> SetScoring::finish(std::size_t files) {
  sizes_.insert(sizes_.begin(), {"reference", units_of(reference_) / files});
  if (std::all_of(errors_.begin(), errors_.end(), [](const auto& error) { return error.has_value(); }))
    return {};
  if (drawn_to_ == 0) warn_of_sizes(sizes_, requests_.front().info->name, context_);
  for (std::size_t place = 0; place < requests_.size(); ++place) {
    if (!errors_[place] && units_of(reference_) >= kFewRows)
      warn_of_saturation(requests_[place], settings_.samples, shown_scores_[place], context_);
  }
  std::vector<Ceiling> ceilings;
  for (std::size_t place = 0; place < requests_.size(); ++place) {  // in the order asked for
    for (const BesidePeople& people : people_) {
      for (Ceiling& one : people.finish()) {
        if (one.requested == requests_[place].text && !errors_[place]) ceilings.push_back(std::move(one));
      }
    }
  }
  return ceilings;
}

void SetScoring::add_intervals(std::span<const metric::MetricRequest> requests,
                               const metric::SampleSet& system, std::size_t drawn,
                               std::span<Result> results) {
  SplitSettings split;
  split.splits = request_.splits > 0 ? request_.splits : request_.resamples;
  split.seed = request_.seed;
  split.drawn = drawn;
  split.keep = request_.keep_statistics;
  if (split.keep) split.option = "--resamples";  // of compare
  split.runs = systems_;
  split.runs_before = scored_;
  listener_.set_prefix("");  // they are counted over all systems
  add_split_intervals(reference_, system, requests, settings_, split, device_, context_, results);
}

}  // namespace markeval
