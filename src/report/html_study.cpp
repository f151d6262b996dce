// A table becomes curves, ranked dots, a heat map, bands or stays a table, depending on its kind.
#include "report/html_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/lookup.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_heat_map.hpp"
#include "report/svg_histogram.hpp"
#include "report/svg_line_chart.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kMostOfOurs = 14;    // the best ones are drawn; the table has all
constexpr std::size_t kMostOfCharts = 6;   // dots: one for each column, unless there is a mean
constexpr std::size_t kRowsInSight = 12;   // longer tables of curves are folded
constexpr std::size_t kNamedColumns = 3;   // metric, model, source
constexpr const char* kOurs = "markeval";  // as a source

bool is_agreement(const Table& table) {
  return table.columns.size() > kNamedColumns && table.columns[0].title == "metric" &&
         table.columns[1].title == "model" && table.columns[2].title == "source";
}

/// The table, with ticks for "yes" in columns of "yes" and "-".
std::string numbers_html(Table table) {
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    const bool ticks = std::ranges::all_of(table.rows, [&](const auto& row) {
      const std::string text = row[column].text();
      return text == "yes" || text == "-" || std::holds_alternative<std::monostate>(row[column].value);
    });
    if (!ticks) continue;
    for (auto& row : table.rows) row[column] = row[column].text() == "yes" ? "\u2713" : "";
  }
  return to_html(table);
}

/// "me.petersen" and "me.capture" belong together, "fid.fid" stands alone.
std::string metric_of_column(const std::string& column) {
  const std::size_t dot = column.rfind('.');
  return dot == std::string::npos ? "" : column.substr(0, dot);
}

