// The table, the dot plots with people's score as a dashed line, and the sentences.
#include "report/html_people.hpp"

#include <fmt/format.h>

#include "report/ceilings.hpp"
#include "report/html_page.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

std::string people_table_html(const SizedTable& sized) {
  Table table = sized.table;
  table.title = fmt::format("Beside people, {}, drawn {} times", sized.size, sized.draws);
  return to_html(table);
}

/// A chart for each metric: the dashed line is people's.
std::vector<SvgCanvas> people_charts(const SizedTable& sized) {
  const Table& table = sized.table;
  std::vector<SvgCanvas> canvases;
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    DotPlot plot{table.columns[column].title + ", " + sized.size,
                 table.columns[column].lower_is_better ? "lower is better" : "higher is better",
                 {},
                 RowOrder::as_given};
    for (const std::size_t row : row_order(table)) {
      DotRow& dot =
          plot.rows.emplace_back(DotRow{table.rows[row].front().text(), *table.rows[row][column].number()});
      if (const auto spread = table.rows[row][column].spread)
        dot.interval = Interval{dot.value - *spread, dot.value + *spread};
    }
    plot.mark = *table.rows.back()[column].number();
    canvases.push_back(draw_dot_plot(plot));
  }
  return canvases;
}

std::string headline_of(PeopleVerdict verdict, const std::vector<std::string>& systems) {
  const bool one = systems.size() == 1;
  const std::string who = few_names(systems, "systems");
  switch (verdict) {
    case PeopleVerdict::copy:
      return fmt::format("{} {} the reference", who, one ? "copies" : "copy");
    case PeopleVerdict::farther:
      return fmt::format("{} {} farther from the reference than people", who, one ? "is" : "are");
    case PeopleVerdict::worse:
      return fmt::format("{} {} behind people in some results", who, one ? "is" : "are");
    case PeopleVerdict::closer:
      return fmt::format("{} {} closer to the reference than people", who, one ? "is" : "are");
    case PeopleVerdict::alike:
      break;
  }
  return who + " cannot be told from people at this size";
}

}  // namespace

Headline people_headline(const std::vector<Ceiling>& ceilings, std::size_t metrics) {
  if (!all_beside_people(ceilings, metrics)) return {};
  std::vector<std::string> sentences;
  std::vector<bool> told(ceilings.front().systems.size(), false);
  for (const PeopleVerdict verdict : {PeopleVerdict::farther, PeopleVerdict::worse, PeopleVerdict::copy,
                                      PeopleVerdict::closer, PeopleVerdict::alike}) {
    std::vector<std::string> systems;
    for (std::size_t s = 0; s < told.size(); ++s) {
      if (told[s] || found_by(ceilings, s, verdict).empty()) continue;
      told[s] = true;
      systems.push_back(name_html(ceilings.front().systems[s].system));
    }
    if (!systems.empty()) sentences.push_back(headline_of(verdict, systems));
  }
  if (sentences.empty()) return {};
  Headline found{sentences.front(), ""};
  for (std::size_t i = 1; i < sentences.size(); ++i) found.detail += (i > 1 ? " " : "") + sentences[i] + ".";
  return found;
}

std::string people_html(const std::vector<Ceiling>& ceilings) {
  if (ceilings.empty()) return "";
  const std::vector<SizedTable> tables = people_tables(ceilings);
  std::string out = tables.empty() ? "" : subtitle("Beside people");
  for (const std::string& sentence : people_verdicts(ceilings)) out += paragraph(sentence);
  std::string numbers;
  std::vector<SvgCanvas> canvases;
  for (const SizedTable& table : tables) {
    numbers += people_table_html(table);
    for (SvgCanvas& canvas : people_charts(table)) canvases.push_back(std::move(canvas));
  }
  if (!tables.empty()) {
    out += split(numbers, charts(canvases));
    out += note(
        "Equally many texts of each system and of people, against as many other texts of the reference; the "
        "dashed line is people's. Bars: one standard deviation over the draws. These numbers may be compared "
        "with each other. The numbers of the whole "
        "sets have another size.");
  }
  for (const std::string& sentence : unnoticed(ceilings)) out += note(sentence);
  return out;
}

}  // namespace markeval::report
