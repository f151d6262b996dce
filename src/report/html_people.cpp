#include "report/html_people.hpp"

#include <fmt/format.h>

#include "report/ceilings.hpp"
#include "report/html_page.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"

namespace markeval::report {
namespace {

std::string people_table_html(const SizedTable& sized) {
  const SummaryTable& table = sized.table;
  HtmlTable html{"Beside people, " + sized.size, {{sized.size}}, {}};
  for (const SummaryColumn& column : table.columns) html.columns.push_back({heading(column), true});
  const SummaryColumn& first = table.columns.front();
  for (const std::size_t row : best_first(first.values, first.higher_is_better)) {
    auto& cells = html.rows.emplace_back();
    cells.push_back(text_cell(table.systems[row]));
    for (const SummaryColumn& column : table.columns) {
      cells.push_back(number_cell(column.values[row]));
      cells.back().text = fixed_number(column.values[row], decimals_of(column.values, {}));
    }
  }
  return to_html(html);
}

/// A chart for each metric: the dashed line is people's.
std::vector<SvgCanvas> people_charts(const SizedTable& sized) {
  const SummaryTable& table = sized.table;
  std::vector<SvgCanvas> canvases;
  for (const SummaryColumn& column : table.columns) {
    DotPlot plot{column.title + ", " + sized.size,
                 column.higher_is_better ? "higher is better" : "lower is better",
                 {},
                 column.higher_is_better ? RowOrder::falling : RowOrder::rising};
    for (std::size_t row = 0; row < table.systems.size(); ++row)
      plot.rows.push_back({table.systems[row], column.values[row]});
    plot.mark = column.values.back();
    canvases.push_back(draw_dot_plot(plot));
  }
  return canvases;
}

}  // namespace

std::string people_html(const std::vector<Ceiling>& ceilings) {
  if (ceilings.empty()) return "";
  std::string out = subtitle("Beside people");
  for (const std::string& sentence : people_verdicts(ceilings))
    out += fmt::format("<p>{}</p>\n", escape(sentence));
  for (const SizedTable& table : people_tables(ceilings)) {
    out += people_table_html(table);
    out += charts(people_charts(table));
  }
  out += fmt::format(
      "<p class=\"note\">Equally many texts of each system and of people, drawn {} times, against as many other "
      "texts of the reference; the dashed line is people's. These numbers may be compared with each other. The "
      "numbers of the whole sets have another size.</p>\n",
      ceilings.front().draws);
  for (const std::string& sentence : unnoticed(ceilings))
    out += fmt::format("<p class=\"note\">{}</p>\n", escape(sentence));
  return out;
}

}  // namespace markeval::report
