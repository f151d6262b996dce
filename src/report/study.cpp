// The tables of a study as aligned text, TSV, JSON and SVG line charts.
#include "report/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "report/cells.hpp"
#include "report/svg_line_chart.hpp"

namespace markeval::report {
namespace {

using Json = nlohmann::ordered_json;

// As many digits as it takes to read the same double back.
std::string all_digits(double value) {
  std::array<char, 32> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

std::string shown(const Cell& cell, std::size_t decimals) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&cell)) {
    return std::isfinite(*number) ? fmt::format("{:.{}f}", *number, decimals) : "infinite";
  }
  return "-";
}

std::string written(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return std::to_string(*count);
  if (const auto* number = std::get_if<double>(&cell)) return all_digits(*number);
  return "";
}

Json to_value(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return *count;
  if (const auto* number = std::get_if<double>(&cell))
    return std::isfinite(*number) ? Json(*number) : Json(nullptr);
  return nullptr;
}

/// Columns before the first number stand to the left.
std::size_t left_columns(const StudyTable& table) {
  std::size_t left = table.columns.size();
  for (const auto& row : table.rows) {
    for (std::size_t column = 0; column < left; ++column) {
      if (std::holds_alternative<double>(row[column]) || std::holds_alternative<std::uint64_t>(row[column]))
        left = column;
    }
  }
  return left;
}

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
bool says_nothing(const StudyTable& table, std::size_t column) {
  return table.columns[column] == "source" &&
         std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return row[column] == table.rows.front()[column]; });
}

/// Columns that name a row come first.
std::size_t labels_of(const StudyTable& table) {
  std::size_t labels = 0;
  for (const char* name : {"metric", "model", "source"}) {
    if (labels < table.columns.size() && table.columns[labels] == name) ++labels;
  }
  return labels;
}

std::string to_text(const StudyTable& given) {
  const std::size_t groups = groups_of(given);
  const StudyTable table = groups == 0 ? given : mean_first(given, groups <= kMostGroups);
  std::vector<std::vector<std::string>> rows(1 + table.rows.size());
  std::size_t left = left_columns(table);
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    if (says_nothing(table, column)) {
      --left;
      continue;
    }
    rows[0].push_back(table.columns[column]);
    const bool abscissa = table.curve && column == 0;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const Cell& cell = table.rows[i][column];
      rows[i + 1].push_back(abscissa ? written(cell) : shown(cell, table.decimals));
    }
  }
  const std::string left_out =
      groups <= kMostGroups
          ? ""
          : fmt::format("{} groups are left out here; the JSON, the TSV and the page have them\n", groups);
  return "\n" + table.title + "\n" + align(rows, left) + left_out;
}

}  // namespace

std::size_t groups_of(const StudyTable& table) {
  if (!table.by_group || table.columns.back() != "mean") return 0;
  return table.columns.size() - 1 - labels_of(table);
}

StudyTable mean_first(const StudyTable& table, bool groups) {
  StudyTable turned = table;
  const auto turn = [labels = static_cast<std::ptrdiff_t>(labels_of(table)), groups](auto& row) {
    std::rotate(row.begin() + labels, row.end() - 1, row.end());
    if (!groups) row.erase(row.begin() + labels + 1, row.end());
  };
  turn(turned.columns);
  for (auto& row : turned.rows) turn(row);
  return turned;
}

std::string to_text(const Study& study) {
  std::string out = study.about + "\n";
  if (!study.finding.empty()) out += study.finding + "\n";
  for (const StudyTable& table : study.tables) out += to_text(table);
  if (!study.signatures.empty()) out += "\n";
  for (const std::string& signature : study.signatures) out += "signature: " + signature + "\n";
  return out;
}

std::string to_tsv(const StudyTable& table) {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "\t" : "") + cells[i];
    out += "\n";
  };
  line(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(written(cell));
    line(cells);
  }
  return out;
}

std::string to_tsv(const Study& study) {
  std::string out;
  for (const StudyTable& table : study.tables) {
    if (!out.empty()) out += "\n";
    out += "# " + table.name + "\n" + to_tsv(table);
  }
  return out;
}

LineChart line_chart(const StudyTable& table, const std::function<bool(const std::string&)>& wanted) {
  const auto number = [](const Cell& cell) {
    if (const auto* count = std::get_if<std::uint64_t>(&cell)) return static_cast<double>(*count);
    const auto* value = std::get_if<double>(&cell);
    return value != nullptr ? *value : std::numeric_limits<double>::quiet_NaN();
  };
  LineChart chart;
  chart.title = table.title;
  chart.x_label = table.columns.front();
  std::vector<std::string> colours;  // a name for each
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    if (!wanted(table.columns[column])) continue;
    Line& line = chart.lines.emplace_back();
    line.label = table.columns[column];
    const std::string quality = quality_beside(line.label);
    line.dashed = !quality.empty();
    const auto colour = std::find(colours.begin(), colours.end(), line.dashed ? quality : line.label);
    line.colour = static_cast<std::size_t>(colour - colours.begin());
    if (colour == colours.end()) colours.push_back(line.dashed ? quality : line.label);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      LinePoint& point = line.points.emplace_back(
          LinePoint{number(table.rows[row].front()), number(table.rows[row][column])});
      if (table.deviations.empty()) continue;
      const double deviation = number(table.deviations[row][column]);
      if (std::isfinite(deviation)) point.interval = Interval{point.y - deviation, point.y + deviation};
    }
  }
  return chart;
}

std::string to_svg(const StudyTable& table) {
  LineChart chart = line_chart(table, [](const std::string&) { return true; });
  chart.width = 2 * kChartWidth;
  return draw_line_chart(chart).standalone_svg();
}

std::string to_json(const Study& study) {
  Json json;
  json["markeval"] = version();
  json["study"] = study.name;
  json["about"] = study.about;
  if (!study.finding.empty()) json["finding"] = study.finding;
  json["tables"] = Json::array();
  for (const StudyTable& table : study.tables) {
    Json entry{{"name", table.name}, {"title", table.title}, {"columns", table.columns}};
    entry["rows"] = Json::array();
    for (const auto& row : table.rows) {
      Json cells = Json::array();
      for (const Cell& cell : row) cells.push_back(to_value(cell));
      entry["rows"].push_back(std::move(cells));
    }
    json["tables"].push_back(std::move(entry));
  }
  json["signatures"] = study.signatures;
  json["warnings"] = study.warnings;
  return json_text(json, 1) + "\n";
}

}  // namespace markeval::report
