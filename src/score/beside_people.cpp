// Two sets of reference lines are drawn at random, several times; people and systems are scored on the same
// draws.
#include "score/beside_people.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/lookup.hpp"
#include "base/random.hpp"
#include "meta/multiple_comparison.hpp"
#include "meta/student_t.hpp"
#include "meta/values.hpp"
#include "metric/registry.hpp"

namespace markeval::score {
namespace {

constexpr std::uint64_t kLineStream = std::uint64_t{1} << 42;  ///< splits have the small numbers
constexpr std::uint64_t kHalfStream = std::uint64_t{1} << 43;
constexpr std::uint64_t kUnitStream = std::uint64_t{1} << 44;
constexpr std::uint64_t kSystemStream = std::uint64_t{1} << 45;

constexpr std::size_t kFewestTexts = 20;         ///< fewer tell nothing of a distribution
constexpr std::size_t kMostTexts = 1000;         ///< more cost time and change no verdict
constexpr std::size_t kMostRows = 20'000;        ///< of a set of words
constexpr std::size_t kMostRowsOfPairs = 8'000;  ///< the same, of metrics that compare all pairs of rows
constexpr std::size_t kDraws = 20, kDrawsOfWords = 6;
constexpr double kLevel = 0.1;  ///< of a careful test: the spread is rather too large

/// One result of every draw.
std::vector<double> over_draws(const std::vector<Result>& draws, std::size_t result) {
  std::vector<double> values;
  for (const Result& draw : draws) values.push_back(draw.scores[result].second);
  return values;
}

/// A count among the details.
std::optional<double> count_of(const Result& result, const std::string& name) {
  const Detail* found = find_named(result.details, name);
  return found == nullptr ? std::nullopt : std::optional<double>(std::get<std::uint64_t>(*found));
}

/// The share of the evaluated rows that lie in no ball of the reference, of metrics that count them.
std::optional<double> outside_of(const Result& result) {
  std::optional<double> inside = count_of(result, "system_covered");
  if (const auto marked = count_of(result, "petersen_marked"))
    inside = *marked - *count_of(result, "reference_rows");
  if (!inside) return std::nullopt;
  return 1 - *inside / *count_of(result, "system_rows");
}

DrawnScores summary_of(const std::string& system, const std::vector<Result>& draws) {
  DrawnScores summary;
  summary.system = system;
  for (std::size_t result = 0; result < draws.front().scores.size(); ++result) {
    const meta::MeanAndSpread found = meta::mean_and_spread(over_draws(draws, result));
    const std::string& name = draws.front().scores[result].first;
    summary.scores.emplace_back(name, found.mean);
    summary.spreads.emplace_back(name, found.spread);
  }
  std::vector<double> outside;
  for (const Result& draw : draws) {
    if (const auto share = outside_of(draw)) outside.push_back(*share);
  }
  if (!outside.empty()) summary.outside = meta::mean_and_spread(outside).mean;
  return summary;
}

void keep_result(std::size_t result, DrawnScores& drawn) {
  drawn.scores = {drawn.scores[result]};
  drawn.spreads = {drawn.spreads[result]};
  if (!drawn.p_values.empty()) drawn.p_values = {drawn.p_values[result]};
}

/// The p-value of a two-sided t test on the differences. `texts` of `all` were drawn each time. The draws
/// share texts, so their spread is that of the mean of all draws times sqrt((all - texts) / texts), as for
/// means of texts drawn without replacement.
double p_value_of(std::span<const double> people, std::span<const double> system, std::size_t texts,
                  std::size_t all) {
  std::vector<double> gains;
  for (std::size_t draw = 0; draw < people.size(); ++draw) gains.push_back(system[draw] - people[draw]);
  const auto [gain, spread] = meta::mean_and_spread(gains);
  const auto draws = static_cast<double>(gains.size());
  const double error =
      spread * std::sqrt(static_cast<double>(texts) / static_cast<double>(all - texts) + 1 / draws);
  if (error > 0) return meta::student_t_two_sided(gain / error, draws - 1);
  return gain == 0 ? 1 : 0;
}

}  // namespace

bool compares_pairs(const Metric& request) {
  return request.info->has_option("k") || request.info->has_option("clusters");
}

void judge(std::vector<Ceiling>& ceilings, std::span<const double> copied) {
  std::array<std::vector<std::optional<double>>, 2> found;  // of main results, and of the others
  const auto each = [&](const auto& take) {
    for (Ceiling& ceiling : ceilings) {
      const std::size_t main = index_of(ceiling.people.scores, metric::find_metric(ceiling.metric).main);
      for (DrawnScores& system : ceiling.systems) {
        for (std::size_t result = 0; result < system.p_values.size(); ++result)
          take(ceiling, system, result, result == main ? 0U : 1U);
      }
    }
  };
  each([&](const Ceiling&, DrawnScores& system, std::size_t result, std::size_t family) {
    found[family].emplace_back(system.p_values[result].second);
    system.p_adjusted.clear();
    system.standings.clear();
  });
  const std::array adjusted{meta::adjust(found[0], meta::Correction::holm),
                            meta::adjust(found[1], meta::Correction::holm)};
  std::array<std::size_t, 2> next{};
  each([&](const Ceiling& ceiling, DrawnScores& system, std::size_t result, std::size_t family) {
    const double p = *adjusted[family][next[family]++];
    const std::string& name = system.p_values[result].first;
    const double gain = system.scores[result].second - ceiling.people.scores[result].second;
    const bool lower = gain < 0,
               higher_is_better = metric::find_metric(ceiling.metric).better == metric::Better::higher;
    const Standing standing = p > kLevel                  ? Standing::alike
                              : lower == higher_is_better ? Standing::farther
                                                          : Standing::closer;
    system.p_adjusted.emplace_back(name, p);
    system.standings.emplace_back(name, standing);
    if (family == 0) system.standing = standing;
  });
  for (Ceiling& ceiling : ceilings) {
    for (std::size_t system = 0; system < copied.size(); ++system)
      ceiling.systems[system].copied = copied[system];
  }
}

BesidePeople::BesidePeople(const SampleSet& reference, std::vector<Metric> requests,
                           metric::SetSettings settings, std::span<const std::size_t> system_units,
                           const ScoreRequest& request, geometry::SetEngine& engine,
                           const RunContext& context)
    : reference_(reference),
      requests_(std::move(requests)),
      settings_(std::move(settings)),
      seed_(request.seed),
      engine_(engine),
      context_{context.pool, context.progress},
      failed_(requests_.size(), false),
      people_(empty()) {
  settings_.explain = false;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_line;
  const std::size_t units = reference.units();
  for (std::uint32_t unit = 0; unit < units; ++unit)
    by_line[reference.lines.empty() ? unit : reference.lines[unit]].push_back(unit);
  for (auto& [line, its_units] : by_line) units_by_line_.push_back(std::move(its_units));
  std::size_t smallest = units_by_line_.size();
  for (const std::size_t of_system : system_units) smallest = std::min(smallest, of_system);
  rows_of_text_ = std::max<std::size_t>(1, reference.rows / units);
  const bool pairs = std::ranges::any_of(requests_, compares_pairs);
  texts_ = std::min({smallest / 2, kMostTexts, (pairs ? kMostRowsOfPairs : kMostRows) / rows_of_text_});
  if (texts_ < kFewestTexts) texts_ = 0;
}

/// Two sets of lines that share none, and of each line one text: several references of a line say the same.
void BesidePeople::draw_halves() {
  const std::size_t draws = reference_.unit_begins.empty() ? kDraws : kDrawsOfWords;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const std::vector<std::uint32_t> lines =
        draw_units(units_by_line_.size(), 2 * texts_, seed_, kLineStream + draw);
    const std::vector<std::uint32_t> left = draw_units(lines.size(), texts_, seed_, kHalfStream + draw);
    RandomStream random(seed_, kUnitStream + draw);
    const auto unit_of = [&](std::uint32_t which) {
      const std::vector<std::uint32_t>& units = units_by_line_[lines[which]];
      return units.size() == 1 ? units.front() : units[random.below(units.size())];
    };
    DrawnHalves& halves = draws_.emplace_back();
    for (const std::uint32_t which : left) halves.left.push_back(unit_of(which));
    for (const std::uint32_t which : units_without(lines.size(), left)) {
      halves.right.push_back(unit_of(which));
      if (!reference_.lines.empty()) halves.right_lines.push_back(reference_.lines[halves.right.back()]);
    }
    std::ranges::sort(halves.left);
    std::ranges::sort(halves.right);
    halves.left_set = std::make_unique<DrawnSet>(engine_, reference_, halves.left, reference_.name);
    score(draw, DrawnSet(engine_, reference_, halves.right, reference_.name), people_);
  }
}

