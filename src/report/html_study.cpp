// A table becomes curves, ranked dots, a heat map, bands or stays a table, depending on its kind.
#include "report/html_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html_table.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_heat_map.hpp"
#include "report/svg_histogram.hpp"
#include "report/svg_line_chart.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kMostOfOurs = 14;    // the best ones are drawn; the table has all
constexpr std::size_t kMostOfCharts = 6;   // dots: one for each column, unless there is a mean
constexpr std::size_t kRowsInSight = 12;   // longer tables of curves are folded
constexpr std::size_t kNamedColumns = 3;   // metric, model, source
constexpr const char* kOurs = "markeval";  // as a source

bool is_agreement(const StudyTable& table) {
  return table.columns.size() > kNamedColumns && table.columns[0] == "metric" &&
         table.columns[1] == "model" && table.columns[2] == "source";
}

std::string text_of(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? "" : *text;
}

HtmlCell html_cell(const Cell& cell, std::size_t decimals) {
  if (const auto* text = std::get_if<std::string>(&cell)) return text_cell(*text);
  if (const auto* count = std::get_if<std::uint64_t>(&cell)) return count_cell(*count);
  const auto* number = std::get_if<double>(&cell);
  if (number == nullptr) return text_cell("-");
  if (!std::isfinite(*number)) return number_cell(*number);
  return {fmt::format("{:.{}f}", *number, decimals), *number};
}

/// A column of "yes" and "-" is one of ticks.
bool is_of_ticks(const StudyTable& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
    const std::string text = text_of(row[column]);
    return text == "yes" || text == "-" || std::holds_alternative<std::monostate>(row[column]);
  });
}

HtmlTable numbers_of(const StudyTable& table) {
  HtmlTable numbers{table.title, {}, {}};
  std::vector<bool> ticks;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    ticks.push_back(column > 0 && is_of_ticks(table, column));
    const bool text = std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
      return std::holds_alternative<std::string>(row[column]);
    });
    numbers.columns.push_back({table.columns[column], !text});
  }
  for (const auto& row : table.rows) {
    auto& cells = numbers.rows.emplace_back();
    for (const Cell& cell : row) {
      if (ticks[cells.size()]) {
        cells.push_back(text_cell(text_of(cell) == "yes" ? "\u2713" : ""));
        continue;
      }
      const auto* abscissa = table.curve && cells.empty() ? std::get_if<double>(&cell) : nullptr;
      const std::size_t row_number = numbers.rows.size() - 1, column = cells.size();
      cells.push_back(abscissa == nullptr ? html_cell(cell, table.decimals)
                                          : HtmlCell{fmt::format("{}", *abscissa), *abscissa});
      if (column > 0 && !table.deviations.empty())
        cells.back().small = "\u00b1" + html_cell(table.deviations[row_number][column], table.decimals).text;
    }
  }
  return numbers;
}

/// "me.petersen" and "me.capture" belong together, "fid.fid" stands alone.
std::string metric_of_column(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  return dot == std::string::npos ? "" : column.substr(0, dot);
}

std::string curves_html(const StudyTable& table) {
  std::vector<std::string> metrics;
  const auto metric_of = [&](const std::string& column) {
    return column == table.apart ? column : metric_of_column(column);
  };
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    const std::string metric = metric_of(table.columns[column]);
    if (std::find(metrics.begin(), metrics.end(), metric) == metrics.end()) metrics.push_back(metric);
  }
  std::string out;
  for (const std::string& metric : metrics) {
    const auto wanted = [&](const std::string& column) { return metric_of(column) == metric; };
    const auto short_label = [&](const std::string& column) {
      return metric.empty() || column == metric ? column : column.substr(metric.size() + 1);
    };
    LineChart chart = line_chart(table, wanted);
    chart.title = metric;  // where there is none, the table's stands above
    StudyTable part = table;
    part.columns.resize(1);
    if (!metric.empty()) part.title = metric;
    for (auto& row : part.rows) row.resize(1);
    for (auto& row : part.deviations) row.resize(1);
    for (std::size_t column = 1; column < table.columns.size(); ++column) {
      if (!wanted(table.columns[column])) continue;
      part.columns.push_back(short_label(table.columns[column]));
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        part.rows[row].push_back(table.rows[row][column]);
        if (!table.deviations.empty()) part.deviations[row].push_back(table.deviations[row][column]);
      }
    }
    for (Line& line : chart.lines) line.label = short_label(line.label);
    const std::string numbers = to_html(numbers_of(part));
    const std::string picture = charts({draw_line_chart(chart)});
    out += table.rows.size() > kRowsInSight ? picture + folded("The numbers behind it", numbers)
                                            : beside(picture, numbers);
  }
  return out;
}

