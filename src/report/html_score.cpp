// Curves over K, distributions of segment scores, counts, and the assembly of the page.
#include "report/html_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/plain_text.hpp"
#include "report/ceilings.hpp"
#include "report/html_metrics.hpp"
#include "report/html_overview.hpp"
#include "report/html_people.hpp"
#include "report/score_tables.hpp"
#include "report/svg_histogram.hpp"
#include "report/svg_line_chart.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kMostBands = 6;  ///< systems whose distributions are shown unasked

const std::vector<std::pair<std::string, std::string>>& reported_counts() {
  static const std::vector<std::pair<std::string, std::string>> names{
      {"empty_candidates", "empty texts"},
      {"empty_references", "empty references"},
      {"segments_without_words", "without words"},
      {"segments_without_weight", "without weight"},
      {"truncated_texts", "truncated"},
      {"unknown_tokens", "unknown tokens"}};
  return names;
}

std::uint64_t count_of_detail(const Result& result, const std::string& name) {
  for (const auto& [key, value] : result.details) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    if (key == name && count != nullptr) return *count;
  }
  return 0;
}

/// "me:samples=word,k=3" -> "me:samples=word": what the points of a curve over k have in common.
std::string without_k(const std::string& request) {
  const std::size_t colon = request.find(':');
  std::string out = request.substr(0, colon);
  char before = ':';
  for (std::size_t begin = colon; begin < request.size();) {
    const std::size_t end = std::min(request.find(',', begin + 1), request.size());
    const std::string option = request.substr(begin + 1, end - begin - 1);
    begin = end;
    if (option.starts_with("k=")) continue;
    out += before + option;
    before = ',';
  }
  return out;
}

/// k of a signature, and the signature without it.
std::optional<std::pair<double, std::string>> split_k(const Result& result) {
  std::optional<double> k;
  std::string rest = result.metric;
  for (const auto& [key, value] : result.signature_parts) {
    if (key != "k") {
      rest += "|" + key + ":" + value;
      continue;
    }
    if (const auto number = read_number<double>(value)) k = number;
  }
  if (!k) return std::nullopt;
  return std::pair(*k, rest);
}

bool is_constant(const Histogram& histogram) {
  const double first = histogram.bands.empty() || histogram.bands.front().values.empty()
                           ? 0
                           : histogram.bands.front().values.front();
  return std::ranges::all_of(histogram.bands, [&](const HistogramBand& band) {
    return std::ranges::all_of(band.values, [&](double value) { return value == first; });
  });
}

/// "-1 to 1" -> -1, 1: an axis for one value that no score can leave. Absent where the range is open.
std::optional<Interval> whole_range(const std::string& range) {
  Interval found;
  const std::size_t to = range.find(" to ");
  if (to == std::string::npos) return std::nullopt;
  const char* last = range.data() + range.size();
  const auto low = std::from_chars(range.data(), last, found.low);
  const auto high = std::from_chars(range.data() + to + 4, last, found.high);
  if (low.ec != std::errc() || high.ec != std::errc()) return std::nullopt;
  return found;
}

}  // namespace

bool is_reported_count(const std::string& name) {
  const auto& names = reported_counts();
  return std::ranges::any_of(names, [&](const auto& entry) { return entry.first == name; });
}

std::string k_curves_html(const RunReport& run) {
  std::map<std::pair<std::string, std::string>, std::map<double, const Result*>> sweeps;  // system, rest
  std::vector<std::pair<std::string, std::string>> order;
  for (const Result& result : run.results) {
    const auto split = split_k(result);
    if (!split) continue;
    const std::pair key(result.system, split->second);
    if (!sweeps.contains(key)) order.push_back(key);
    sweeps[key].emplace(split->first, &result);
  }
  std::vector<SvgCanvas> canvases;
  for (const auto& key : order) {
    const auto& sweep = sweeps[key];
    if (sweep.size() < 3) continue;
    const Result& first = *sweep.begin()->second;
    LineChart chart{without_k(first.requested) + ", " + key.first, "K", "score", {}};
    for (std::size_t i = 0; i < first.scores.size(); ++i) {
      Line& line = chart.lines.emplace_back();
      line.label = first.scores[i].first;
      for (const auto& [k, result] : sweep) {
        const auto& [name, value] = result->scores[i];
        line.points.push_back({k, value, interval_of(*result, name)});
      }
    }
    canvases.push_back(draw_line_chart(chart));
  }
  return charts(canvases);
}

std::string distributions_html(const RunReport& run) {
  std::vector<SvgCanvas> canvases;
  for (const MetricResults& results : by_request(run.results)) {
    const metric::MetricInfo& info = metric::find_metric(results.front()->metric);
    const std::string& wanted = info.main;
    Histogram histogram{
        results.front()->requested == wanted ? wanted : results.front()->requested + ", " + wanted, {}};
    for (const Result* result : best_system_first(results)) {
      for (const auto& [name, values] : result->segments) {
        if (name == wanted) histogram.bands.push_back({result->system, values});
      }
    }
    if (is_constant(histogram)) histogram.domain = whole_range(info.range);
    if (!histogram.bands.empty()) canvases.push_back(draw_histogram(histogram));
  }
  if (canvases.empty()) return "";
  const std::string shown = note("One score per segment; the upright line is the median.") + charts(canvases);
  const std::size_t systems = by_request(run.results).front().size();
  return systems <= kMostBands ? shown
                               : folded(fmt::format("How the scores of {} systems spread", systems), shown);
}

std::string counts_html(const RunReport& run) {
  Table table{"Counts", {"system", "metric"}, {}};
  std::vector<std::string> keys;
  for (const auto& [key, label] : reported_counts()) {
    const bool used = std::ranges::any_of(
        run.results, [&name = key](const Result& result) { return count_of_detail(result, name) > 0; });
    if (!used) continue;
    keys.push_back(key);
    table.columns.emplace_back(label, CellKind::number);
  }
  for (const Result& result : run.results) {
    std::vector<Cell> row{result.system, result.requested};
    bool any = false;
    for (const std::string& key : keys) {
      const std::uint64_t count = count_of_detail(result, key);
      row.push_back(count == 0 ? Cell("") : Cell(count));
      any = any || count > 0;
    }
    if (any) table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? "" : to_html(table);
}

std::string group_title(const GroupedScores& grouped) {
  return "By " + grouped.column;
}

std::string score_page(const ScorePage& page) {
  PageFacts facts = page.facts;
  for (std::string& sentence : unnoticed(page.run.ceilings)) facts.warnings.push_back(std::move(sentence));
  const Table summary = page_summary(page.run);
  const Table main = summary_table(page.run);
  facts.headline = people_headline(page.run.ceilings, by_request(page.run.results).size());
  if (facts.headline.text.empty()) facts.headline = headline_of(main);
  std::string people = people_html(page.run.ceilings);
  if (!people.empty()) people += subtitle("All texts");
  return html_page(
      facts, {{"Overview", people + split(overview_html(summary), scores_html(page.run))},
              {group_title(page.run.grouped), groups_html(page.run.grouped, group_tables(page.run.grouped))},
              {"Scores over K", k_curves_html(page.run)},
              {"Spread", distributions_html(page.run)},
              {"Look at segments", explore_html(page.texts, page.run)},
              {"Best and worst", examples_html(page)},
              {pictures_title(page.pictures), pictures_html(page.pictures, page.run.ceilings)},
              {"Odd texts", counts_html(page.run)}});
}

}  // namespace markeval::report