/// Where line i of the system belongs to line i of the reference (a translation of it): the lines of the
/// right half. Then the system's texts differ in content from the left half as much as people's do.
std::vector<std::uint32_t> BesidePeople::units_like(const SampleSet& system, std::size_t draw) const {
  const std::vector<std::uint32_t>& wanted = draws_[draw].right_lines;
  if (system.file_lines == 0 || system.file_lines != reference_.file_lines)
    return draw_units(system.units(), texts_, seed_, kSystemStream + draw);
  std::vector<std::uint32_t> units;
  for (std::uint32_t unit = 0; unit < system.units(); ++unit) {
    if (std::ranges::binary_search(wanted, system.lines[unit])) units.push_back(unit);
  }
  return units;
}

void BesidePeople::score(std::size_t draw, const metric::NamedSet& evaluated, Drawn& drawn) {
  context_.check_cancelled();
  std::vector<std::size_t> members;
  for (std::size_t which = 0; which < requests_.size(); ++which) {
    if (!failed_[which]) members.push_back(which);
  }
  const auto take = [&](std::span<const std::size_t> some) {
    std::vector<Metric> requests;
    for (const std::size_t which : some) requests.push_back(requests_[which]);
    auto found =
        metric::score_sets(engine_, *draws_[draw].left_set, evaluated, requests, settings_, context_);
    for (std::size_t i = 0; i < some.size(); ++i) drawn[some[i]].push_back(std::move(found.results[i]));
  };
  try {
    take(members);
  } catch (const Error& error) {  // part of the texts may be too few where all were enough
    if (error.code() != ErrorCode::invalid_input) throw;
    for (const std::size_t which : members) {
      try {
        take(std::span(&which, 1));
      } catch (const Error& its_own) {
        if (its_own.code() != ErrorCode::invalid_input) throw;
        failed_[which] = true;
      }
    }
  }
}

