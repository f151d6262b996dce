// The sections of the page: agreement charts, scatter plots, and the tests between metrics.
#include "report/html_correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/lookup.hpp"
#include "report/cells.hpp"
#include "report/correlation_verdict.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_matrix.hpp"
#include "report/svg_scatter.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kScatterPoints = 400;

SvgCanvas coefficient_chart(const CorrelationRun& run, std::size_t coefficient, std::string title) {
  DotPlot plot{std::move(title), "", {}, RowOrder::as_given};
  for (const std::size_t which : best_metrics_first(run)) {
    const std::string& metric = run.predicted[which];
    DotRow dot{metric, std::numeric_limits<double>::infinity()};
    for (const meta::CorrelationRow& row : run.rows) {
      const auto& value = row.values[coefficient];
      if (row.predicted != metric || !value) continue;
      if (is_whole(row)) {
        dot.value = *value;
        if (coefficient < row.intervals.size()) dot.interval = row.intervals[coefficient];
      } else {
        dot.parts.push_back(*value);
      }
    }
    plot.rows.push_back(std::move(dot));
  }
  return draw_dot_plot(plot);
}

/// Metrics by falling mean coefficient of their tests.
std::vector<std::size_t> ranking(const std::vector<const meta::MetricDifference*>& differences,
                                 std::size_t count) {
  std::vector<double> values(count, -INFINITY);
  for (const meta::MetricDifference* difference : differences) {
    if (difference->first_value) values[difference->first] = *difference->first_value;
    if (difference->second_value) values[difference->second] = *difference->second_value;
  }
  return best_first(values, true);
}

SvgCanvas matrix_of(const CorrelationRun& run, const std::vector<const meta::MetricDifference*>& differences,
                    const std::string& group) {
  const std::vector<std::size_t> order = ranking(differences, run.predicted.size());
  std::vector<std::size_t> rank_of(order.size());
  SignificanceMatrix matrix{
      group == meta::kAllRows ? "all rows" : group, "a row is better than a column", {}, {}};
  for (std::size_t i = 0; i < order.size(); ++i) {
    rank_of[order[i]] = i;
    matrix.names.push_back(run.predicted[order[i]]);
  }
  for (const meta::MetricDifference* difference : differences) {
    if (!difference->difference) continue;
    std::size_t row = rank_of[difference->first], column = rank_of[difference->second];
    if (*difference->difference < 0) std::swap(row, column);
    matrix.cells.push_back({row, column, difference->p_adjusted});
  }
  return draw_matrix(matrix);
}

std::vector<const CorrelationRun*> runs_of(const std::vector<CorrelationPart>& parts) {
  std::vector<const CorrelationRun*> runs;
  for (const CorrelationPart& part : parts) runs.push_back(&part.run);
  return runs;
}

/// Several judgements: the table of all, and a chart with intervals for each.
std::string overview_html(const std::vector<CorrelationPart>& parts) {
  std::vector<SvgCanvas> canvases;
  for (const CorrelationPart& part : parts) canvases.push_back(coefficient_chart(part.run, 0, part.run.gold));
  return to_html(judgements_table(runs_of(parts))) +
         note("Rows stand in the order of their mean place over the judgements.") + charts(canvases);
}

/// One column of human scores: the title of the verdict, "chrf agrees best with human", and the rest below:
/// "pearson 0.62. Worse: bleu." Several columns: what holds for all, and a verdict each below it.
Headline headline_of(const std::vector<CorrelationPart>& parts) {
  Headline found;
  if (parts.size() > 1) {
    for (const CorrelationPart& part : parts)
      found.detail += (found.detail.empty() ? "" : "<br>") + escape(part.run.verdict);
    found.text = escape(title_of_all(runs_of(parts)));
    return found;
  }
  const VerdictParts verdict = verdict_parts(parts.front().run);
  std::string detail = verdict.number.empty() ? verdict.rest : verdict.number + "." + verdict.rest;
  detail.erase(0, detail.find_first_not_of(' '));
  return {escape(verdict.title), escape(detail)};
}

}  // namespace

