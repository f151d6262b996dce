// The one loop over systems: every metric on every system, then what was asked for besides.
#include "score/set_scoring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/lookup.hpp"
#include "metric/bootstrap.hpp"
#include "score/beside_people.hpp"
#include "score/drawn_scores.hpp"
#include "score/groups.hpp"
#include "score/set_clusters.hpp"
#include "score/set_intervals.hpp"
#include "score/set_picture.hpp"
#include "score/set_warnings.hpp"

namespace markeval::score {
namespace {

constexpr std::size_t kFewRows = 20;  ///< fewer tell nothing of a distribution

/// The number a table shows first: the result asked for, or the main one.
double shown_score(const Metric& request, const Result& result) {
  const double* asked = find_named(result.scores, request.result);
  return asked == nullptr ? metric::main_score(result) : *asked;
}

class SetScoring {
 public:
  SetScoring(const SetCorpus& corpus, std::span<const Metric> requests, metric::SetSettings settings,
             const SetScoringContext& run);

  /// Scores of the next system: one result per request, without scores where the metric has failed by now.
  metric::SetScores score(const std::string& name, const SampleSet& system);
  /// After the last system.
  std::vector<Ceiling> finish();
  const std::vector<std::optional<Error>>& errors() const { return errors_; }

 private:
  metric::SetScores score_some(std::span<const std::size_t> members, const SampleSet& system);
  void add_intervals(std::span<const Metric> requests, const SampleSet& system, std::size_t drawn,
                     std::span<Result> results);
  /// Where systems differ in size: as the option n with the smallest does, unless another n was given.
  void draw_to_one_size();

