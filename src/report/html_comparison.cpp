// The sections of the page: overview with a chart per metric, then ranks, differences and the matrix of
// tests.
#include "report/html_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/cells.hpp"
#include "report/html_overview.hpp"
#include "report/html_people.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_matrix.hpp"

namespace markeval::report {
namespace {

std::string title_of(const ComparedResult& result) {
  return result.requested == result.result ? result.requested : result.requested + ", " + result.result;
}

std::string note_of(const ComparedResult& result, const ComparisonRun& run) {
  std::string test = result.test;
  if (!test.empty() && test.front() >= 'a' && test.front() <= 'z')
    test.front() = static_cast<char>(test.front() - 'a' + 'A');
  return fmt::format("{} of all pairs of systems, p-values {}, separated at {}", test,
                     run.correction == "none" ? "not adjusted" : "adjusted by " + run.correction, run.alpha);
}

SvgCanvas dots(const ComparedResult& result) {
  DotPlot plot{result.is_main ? "" : "Score and 95 % interval",
               "",
               {},
               result.higher_is_better ? RowOrder::falling : RowOrder::rising};
  for (const ComparedSystem& system : result.systems)
    plot.rows.push_back({system.system, system.score, system.interval, {}, system.rank});
  plot.name = title_of(result);
  if (result.is_main) plot.width = kCardWidth;
  return draw_dot_plot(plot);
}

SvgCanvas matrix(const ComparedResult& result) {
  std::vector<std::size_t> order(result.systems.size()), which(result.systems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double one = result.systems[a].score, other = result.systems[b].score;
    return result.higher_is_better ? one > other : one < other;
  });
  SignificanceMatrix matrix{"Which is better", "a row is better than a column", {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    which[order[i]] = i;
    matrix.names.push_back(result.systems[order[i]].system);
  }
  for (const ComparedPair& pair : result.pairs) {
    const bool second_better = result.higher_is_better ? pair.difference > 0 : pair.difference < 0;
    matrix.cells.push_back({which[second_better ? pair.second : pair.first],
                            which[second_better ? pair.first : pair.second], pair.p_adjusted});
  }
  return draw_matrix(matrix);
}

std::string interval_text_of(const Interval& interval, std::size_t digits) {
  return fmt::format("{} to {}", fixed_number(interval.low, digits), fixed_number(interval.high, digits));
}

/// Every system with its difference from the baseline; scores and ranks stand in the overview, the other
/// pairs in the matrix.
HtmlTable differences_table(const ComparedResult& result) {
  const bool lower = !result.higher_is_better;
  HtmlTable table{title_of(result),
                  {{"system"},
                   {"95 % interval", true, lower},
                   {"difference from " + result.systems.front().system, true, lower},
                   {"p", true, true},
                   {"p adjusted", true, true}},
                  {}};
  if (!result.is_main) table.columns.insert(table.columns.begin() + 1, {"score", true, lower});
  std::vector<double> scores;
  std::vector<Interval> intervals;
  for (const ComparedSystem& system : result.systems) {
    scores.push_back(system.score);
    intervals.push_back(system.interval);
  }
  const std::size_t digits = decimals_of(scores, intervals);
  for (const std::size_t s : best_first(scores, result.higher_is_better)) {
    const ComparedSystem& system = result.systems[s];
    const auto pair = std::find_if(result.pairs.begin(), result.pairs.end(), [&](const ComparedPair& one) {
      return one.first == 0 && one.second == s;
    });
    auto& row = table.rows.emplace_back();
    row.push_back(text_cell(system.system));
    if (!result.is_main) row.push_back({fixed_number(system.score, digits), system.score});
    row.push_back({interval_text_of(system.interval, digits), system.interval.low});
    if (pair == result.pairs.end()) {
      row.insert(row.end(), {HtmlCell{"baseline"}, HtmlCell{""}, HtmlCell{""}});
      continue;
    }
    HtmlCell& difference = row.emplace_back(
        HtmlCell{fmt::format("{}{}", pair->difference > 0 ? "+" : "", fixed_number(pair->difference, digits)),
                 pair->difference});
    if (pair->interval) difference.small = fmt::format("[{}]", interval_text_of(*pair->interval, digits));
    row.push_back({probability(pair->p_value), pair->p_value});
    row.push_back({probability(pair->p_adjusted), pair->p_adjusted});
  }
  return table;
}

/// A chart for each metric, right of the overview.
std::string rank_cards(const ComparisonRun& run) {
  std::string out;
  for (const ComparedResult& result : run.results) {
    if (!result.is_main) continue;
    out += fmt::format(
        "<div class=\"card\"><h3>{}</h3>\n<p class=\"note\">95 % intervals; {} is better.</p>\n{}</div>\n",
        escape(title_of(result)), result.higher_is_better ? "higher" : "lower", charts({dots(result)}));
  }
  return "<div class=\"cards\">\n" + out + "</div>\n";
}

}  // namespace

std::string rankings_html(const ComparisonRun& run) {
  std::string out, told;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const ComparedResult& result = run.results[i];
    std::vector<SvgCanvas> canvases;
    if (!result.is_main) canvases.push_back(dots(result));
    if (!result.pairs.empty()) canvases.push_back(matrix(result));
    out += subtitle(title_of(result));
    const std::string note = note_of(result, run);
    if (note != told) {  // once, not for every result
      out +=
          fmt::format("<p class=\"note\">{}. Systems on different sides of a dashed line above differ.</p>\n",
                      escape(note));
      told = note;
    }
    if (!result.higher_is_better) out += "<p class=\"note\">Lower is better.</p>\n";
    out += beside(charts(canvases), to_html(differences_table(result)));
    // Once for all results of a metric.
    const bool last = i + 1 == run.results.size() || run.results[i + 1].signature != result.signature;
    if (last && !result.signature.empty()) out += signature_line(result.signature);
  }
  return out;
}

std::string comparison_page(const ComparisonPage& page) {
  PageFacts facts = page.score.facts;
  const SummaryTable summary = summary_table(page.run);
  facts.headline = headline_of(summary, page.run.alpha);
  return html_page(
      facts,
      {{"Overview", split(overview_html(summary, page.run.ceilings), rank_cards(page.run)) +
                        people_html(page.run.ceilings)},
       {"Differences", rankings_html(page.run)},
       {group_title(group_sizes(page.run)), groups_html(group_sizes(page.run), group_tables(page.run))},
       {"Spread", distributions_html(page.score.run)},
       {"Look at segments", explore_html(page.score.texts, page.score.run, 0)},
       {"Best and worst", examples_html(page.score.examples)},
       {pictures_title(page.score.pictures), pictures_html(page.score.pictures, page.run.ceilings)},
       {"Odd texts", counts_html(page.score.run)}});
}

}  // namespace markeval::report