std::string agreement_html(const CorrelationRun& run) {
  const bool groups = std::ranges::any_of(run.rows, [](const auto& row) { return !is_whole(row); });
  std::string out;
  if (groups) out += note("Large dots are means over groups, small ones the groups.");
  std::vector<SvgCanvas> canvases;
  for (std::size_t i = 0; i < run.coefficients.size(); ++i)
    canvases.push_back(coefficient_chart(run, i, run.coefficients[i]));
  Table ranked = coefficients_table(run, true, "", true), all = coefficients_table(run, false, "", true);
  if (groups) ranked.title = "Means over groups";
  all.title = "Coefficients of groups";
  out +=
      canvases.size() == 1 ? beside(charts(canvases), to_html(ranked)) : charts(canvases) + to_html(ranked);
  if (groups) out += folded("Group by group", to_html(all));
  if (const std::string turned = turned_note(run); !turned.empty()) out += note(turned);
  std::string signatures = signature_line(run.signature);
  for (const std::string& signature : run.metric_signatures) signatures += signature_line(signature);
  return out + folded("how it was computed", signatures);
}

std::string scatters_html(const meta::ScoreTable& table, const std::string& gold, std::size_t limit) {
  std::vector<SvgCanvas> canvases;
  std::size_t most = 0;
  for (std::size_t i = 0; i < std::min(limit, table.predicted.size()); ++i) {
    const meta::PredictedColumn& column = table.predicted[i];
    Scatter scatter{column.name, column.name, gold, {}, kScatterPoints};
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.gold[row] && column.values[row])
        scatter.points.push_back({*column.values[row], *table.gold[row]});
    }
    most = std::max(most, scatter.points.size());
    canvases.push_back(draw_scatter(scatter));
  }
  std::string about;
  if (most >= kLeastForLine)
    about +=
        "The line joins mean human scores of ten equal parts of the rows, from the lowest metric scores to "
        "the highest. ";
  if (most > kScatterPoints)
    about += fmt::format("A sample: {} of {} points are drawn in each. ", kScatterPoints, with_commas(most));
  if (table.predicted.size() > limit)
    about += fmt::format("The first {} of {} metrics are shown.", limit, table.predicted.size());
  return (about.empty() ? "" : note(about)) + charts(canvases);
}

std::string significance_html(const CorrelationRun& run) {
  if (!run.tests) return "";
  const CorrelationTests& tests = *run.tests;
  std::vector<std::string> groups;
  for (const meta::MetricDifference& difference : tests.differences) add_once(groups, difference.group);
  std::vector<SvgCanvas> canvases;
  for (const std::string& group : groups) {
    std::vector<const meta::MetricDifference*> differences;
    for (const meta::MetricDifference& difference : tests.differences) {
      if (difference.group == group) differences.push_back(&difference);
    }
    canvases.push_back(matrix_of(run, differences, group));
  }
  std::string out = note(
      fmt::format("{} of {}, two-sided, adjusted by {}.", tests.test, tests.coefficient, tests.correction));
  const Table table = tests_table(run);
  if (canvases.size() == 1 && table.rows.size() <= 12) return out + beside(charts(canvases), to_html(table));
  out += charts(canvases);
  return out + (table.rows.size() <= 12
                    ? to_html(table)
                    : folded(fmt::format("All {} differences", table.rows.size()), to_html(table)));
}

std::string correlation_page(const CorrelationPage& page) {
  std::vector<PageSection> sections;
  if (page.parts.size() > 1) sections.push_back({"Overview", overview_html(page.parts)});
  for (const auto& [run, table] : page.parts) {
    const std::string agreement = agreement_html(run), significance = significance_html(run),
                      scatters = scatters_html(table, run.gold);
    if (page.parts.size() == 1) {
      sections = {{"Agreement", agreement}, {"Significance", significance}, {"Scatter", scatters}};
    } else {
      sections.push_back({run.gold, agreement +
                                        (significance.empty() ? "" : folded("Significance", significance)) +
                                        folded("Scatter", scatters)});
    }
  }
  PageFacts facts = page.facts;
  facts.headline = headline_of(page.parts);
  return html_page(facts, sections);
}

}  // namespace markeval::report