  const SetCorpus& corpus_;
  const SampleSet& reference_;
  std::vector<Metric> requests_;
  metric::SetSettings settings_;
  const SetScoringContext& run_;
  const ScoreRequest& request_;
  const RunContext& context_;
  std::size_t systems_, scored_ = 0, drawn_to_ = 0;
  std::vector<BesidePeople> people_;  ///< where asked for
  std::vector<std::optional<Error>> errors_;
  std::vector<std::pair<std::string, std::size_t>> sizes_;  ///< of the systems
  std::vector<std::vector<double>> shown_scores_;           ///< by request, then by system
};

SetScoring::SetScoring(const SetCorpus& corpus, std::span<const Metric> requests,
                       metric::SetSettings settings, const SetScoringContext& run)
    : corpus_(corpus),
      reference_(corpus.reference),
      requests_(requests.begin(), requests.end()),
      settings_(std::move(settings)),
      run_(run),
      request_(run.request),
      context_(run.context),
      systems_(corpus.system_units.size()),
      errors_(requests.size()),
      shown_scores_(requests.size()) {
  if (request_.equal_sizes) draw_to_one_size();
  if (!request_.ceiling) return;
  std::vector<Metric> of_pairs, others;
  for (const Metric& one : requests_)
    (settings_.samples == "word" && compares_pairs(one) ? of_pairs : others).push_back(one);
  for (std::vector<Metric>* some : {&others, &of_pairs}) {
    if (some->empty()) continue;
    people_.emplace_back(reference_, std::move(*some), settings_, corpus.system_units, request_, run.engine,
                         context_);
  }
}

void SetScoring::draw_to_one_size() {
  const auto [least, most] = std::ranges::minmax_element(corpus_.system_units);
  if (!differ_in_size(*least, *most)) return;
  drawn_to_ = std::min(*least, reference_.units());
  for (Metric& request : requests_) request.options.set_default("n", std::uint64_t{drawn_to_});
  context_.warn(
      fmt::format("systems differ in size ({} to {} texts or rows): set metrics compare {} of each, drawn by "
                  "chance (n={})",
                  *least, *most, drawn_to_, drawn_to_));
}

metric::SetScores SetScoring::score(const std::string& name, const SampleSet& system) {
  context_.check_cancelled();
  if (systems_ > 1) run_.listener.set_prefix(name + ": ");
  std::vector<std::size_t> members;
  for (std::size_t which = 0; which < requests_.size(); ++which) {
    if (!errors_[which]) members.push_back(which);
  }
  metric::SetScores scores;
  scores.results.resize(requests_.size());
  const auto take = [&](std::span<const std::size_t> some) {
    metric::SetScores found = score_some(some, system);
    for (std::size_t i = 0; i < some.size(); ++i) scores.results[some[i]] = std::move(found.results[i]);
    for (auto& explanation : found.explanations) scores.explanations.push_back(std::move(explanation));
  };
  try {
    take(members);
  } catch (const Error& error) {
    const auto ends_all = [](const Error& one) {
      return one.code() == ErrorCode::usage || one.code() == ErrorCode::cancelled;
    };
    if (ends_all(error)) throw;
    for (const std::size_t which : members) {  // which one was it?
      try {
        take(std::span(&which, 1));
      } catch (const Error& its_own) {
        if (ends_all(its_own)) throw;
        errors_[which] = its_own;
      }
    }
  }
  ++scored_;
  sizes_.emplace_back(name, system.units());
  for (const std::size_t which : members) {
    if (errors_[which]) continue;
    Result& result = scores.results[which];
    shown_scores_[which].push_back(shown_score(requests_[which], result));
    if (request_.sample > 0) metric::add_to_signature(result, "sample", std::to_string(request_.sample));
  }
  run_.listener.set_prefix(name + " beside people: ");
  for (BesidePeople& people : people_) people.add(name, system);
  run_.listener.set_prefix("");
  return scores;
}

metric::SetScores SetScoring::score_some(std::span<const std::size_t> members, const SampleSet& system) {
  if (members.empty()) return {};
  metric::SetScores scores;
  scores.results.resize(members.size());
  std::map<std::uint64_t, std::vector<std::size_t>> by_size;  // the option n -> among the places
  for (std::size_t i = 0; i < members.size(); ++i)
    by_size[requests_[members[i]].options.count("n")].push_back(i);
  for (const auto& [texts, mine] : by_size) {
    std::vector<Metric> requests;
    for (const std::size_t i : mine) requests.push_back(requests_[members[i]]);
    metric::SetScores found;
    if (texts > 0) {
      found.results = score_draws(run_.engine, reference_, system, requests, texts, settings_, context_);
    } else {
      found = metric::score_sets(run_.engine, reference_, system, requests, settings_, context_);
    }
    if (request_.resamples > 0) add_intervals(requests, system, texts, found.results);
    for (std::size_t i = 0; i < mine.size(); ++i) scores.results[mine[i]] = std::move(found.results[i]);
    for (auto& explanation : found.explanations) scores.explanations.push_back(std::move(explanation));
  }
  return scores;
}

std::vector<Ceiling> SetScoring::finish() {
  sizes_.insert(sizes_.begin(), {"reference", reference_.units() / corpus_.files});
  if (std::ranges::all_of(errors_, [](const auto& error) { return error.has_value(); })) return {};
  if (drawn_to_ == 0) warn_of_sizes(sizes_, requests_.front().info->name, context_);
  for (std::size_t which = 0; which < requests_.size(); ++which) {
    if (!errors_[which] && reference_.units() >= kFewRows)
      warn_of_saturation(requests_[which], settings_.samples, shown_scores_[which], context_);
  }
  std::vector<Ceiling> ceilings;
  for (std::size_t which = 0; which < requests_.size(); ++which) {  // in the order asked for
    for (const BesidePeople& people : people_) {
      for (Ceiling& one : people.finish()) {
        if (one.requested == requests_[which].text && !errors_[which]) ceilings.push_back(std::move(one));
      }
    }
  }
  return ceilings;
}

void SetScoring::add_intervals(std::span<const Metric> requests, const SampleSet& system, std::size_t drawn,
                               std::span<Result> results) {
  SplitSettings split;
  split.splits = request_.splits > 0 ? request_.splits : request_.resamples;
  split.seed = request_.seed;
  split.drawn = drawn;
  split.keep = request_.keep_statistics;
  if (split.keep) split.option = "--resamples";  // of compare
  split.runs = systems_;
  split.runs_before = scored_;
  run_.listener.set_prefix("");  // they are counted over all systems
  add_split_intervals({run_.engine, reference_, system, requests}, settings_, split, context_, results);
}

}  // namespace

SetOutcome score_set_corpus(const SetCorpus& corpus, std::span<const Metric> requests,
                            metric::SetSettings settings, const SetScoringContext& run) {
  const bool explains = run.explanations != nullptr || run.page.wanted();
  settings.clamp_k = run.request.clamp_k;
  settings.seed = run.request.seed;
  settings.explain = explains || wants_groups(run.request);
  SetScoring scoring(corpus, requests, settings, run);
  std::optional<SetClusters> clusters;
  if (explains)
    clusters.emplace(run.engine, corpus.reference.id, corpus.reference_row, run.request.seed, run.context);
  SetPictures pictures(run.engine, corpus.reference.id, corpus.reference_row);
  SetOutcome outcome;
  for (std::size_t i = 0; i < corpus.system_names.size(); ++i) {
    const std::string& name = corpus.system_names[i];
    const SetCorpus::System system = corpus.system(i);
    const geometry::HeldSet held(run.engine, system.set.id);
    metric::SetScores scores = scoring.score(name, system.set);
    if (wants_groups(run.request))
      keep_covered(scores.explanations, corpus.reference.rows, corpus.segments, corpus.segment_of,
                   scores.results);
    for (Result& result : scores.results) outcome.results.push_back(std::move(result));
    for (metric::SetExplanation& explanation : scores.explanations) {
      explanation.system = name;
      if (!clusters) continue;  // for groups
      const auto shares = clusters->compare(held, explanation.missing_modes, run.context);
      if (run.page.wants_picture(name)) {
        report::SetPicture picture = pictures.draw(explanation, held, system.row, run.context);
        const std::string& samples = settings.samples;
        picture.rows = samples == "rows" ? samples : samples == "word" ? "words" : "texts";
        picture.clusters = shares;
        run.page.add_picture(std::move(picture));
      }
      if (run.explanations == nullptr) continue;
      run.explanations->push_back(report::explain_sets(explanation, corpus.reference_row, system.row));
      run.explanations->back().clusters = shares;
    }
  }
  outcome.ceilings = scoring.finish();
  outcome.errors = scoring.errors();
  return outcome;
}

}  // namespace markeval::score
