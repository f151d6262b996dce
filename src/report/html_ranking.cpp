#include "report/html_ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/html_table.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_matrix.hpp"

namespace markeval::report {
namespace {

SvgCanvas dots(const Ranking& ranking) {
  DotPlot plot{
      "Score and 95 % interval", "", {}, ranking.lower_is_better ? RowOrder::rising : RowOrder::falling};
  for (const RankedSystem& system : ranking.systems) {
    plot.rows.push_back({system.name, system.score, system.interval, {}, system.rank});
  }
  return draw_dot_plot(plot);
}

SvgCanvas matrix(const Ranking& ranking) {
  std::vector<std::size_t> order(ranking.systems.size()), place(ranking.systems.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double one = ranking.systems[a].score, other = ranking.systems[b].score;
    return ranking.lower_is_better ? one < other : one > other;
  });
  SignificanceMatrix matrix{"Who is better", "a row is better than a column", {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    matrix.names.push_back(ranking.systems[order[i]].name);
  }
  for (const RankedPair& pair : ranking.pairs) {
    const bool second_better = ranking.lower_is_better ? pair.difference < 0 : pair.difference > 0;
    matrix.cells.push_back({place[second_better ? pair.second : pair.first],
                            place[second_better ? pair.first : pair.second], pair.p_value});
  }
  return draw_matrix(matrix);
}

std::string range_text(const std::optional<Range>& range) {
  return range ? fmt::format("[{}, {}]", decimals(range->low), decimals(range->high)) : "";
}

}  // namespace

std::string ranking_html(const Ranking& ranking) {
  HtmlTable table{
      ranking.title,
      {{"system"}, {"rank", true}, {"score", true}, {"difference", true}, {"p", true}, {"p adjusted", true}},
      {}};
  for (const RankedSystem& system : ranking.systems) {
    auto& row = table.rows.emplace_back();
    row = {text_cell(system.name),
           count_cell(system.rank),
           number_cell(system.score),
           number_cell(system.difference),
           HtmlCell{p_text(system.p_value), system.p_value},
           HtmlCell{p_text(system.p_adjusted), system.p_adjusted}};
    row[2].small = range_text(system.interval);
    row[3].small = range_text(system.difference_interval);
  }
  std::vector<SvgCanvas> canvases{dots(ranking)};
  if (!ranking.pairs.empty()) canvases.push_back(matrix(ranking));
  std::string out = subtitle(ranking.title);
  out += fmt::format(
      "<p class=\"note\">{}{} is better. A dashed line parts systems the test separates.</p>\n",
      ranking.note.empty() ? "" : escape(ranking.note) + ". ", ranking.lower_is_better ? "Lower" : "Higher");
  return out + charts(canvases) + to_html(table) +
         (ranking.signature.empty() ? "" : signature_line(ranking.signature));
}

}  // namespace markeval::report