void BesidePeople::add(const std::string& name, const SampleSet& system) {
  DrawnSystem& added = systems_.emplace_back(DrawnSystem{name, system.units(), empty()});
  if (texts_ == 0) return;
  if (draws_.empty()) draw_halves();
  for (std::size_t draw = 0; draw < draws_.size(); ++draw)
    score(draw, DrawnSet(engine_, system, units_like(system, draw), system.name), added.drawn);
}

std::string BesidePeople::why_too_small() const {
  std::string who = "the reference";
  std::size_t least = units_by_line_.size();
  for (const DrawnSystem& system : systems_) {
    if (system.units >= least) continue;
    who = system.name;
    least = system.units;
  }
  if (least >= 2 * kFewestTexts)
    return fmt::format("texts of {} words take too long; samples=sentence does it", rows_of_text_);
  return fmt::format("this needs {} {} or more in the reference and in each system, and {} has {}",
                     2 * kFewestTexts, settings_.samples == "rows" ? "rows" : "texts", who, least);
}

std::vector<Ceiling> BesidePeople::finish() const {
  std::vector<Ceiling> ceilings;
  for (std::size_t which = 0; which < requests_.size() && !systems_.empty(); ++which) {
    const Metric& request = requests_[which];
    Ceiling& ceiling = ceilings.emplace_back();
    ceiling.metric = request.info->name;
    ceiling.requested = request.text;
    ceiling.samples = settings_.samples;
    if (texts_ == 0 || failed_[which]) {
      ceiling.missing =
          texts_ == 0
              ? why_too_small()
              : fmt::format(
                    "half of the smallest set, {} texts, is too little; more texts or a smaller k help",
                    texts_);
      for (const DrawnSystem& system : systems_) ceiling.systems.emplace_back().system = system.name;
      continue;
    }
    ceiling.texts = texts_;
    ceiling.draws = draws_.size();
    ceiling.people = summary_of("", people_[which]);
    for (const DrawnSystem& system : systems_) {
      DrawnScores& drawn = ceiling.systems.emplace_back(summary_of(system.name, system.drawn[which]));
      for (std::size_t result = 0; result < drawn.scores.size(); ++result)
        drawn.p_values.emplace_back(
            drawn.scores[result].first,
            p_value_of(over_draws(people_[which], result), over_draws(system.drawn[which], result), texts_,
                       std::min(units_by_line_.size(), system.units)));
    }
    if (request.result.empty()) continue;
    const std::size_t wanted = index_of(ceiling.people.scores, request.result);
    keep_result(wanted, ceiling.people);
    for (DrawnScores& system : ceiling.systems) keep_result(wanted, system);
  }
  return ceilings;
}

}  // namespace markeval::score
