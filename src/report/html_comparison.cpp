#include "report/html_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/html_overview.hpp"
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

SvgCanvas dots(const ComparedResult& result, const ComparisonRun& run) {
  DotPlot plot{
      "Score and 95 % interval", "", {}, result.higher_is_better ? RowOrder::falling : RowOrder::rising};
  for (const ComparedSystem& system : result.systems)
    plot.rows.push_back({system.system, system.score, system.interval, {}, system.rank});
  plot.mark = ceiling_score(run.ceilings, result.requested, result.result);
  return draw_dot_plot(plot);
}

SvgCanvas matrix(const ComparedResult& result) {
  std::vector<std::size_t> order(result.systems.size()), place(result.systems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double one = result.systems[a].score, other = result.systems[b].score;
    return result.higher_is_better ? one > other : one < other;
  });
  SignificanceMatrix matrix{"Who is better", "a row is better than a column", {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    matrix.names.push_back(result.systems[order[i]].system);
  }
  for (const ComparedPair& pair : result.pairs) {
    const bool second_better = result.higher_is_better ? pair.difference > 0 : pair.difference < 0;
    matrix.cells.push_back({place[second_better ? pair.second : pair.first],
                            place[second_better ? pair.first : pair.second], pair.p_adjusted});
  }
  return draw_matrix(matrix);
}

/// A number and its interval, with the digits of the column.
HtmlCell interval_cell(double value, const std::optional<Interval>& interval, std::size_t digits) {
  HtmlCell cell = number_cell(value);
  cell.text = fixed_number(value, digits);
  if (interval)
    cell.small =
        fmt::format("[{}, {}]", fixed_number(interval->low, digits), fixed_number(interval->high, digits));
  return cell;
}

/// Every system with its difference from the baseline; the other pairs stand in the matrix.
HtmlTable ranks(const ComparedResult& result) {
  HtmlTable table{
      title_of(result),
      {{"system"}, {"rank", true}, {"score", true}, {"difference", true}, {"p", true}, {"p adjusted", true}},
      {}};
  std::vector<double> scores;
  std::vector<Interval> intervals;
  for (const ComparedSystem& system : result.systems) {
    scores.push_back(system.score);
    intervals.push_back(system.interval);
  }
  const std::size_t digits = decimals_of(scores, intervals);
  for (const std::size_t s : best_first(scores, result.higher_is_better)) {
    const ComparedSystem& system = result.systems[s];
    const auto found = std::find_if(result.pairs.begin(), result.pairs.end(), [&](const ComparedPair& pair) {
      return pair.first == 0 && pair.second == s;
    });
    const ComparedPair pair = found == result.pairs.end() ? ComparedPair{} : *found;
    auto& row = table.rows.emplace_back();
    row = {
        text_cell(system.system),
        HtmlCell{system.best_rank == system.worst_rank
                     ? std::to_string(system.rank)
                     : fmt::format("{}-{}", system.best_rank, system.worst_rank),
                 static_cast<double>(system.best_rank)},
        interval_cell(system.score, system.interval, digits),
        found == result.pairs.end() ? HtmlCell{"-"} : interval_cell(pair.difference, pair.interval, digits),
        HtmlCell{p_text(pair.p_value), pair.p_value},
        HtmlCell{p_text(pair.p_adjusted), pair.p_adjusted}};
  }
  return table;
}

}  // namespace

std::string rankings_html(const ComparisonRun& run) {
  std::string out, told;
  for (std::size_t i = 0; i < run.results.size(); ++i) {
    const ComparedResult& result = run.results[i];
    std::vector<SvgCanvas> canvases{dots(result, run)};
    if (!result.pairs.empty()) canvases.push_back(matrix(result));
    out += subtitle(title_of(result));
    const std::string note = note_of(result, run);
    if (note != told) {  // once, not for every result
      out += fmt::format("<p class=\"note\">{}. Systems on different sides of a dashed line differ.</p>\n",
                         escape(note));
      told = note;
    }
    if (!result.higher_is_better) out += "<p class=\"note\">Lower is better.</p>\n";
    out += charts(canvases) + to_html(ranks(result));
    if (const auto mark = ceiling_score(run.ceilings, result.requested, result.result))
      out += fmt::format("<p class=\"note\">Upright dashed line at {}: {}</p>\n", short_number(*mark),
                         escape(about_ceilings({*ceiling_of(run.ceilings, result.requested)})));
    for (const Result& people : run.ceilings) {
      if (people.requested == result.requested && result.is_main && !is_ceiling(people))
        out += fmt::format("<p class=\"note\">{}</p>\n", escape(about_ceilings({people})));
    }
    // Once for all results of a metric.
    const bool last = i + 1 == run.results.size() || run.results[i + 1].signature != result.signature;
    if (last && !result.signature.empty()) out += signature_line(result.signature);
  }
  return out;
}

std::string comparison_page(const ComparisonPage& page) {
  PageFacts facts = page.score.facts;
  const SummaryTable summary = summary_table(page.run);
  facts.lead = leader_sentence(summary);
  return html_page(facts, {{"Overview", overview_html(summary)},
                           {"Ranks", rankings_html(page.run)},
                           {group_title(group_sizes(page.run)),
                            groups_html(group_sizes(page.run), group_tables(page.run))},
                           {"Segments", distributions_html(page.score.run)},
                           {"Look at segments", explore_html(page.score.texts, page.score.run)},
                           {"Best and worst segments", examples_html(page.score.examples)},
                           {"Maps", pictures_html(page.score.pictures)},
                           {"Empty, truncated, unknown", counts_html(page.score.run)}});
}

}  // namespace markeval::report