std::string curves_html(const Table& table) {
  std::vector<std::string> metrics;
  const auto metric_of = [&](const std::string& column) {
    return column == table.apart ? column : metric_of_column(column);
  };
  for (std::size_t column = 1; column < table.columns.size(); ++column) {
    add_once(metrics, metric_of(table.columns[column].title));
  }
  std::string out;
  for (const std::string& metric : metrics) {
    Table part = table;
    part.title = metric;  // where there is none, the table's stands above
    for (std::size_t column = part.columns.size(); --column > 0;) {
      if (metric_of(part.columns[column].title) != metric) remove_column(part, column);
    }
    LineChart chart = line_chart(part, [](const std::string&) { return true; });
    for (std::size_t column = 1; column < part.columns.size(); ++column) {
      std::string& title = part.columns[column].title;
      if (!metric.empty() && title != metric) title.erase(0, metric.size() + 1);
      chart.lines[column - 1].label = title;
    }
    const std::string picture = charts({draw_line_chart(chart)});
    if (metric.empty()) part.title = table.title;
    const std::string numbers = numbers_html(std::move(part));
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
std::vector<Agreement> ranked(const Table& table, std::size_t column, bool ours, bool mean) {
  std::vector<Agreement> found;
  for (const auto& row : table.rows) {
    const double* value = row[column].number();
    if (value == nullptr || (row[2].text() == kOurs) != ours) continue;
    const std::string model = row[1].text();
    Agreement& one = found.emplace_back();
    one.label = short_name(row[0].text()) + (model == "-" ? "" : ", " + model);
    one.value = *value;
    for (std::size_t part = kNamedColumns; mean && part < column; ++part) {
      if (const double* of_part = row[part].number()) one.parts.push_back(*of_part);
    }
  }
  std::ranges::stable_sort(found, [](const Agreement& a, const Agreement& b) { return a.value > b.value; });
  return found;
}

/// Without "source" where all is ours, without "model" where no metric has one; the best first.
Table without_plain_columns(Table table) {
  for (std::size_t column = kNamedColumns - 1; column > 0; --column) {
    const char* plain = column == 1 ? "-" : kOurs;
    if (!std::ranges::all_of(table.rows, [&](const auto& row) { return row[column].text() == plain; }))
      continue;
    remove_column(table, column);
  }
  const auto last = [](const std::vector<Cell>& row) {
    return row.back().number() == nullptr ? -INFINITY : *row.back().number();
  };
  std::ranges::stable_sort(table.rows, [&](const auto& a, const auto& b) { return last(a) > last(b); });
  return table;
}

std::string agreement_html(const Table& table) {
  const auto mean_at = std::ranges::find(table.columns, "mean", &ReportColumn::title);
  const bool mean = mean_at != table.columns.end();
  std::vector<std::size_t> columns;
  if (mean) {
    columns.push_back(static_cast<std::size_t>(mean_at - table.columns.begin()));
  } else {
    for (std::size_t column = kNamedColumns; column < table.columns.size(); ++column)
      columns.push_back(column);
    columns.resize(std::min(columns.size(), kMostOfCharts));
  }
  const bool only_ours =
      std::ranges::all_of(table.rows, [](const auto& row) { return row[2].text() == kOurs; });
  std::string pictures;  // ours and theirs side by side, a row of the page for each column
  bool cut = false;
  for (const std::size_t column : columns) {
    double low = INFINITY, high = -INFINITY;
    std::vector<DotPlot> plots;
    for (const bool ours : {true, false}) {
      DotPlot plot{only_ours
                       ? table.columns[column].title
                       : fmt::format("{}, {}", table.columns[column].title, ours ? "ours" : "the papers'"),
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
  std::string about = mean ? "Large dots are means, small ones the parts. " : "";
  if (cut) about += fmt::format("The chart has our best {}; the table has all.", kMostOfOurs);
  const Table plain = without_plain_columns(table);
  const std::size_t groups = groups_of(plain);
  std::string numbers = numbers_html(groups == 0 ? plain : mean_first(plain, groups <= kMostGroups));
  if (groups > kMostGroups)
    numbers += folded(fmt::format("All {} groups", groups), numbers_html(mean_first(plain, true)));
  return (about.empty() ? "" : note(about)) +
         (only_ours && columns.size() == 1 ? beside(pictures, numbers) : pictures + numbers);
}

std::string heat_html(const Table& table) {
  HeatMap map{"", {}, {}};  // the title stands above
  map.name = table.title;
  for (const auto& row : table.rows) {
    map.names.push_back(row.front().text());
    auto& values = map.values.emplace_back();
    for (std::size_t column = 1; column < row.size(); ++column) {
      const double* number = row[column].number();
      values.push_back(number == nullptr ? std::nullopt : std::optional(*number));
    }
  }
  return charts({draw_heat_map(map)}) + folded("The numbers behind it", numbers_html(table));
}

std::string bands_html(const Table& table) {
  std::vector<Histogram> histograms;
  for (const Band& band : table.bands) {
    if (histograms.empty() || histograms.back().title != band.chart) {
      histograms.emplace_back();
      histograms.back().title = band.chart;
    }
    histograms.back().bands.push_back({band.label, band.values});
  }
  std::vector<SvgCanvas> canvases;
  for (const Histogram& histogram : histograms) canvases.push_back(draw_histogram(histogram));
  return charts(canvases) + folded("The numbers behind it", numbers_html(table));
}

/// Whether the second table has the spreads of the first, which shows them itself.
bool has_spreads(const Table& curve, const Table& table) {
  if (table.rows.empty() || table.rows.size() != curve.rows.size()) return false;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    for (std::size_t column = 1; column < table.columns.size(); ++column) {
      const auto& spread = column < curve.columns.size() ? curve.rows[row][column].spread : std::nullopt;
      const double* number = table.rows[row][column].number();
      if (!spread || number == nullptr || *number != *spread) return false;
    }
  }
  return true;
}

/// "by-human-quality" -> "By human quality"
std::string section_name(std::string name) {
  if (name == "metrics") return "Metrics with each other";
  if (name == "judgements") return "How many judgements";
  std::ranges::replace(name, '-', ' ');
  if (!name.empty() && name.front() >= 'a' && name.front() <= 'z')
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

}  // namespace

std::string study_table_html(const Table& table) {
  if (table.drawing == Drawing::heat) return heat_html(table);
  if (!table.bands.empty()) return bands_html(table);
  if (table.drawing == Drawing::curve) return curves_html(table);
  return is_agreement(table) ? agreement_html(table) : numbers_html(table);
}

std::string study_page(const StudyPage& page) {
  std::vector<PageSection> sections;
  const Table* before = nullptr;
  for (const Table& table : page.study.tables) {
    const bool is_band = before != nullptr && has_spreads(*before, table);
    before = &table;
    if (!is_band) sections.push_back({section_name(table.name), note(table.title) + study_table_html(table)});
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