/// Without what all set metrics of these studies have: "me:samples=word,scope=segment.petersen" ->
/// "me.petersen". The table has the whole name.
std::string short_name(std::string metric) {
  constexpr std::string_view kUsual = "samples=word,scope=segment";
  const std::size_t at = metric.find(kUsual);
  if (at == std::string::npos || at == 0) return metric;
  const std::size_t after = at + kUsual.size();
  if (after < metric.size() && metric[after] == ',') return metric.erase(at, kUsual.size() + 1);
  return metric.erase(at - 1, kUsual.size() + 1);
}

struct Agreement {
  std::string label, whose;
  double value = 0;
  std::vector<double> parts;
};

/// Rows of one kind, best first.
std::vector<Agreement> ranked(const StudyTable& table, std::size_t column, bool ours, bool mean) {
  std::vector<Agreement> found;
  for (const auto& row : table.rows) {
    const auto* value = std::get_if<double>(&row[column]);
    if (value == nullptr || (text_of(row[2]) == kOurs) != ours) continue;
    const std::string model = text_of(row[1]);
    Agreement& one = found.emplace_back();
    one.label = short_name(text_of(row[0])) + (model == "-" ? "" : ", " + model);
    one.value = *value;
    for (std::size_t part = kNamedColumns; mean && part < column; ++part) {
      if (const auto* of_part = std::get_if<double>(&row[part])) one.parts.push_back(*of_part);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Agreement& a, const Agreement& b) { return a.value > b.value; });
  return found;
}

/// Without "source" where all is ours, without "model" where no metric has one; the best first.
StudyTable without_plain_columns(StudyTable table) {
  for (std::size_t column = kNamedColumns - 1; column > 0; --column) {
    const char* plain = column == 1 ? "-" : kOurs;
    if (!std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const auto& row) { return text_of(row[column]) == plain; }))
      continue;
    const auto which = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + which);
    for (auto& row : table.rows) row.erase(row.begin() + which);
  }
  const auto last = [](const std::vector<Cell>& row) {
    const auto* value = std::get_if<double>(&row.back());
    return value == nullptr ? -INFINITY : *value;
  };
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [&](const auto& a, const auto& b) { return last(a) > last(b); });
  return table;
}

