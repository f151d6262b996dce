#include "report/html_comparison.hpp"

#include <fmt/format.h>

#include "report/html_ranking.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

std::optional<Range> range_of(const std::optional<metric::Interval>& interval) {
  return interval ? std::optional(Range{interval->low, interval->high}) : std::nullopt;
}

std::string note_of(const ComparedResult& result, const ComparisonRun& run) {
  std::string test = result.test;
  if (!test.empty() && test.front() >= 'a' && test.front() <= 'z')
    test.front() = static_cast<char>(test.front() - 'a' + 'A');
  return fmt::format("{} of all pairs of systems, p-values {}, separated at {}", test,
                     run.correction == "none" ? "not adjusted" : "adjusted by " + run.correction, run.alpha);
}

Ranking ranking_of(const ComparedResult& result, const ComparisonRun& run) {
  Ranking ranking;
  ranking.title =
      result.requested == result.result ? result.requested : result.requested + ", " + result.result;
  ranking.note = note_of(result, run);
  ranking.lower_is_better = !result.higher_is_better;
  ranking.signature = result.signature;
  for (const ComparedSystem& system : result.systems) {
    RankedSystem& ranked = ranking.systems.emplace_back();
    ranked.name = system.system;
    ranked.score = system.score;
    ranked.interval = range_of(system.interval);
    ranked.rank = system.rank;
  }
  for (const ComparedPair& pair : result.pairs) {
    ranking.pairs.push_back({pair.first, pair.second, pair.difference, pair.p_adjusted});
    if (pair.first != 0) continue;  // the others stand in the matrix
    RankedSystem& ranked = ranking.systems[pair.second];
    ranked.difference = pair.difference;
    ranked.difference_interval = range_of(pair.interval);
    ranked.p_value = pair.p_value;
    ranked.p_adjusted = pair.p_adjusted;
  }
  return ranking;
}

}  // namespace

std::string rankings_html(const ComparisonRun& run) {
  std::string out;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    Ranking ranking = ranking_of(run.results[i], run);
    // Once for all results of a metric.
    if (i + 1 < run.results.size() && run.results[i + 1].signature == ranking.signature)
      ranking.signature.clear();
    out += ranking_html(ranking);
  }
  return out;
}

std::string comparison_page(const ComparisonPage& page) {
  return html_page(page.score.facts, {{"Ranks", rankings_html(page.run)},
                                      {"Segments", distributions_html(page.score.run)},
                                      {"Best and worst segments", examples_html(page.score.examples)},
                                      {"Maps", pictures_html(page.score.pictures)},
                                      {"Empty, truncated, unknown", counts_html(page.score.run)}});
}

}  // namespace markeval::report
