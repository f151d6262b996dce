// The tables of a study as aligned text, TSV, JSON and SVG line charts.
#include "report/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/json.hpp"
#include "base/version.hpp"
#include "report/json_number.hpp"
#include "report/report_text.hpp"
#include "report/table_data.hpp"

namespace markeval::report {
namespace {

/// Results of set metrics that belong together: how varied texts are, and how good. Ends of their names.
struct DiversityAndQuality {
  std::string_view diversity, quality;
};
constexpr std::array kHalves{DiversityAndQuality{"_div", "_qual"}, DiversityAndQuality{"recall", "precision"},
                             DiversityAndQuality{"coverage", "density"}, DiversityAndQuality{".f8", ".f1_8"}};

/// "me.schnabel_div" -> "me.schnabel_qual"; empty for a result that does not measure diversity.
std::string quality_beside(const std::string& column) {
  for (const auto& [diversity, quality] : kHalves) {
    if (!column.ends_with(diversity)) continue;
    return column.substr(0, column.size() - diversity.size()).append(quality);
  }
  return "";
}

/// A column "source" that says the same in every row: all values were computed here.
bool says_nothing(const Table& table, std::size_t column) {
  return table.columns[column].title == "source" && std::ranges::all_of(table.rows, [&](const auto& row) {
           return row[column].value == table.rows.front()[column].value;
         });
}

/// Columns that name a row come first.
std::size_t labels_of(const Table& table) {
  std::size_t labels = 0;
  for (const char* name : {"metric", "model", "source"}) {
    if (labels < table.columns.size() && table.columns[labels].title == name) ++labels;
  }
  return labels;
}

void add_table(const Table& given, ReportText& document) {
  const std::size_t groups = groups_of(given);
  Table table = groups == 0 ? given : mean_first(given, groups <= kMostGroups);
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    if (says_nothing(table, column)) remove_column(table, column);
  }
  document.caption(table.title);
  document.table(std::move(table));
  if (groups > kMostGroups)
    document.sentence(
        fmt::format("{} groups are left out here; the JSON, the TSV and the page have them", groups));
}

}  // namespace

Table study_table(std::string name, std::string title, std::vector<ReportColumn> columns,
                  std::size_t decimals, Drawing drawing) {
  Table table{std::move(title), std::move(columns), {}};
  table.name = std::move(name);
  table.decimals = decimals;
  table.drawing = drawing;
  if (drawing == Drawing::curve) table.columns.front().decimals = kAllDigits;
  return table;
}

std::size_t groups_of(const Table& table) {
  if (!table.by_group || table.columns.back().title != "mean") return 0;
  return table.columns.size() - 1 - labels_of(table);
}

Table mean_first(const Table& table, bool groups) {
  Table turned = table;
  const auto turn = [labels = static_cast<std::ptrdiff_t>(labels_of(table)), groups](auto& row) {
    std::rotate(row.begin() + labels, row.end() - 1, row.end());
    if (!groups) row.erase(row.begin() + labels + 1, row.end());
  };
  turn(turned.columns);
  for (auto& row : turned.rows) turn(row);
  return turned;
}

std::string to_text(const Study& study, const TextOptions& options) {
  ReportText document;
  document.sentence(study.about, Where::everywhere);
  if (!study.finding.empty()) document.sentence(study.finding);
  for (const Table& table : study.tables) add_table(table, document);
  document.add_signatures(study.signatures);
  return document.write(options);
}

std::string to_tsv(const Study& study) {
  std::string out;
  for (const Table& table : study.tables) {
    if (!out.empty()) out += "\n";
    out += "# " + table.name + "\n" + to_tsv(table);
  }
  return out;
}

LineChart line_chart(const Table& table, const std::function<bool(const std::string&)>& wanted) {
  const auto number = [](const Cell& cell) {
    if (const auto* count = std::get_if<std::uint64_t>(&cell.value)) return static_cast<double>(*count);
    return cell.number() != nullptr ? *cell.number() : std::numeric_limits<double>::quiet_NaN();
  };
  LineChart chart;
  chart.title = table.title;
  chart.x_label = table.columns.front().title;
  std::vector<std::string> colours;  // a name for each
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    if (!wanted(table.columns[column].title)) continue;
    Line& line = chart.lines.emplace_back();
    line.label = table.columns[column].title;
    const std::string quality = quality_beside(line.label);
    line.dashed = !quality.empty();
    const auto colour = std::ranges::find(colours, line.dashed ? quality : line.label);
    line.colour = static_cast<std::size_t>(colour - colours.begin());
    if (colour == colours.end()) colours.push_back(line.dashed ? quality : line.label);
    for (const auto& row : table.rows) {
      LinePoint& point = line.points.emplace_back(LinePoint{number(row.front()), number(row[column])});
      if (row[column].spread)
        point.interval = Interval{point.y - *row[column].spread, point.y + *row[column].spread};
    }
  }
  return chart;
}

std::string to_svg(const Table& table) {
  LineChart chart = line_chart(table, [](const std::string&) { return true; });
  chart.width = 2 * kChartWidth;
  return draw_line_chart(chart).standalone_svg();
}

std::string to_json(const Study& study) {
  nlohmann::ordered_json json{{"markeval", version()}, {"study", study.name}, {"about", study.about}};
  if (!study.finding.empty()) json["finding"] = study.finding;
  json["tables"] = nlohmann::ordered_json::array();
  for (const Table& table : study.tables) json["tables"].push_back(to_json(table));
  json["signatures"] = study.signatures;
  json["warnings"] = study.warnings;
  return written_json(json) + "\n";
}

}  // namespace markeval::report