std::string agreement_html(const StudyTable& table) {
  const auto mean_at = std::find(table.columns.begin(), table.columns.end(), "mean");
  const bool mean = mean_at != table.columns.end();
  std::vector<std::size_t> columns;
  if (mean) {
    columns.push_back(static_cast<std::size_t>(mean_at - table.columns.begin()));
  } else {
    for (std::size_t column = kNamedColumns; column < table.columns.size(); ++column)
      columns.push_back(column);
    columns.resize(std::min(columns.size(), kMostOfCharts));
  }
  const bool only_ours = std::all_of(table.rows.begin(), table.rows.end(),
                                     [](const auto& row) { return text_of(row[2]) == kOurs; });
  std::string pictures;  // ours and theirs side by side, a row of the page for each column
  bool cut = false;
  for (const std::size_t column : columns) {
    double low = INFINITY, high = -INFINITY;
    std::vector<DotPlot> plots;
    for (const bool ours : {true, false}) {
      DotPlot plot{only_ours ? table.columns[column]
                             : fmt::format("{}, {}", table.columns[column], ours ? "ours" : "the papers'"),
                   "",
                   {},
                   RowOrder::as_given};
      plot.label_share = 0.56;
      std::vector<Agreement> rows = ranked(table, column, ours, mean);
      cut = cut || rows.size() > kMostOfOurs;
      rows.resize(std::min(rows.size(), ours ? kMostOfOurs : rows.size()));
      for (Agreement& row : rows) {
        low = std::min(low, row.value), high = std::max(high, row.value);
        for (const double part : row.parts) low = std::min(low, part), high = std::max(high, part);
        plot.rows.push_back({std::move(row.label), row.value, {}, std::move(row.parts)});
      }
      if (!plot.rows.empty()) plots.push_back(std::move(plot));
    }
    std::vector<SvgCanvas> canvases;
    for (DotPlot& plot : plots) {
      plot.domain = Interval{low, high};
      canvases.push_back(draw_dot_plot(plot));
    }
    pictures += charts(canvases);
  }
  std::string note = mean ? "Large dots are means, small ones the parts. " : "";
  if (cut) note += fmt::format("The chart has our best {}; the table has all.", kMostOfOurs);
  const StudyTable plain = without_plain_columns(table);
  const std::size_t groups = groups_of(plain);
  std::string numbers = to_html(numbers_of(groups == 0 ? plain : mean_first(plain, groups <= kMostGroups)));
  if (groups > kMostGroups)
    numbers += folded(fmt::format("All {} groups", groups), to_html(numbers_of(mean_first(plain, true))));
  return (note.empty() ? "" : fmt::format("<p class=\"note\">{}</p>\n", escape(note))) +
         (only_ours && columns.size() == 1 ? beside(pictures, numbers) : pictures + numbers);
}

std::string heat_html(const StudyTable& table) {
  HeatMap map{"", {}, {}};  // the title stands above
  map.name = table.title;
  for (const auto& row : table.rows) {
    map.names.push_back(text_of(row.front()));
    auto& values = map.values.emplace_back();
    for (std::size_t column = 1; column < row.size(); ++column) {
      const auto* number = std::get_if<double>(&row[column]);
      values.push_back(number == nullptr ? std::nullopt : std::optional(*number));
    }
  }
  return charts({draw_heat_map(map)}) + folded("The numbers behind it", to_html(numbers_of(table)));
}

std::string bands_html(const StudyTable& table) {
  std::vector<Histogram> histograms;
  for (const StudyBand& band : table.bands) {
    if (histograms.empty() || histograms.back().title != band.chart) {
      histograms.emplace_back();
      histograms.back().title = band.chart;
    }
    histograms.back().bands.push_back({band.label, band.values});
  }
  std::vector<SvgCanvas> canvases;
  for (const Histogram& histogram : histograms) canvases.push_back(draw_histogram(histogram));
  return charts(canvases) + folded("The numbers behind it", to_html(numbers_of(table)));
}

/// "by-human-quality" -> "By human quality"
std::string section_name(std::string name) {
  if (name == "metrics") return "Metrics with each other";
  if (name == "judgements") return "How many judgements";
  std::replace(name.begin(), name.end(), '-', ' ');
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z')
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

}  // namespace

std::string study_table_html(const StudyTable& table) {
  if (table.heat) return heat_html(table);
  if (!table.bands.empty()) return bands_html(table);
  if (table.curve) return curves_html(table);
  return is_agreement(table) ? agreement_html(table) : to_html(numbers_of(table));
}

std::string study_page(const StudyPage& page) {
  std::vector<PageSection> sections;
  const StudyTable* before = nullptr;
  for (const StudyTable& table : page.study.tables) {
    // The curve before it has these numbers as a band.
    const bool is_band = before != nullptr && !table.rows.empty() && before->deviations == table.rows;
    before = &table;
    if (is_band) continue;
    const std::string note = fmt::format("<p class=\"note\">{}</p>\n", escape(table.title));
    sections.push_back({section_name(table.name), note + study_table_html(table)});
  }
  PageFacts facts = page.facts;
  facts.headline.text = escape(page.study.finding);
  std::string signatures;
  for (const std::string& signature : page.study.signatures) signatures += signature_line(signature);
  if (!signatures.empty())
    sections.push_back(
        {"How it was computed", folded(counted(page.study.signatures.size(), "signature"), signatures)});
  return html_page(facts, sections);
}

}  // namespace markeval::report
