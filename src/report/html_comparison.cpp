// The sections of the page: overview with a chart per metric, then ranks, differences and the matrix of
// tests.
#include "report/html_comparison.hpp"

#include <fmt/format.h>

#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/html_overview.hpp"
#include "report/html_people.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_matrix.hpp"
#include "report/table_html.hpp"

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
  DotPlot plot{result.is_main ? "" : "Score and 95 % interval", "", {}, RowOrder::as_given};
  for (const std::size_t s : rows_by_rank(result)) {
    const ComparedSystem& system = result.systems[s];
    plot.rows.push_back({system.system, system.score, system.interval, {}, system.rank});
  }
  plot.name = title_of(result);
  if (result.is_main) plot.width = kCardWidth;
  return draw_dot_plot(plot);
}

SvgCanvas matrix(const ComparedResult& result) {
  const std::vector<std::size_t> order = rows_by_rank(result);
  std::vector<std::size_t> which(order.size());
  SignificanceMatrix matrix{"Which is better", "a row is better than a column", {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    which[order[i]] = i;
    matrix.names.push_back(result.systems[order[i]].system);
  }
  for (const ComparedPair& pair : result.pairs) {
    const bool second_better = result.higher_is_better ? pair.difference > 0 : pair.difference < 0;
    matrix.cells.push_back({which[second_better ? pair.second : pair.first],
                            which[second_better ? pair.first : pair.second],
                            pair.held_back ? std::nullopt : pair.p_adjusted});
  }
  return draw_matrix(matrix);
}

std::string differences_html(const ComparedResult& result) {
  Table table = differences_table(result, false);
  table.title = title_of(result);
  table.columns[1].title = "score [95 %]";
  table.columns[2].title = "difference from " + result.systems.front().system;
  table.rows.front()[2] = "baseline";
  table.rows.front()[3] = table.rows.front()[4] = "";
  return to_html(table);
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
    const std::string about = note_of(result, run);
    if (about != told) {  // once, not for every result
      out += note(about + ". Systems on different sides of a dashed line above differ.");
      told = about;
    }
    if (!result.higher_is_better) out += note("Lower is better.");
    out += beside(charts(canvases), differences_html(result));
    // Once for all results of a metric.
    const bool last = i + 1 == run.results.size() || run.results[i + 1].signature != result.signature;
    if (last && !result.signature.empty()) out += signature_line(result.signature);
  }
  return out;
}

std::string comparison_page(const ComparisonPage& page) {
  PageFacts facts = page.score.facts;
  for (std::string& sentence : unnoticed(page.run.ceilings)) facts.warnings.push_back(std::move(sentence));
  const Table summary = summary_table(page.run);
  std::string about;
  for (const std::string& sentence : not_ranked(page.run)) about += note(sentence);
  // The words beside people go before a test that leaves a system out.
  if (!about.empty()) facts.headline = people_headline(page.run.ceilings, summary.columns.size() - 1);
  if (facts.headline.text.empty()) facts.headline = headline_of(summary, page.run.alpha);
  return html_page(
      facts,
      {{"Overview",
        split(overview_html(summary), rank_cards(page.run)) + about + people_html(page.run.ceilings)},
       {"Differences", rankings_html(page.run)},
       {group_title(group_sizes(page.run)), groups_html(group_sizes(page.run), group_tables(page.run))},
       {"Spread", distributions_html(page.score.run)},
       {"Look at segments", explore_html(page.score.texts, page.score.run, 0)},
       {"Best and worst", examples_html(page.score)},
       {pictures_title(page.score.pictures), pictures_html(page.score.pictures, page.run.ceilings)},
       {"Odd texts", counts_html(page.score.run)}});
}

}  // namespace markeval::report
