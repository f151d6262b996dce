#include "report/html_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <span>

#include "report/ceilings.hpp"
#include "report/cells.hpp"
#include "report/html_overview.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"
#include "report/svg_dot_plot.hpp"
#include "report/svg_histogram.hpp"
#include "report/svg_line_chart.hpp"

namespace markeval::report {
namespace {

using Group = std::vector<const Result*>;  ///< one metric as asked for, a result per system

std::vector<Group> by_request(const RunReport& run) {
  std::vector<Group> groups;
  for (const Result& result : run.results) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const Group& g) { return g.front()->requested == result.requested; });
    if (group == groups.end()) {
      groups.push_back({&result});
    } else {
      group->push_back(&result);
    }
  }
  return groups;
}

const metric::MetricInfo* info_of(const Result& result) {
  for (const metric::MetricInfo& info : metric::registry()) {
    if (info.name == result.metric) return &info;
  }
  return nullptr;
}

bool lower_is_better(const Result& result) {
  const metric::MetricInfo* info = info_of(result);
  return info != nullptr && info->better == metric::Better::lower;
}

std::optional<Interval> interval_of(const Result& result, const std::string& name) {
  for (const auto& [key, interval] : result.intervals) {
    if (key == name) return interval;
  }
  return std::nullopt;
}

/// What all results of a metric need, so that its charts have one axis.
std::optional<Interval> common_domain(const Group& group) {
  double low = INFINITY, high = -INFINITY;
  for (const Result* result : group) {
    for (const auto& [name, value] : result->scores) {
      const auto interval = interval_of(*result, name).value_or(Interval{value, value});
      if (std::isfinite(value))
        low = std::min({low, value, interval.low}), high = std::max({high, value, interval.high});
    }
  }
  if (!(low <= high)) return std::nullopt;
  return Interval{low, high};
}

std::vector<SvgCanvas> score_charts(const Group& group, const std::vector<Result>& ceilings) {
  std::vector<SvgCanvas> canvases;
  const Result& first = *group.front();
  const bool lower = lower_is_better(first);
  const auto row = [](const std::string& label, const Result& result, const std::string& name, double value) {
    return DotRow{label, value, interval_of(result, name)};
  };
  if (group.size() == 1) {
    if (first.scores.size() == 1 && first.intervals.empty()) return {};  // a lonely dot tells nothing
    DotPlot plot{first.system, "", {}, RowOrder::as_given};
    for (const auto& [name, value] : first.scores) plot.rows.push_back(row(name, first, name, value));
    canvases.push_back(draw_dot_plot(plot));
    return canvases;
  }
  for (std::size_t i = 0; i < first.scores.size(); ++i) {
    DotPlot plot{first.scores[i].first, "", {}, lower ? RowOrder::rising : RowOrder::falling};
    if (plot.title == first.requested) plot.title.clear();  // it stands above the chart already
    plot.domain = common_domain(group);
    plot.mark = ceiling_score(ceilings, first.requested, first.scores[i].first);
    if (plot.mark && plot.domain) {
      plot.domain->low = std::min(plot.domain->low, *plot.mark);
      plot.domain->high = std::max(plot.domain->high, *plot.mark);
    }
    for (const Result* result : group) {
      if (i >= result->scores.size()) continue;
      const auto& [name, value] = result->scores[i];
      plot.rows.push_back(row(result->system, *result, name, value));
    }
    canvases.push_back(draw_dot_plot(plot));
  }
  return canvases;
}

/// By the main result, as the charts.
void sort_best_first(Group& group) {
  const bool lower = lower_is_better(*group.front());
  const auto main = [](const Result& result) {
    const metric::MetricInfo* info = info_of(result);
    for (const auto& [name, value] : result.scores) {
      if (info != nullptr && name == info->main) return value;
    }
    return result.scores.front().second;
  };
  std::stable_sort(group.begin(), group.end(), [&](const Result* a, const Result* b) {
    return lower ? main(*a) < main(*b) : main(*a) > main(*b);
  });
}

HtmlTable score_table(const Group& group, const std::vector<Result>& ceilings) {
  HtmlTable table{"Scores of " + group.front()->requested, {{"system"}}, {}};
  for (const auto& [name, value] : group.front()->scores) table.columns.push_back({name, true});
  for (const Result* result : group) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(text_cell(result->system));
    for (const auto& [name, value] : result->scores) {
      cells.push_back(number_cell(value));
      if (const auto interval = interval_of(*result, name)) {
        cells.back().small = short_interval(*interval);
      }
    }
  }
  if (const Result* ceiling = ceiling_of(ceilings, group.front()->requested)) {
    auto& cells = table.rows.emplace_back();
    cells.push_back(text_cell(kPeople));
    for (const auto& [name, value] : ceiling->scores) cells.push_back(number_cell(value));
  }
  return table;
}

/// One line where all systems were scored the same way.
std::string signatures(const Group& group) {
  std::vector<std::pair<std::string, std::string>> seen;  // signature, systems
  for (const Result* result : group) {
    const std::string signature = result->signature();
    const auto found =
        std::find_if(seen.begin(), seen.end(), [&](const auto& s) { return s.first == signature; });
    if (found == seen.end()) {
      seen.emplace_back(signature, result->system);
    } else {
      found->second += ", " + result->system;
    }
  }
  std::string out;
  for (const auto& [signature, systems] : seen) {
    out += signature_line(seen.size() == 1 ? signature : systems + ": " + signature);
  }
  return out;
}

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

bool is_reported_count(const std::string& name) {
  const auto& names = reported_counts();
  return std::any_of(names.begin(), names.end(), [&](const auto& entry) { return entry.first == name; });
}

/// Whole numbers, such as counts in double, without decimals.
std::string detail_number(double value) {
  const bool whole = std::floor(value) == value && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : short_number(value);
}

std::string detail_text(const Detail& value) {
  if (const auto* real = std::get_if<double>(&value)) return detail_number(*real);
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return with_commas(*count);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string list;
  for (const double element : std::get<std::vector<double>>(value))
    list += (list.empty() ? "" : ", ") + detail_number(element);
  return list;
}

/// Details as rows, systems as columns; many systems would be too many columns and become rows too.
std::string details(const Group& group) {
  const bool wide = group.size() > 4;
  HtmlTable table{"Details of " + group.front()->requested, {{"detail"}}, {}};
  if (wide) table.columns = {{"system"}, {"detail"}, {"value"}};
  const std::span<const Result* const> columns = wide ? std::span<const Result* const>() : group;
  for (const Result* result : columns) table.columns.push_back({result->system});
  for (const auto& [name, value] : group.front()->details) {
    if (is_reported_count(name)) continue;
    if (!wide) table.rows.push_back({text_cell(name)});
    for (const Result* result : group) {
      const auto found = std::find_if(result->details.begin(), result->details.end(),
                                      [&key = name](const auto& d) { return d.first == key; });
      const std::string text = found == result->details.end() ? "" : detail_text(found->second);
      if (wide) {
        table.rows.push_back({text_cell(result->system), text_cell(name), text_cell(text)});
      } else {
        table.rows.back().push_back(text_cell(text));
      }
    }
  }
  return table.rows.empty() ? "" : folded("What stands behind these numbers", to_html(table));
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
    double number = 0;
    const auto [end, failed] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (failed == std::errc() && end == value.data() + value.size()) k = number;
  }
  if (!k) return std::nullopt;
  return std::pair(*k, rest);
}

}  // namespace

std::string scores_html(const RunReport& run) {
  std::string out;
  for (Group& group : by_request(run)) {
    sort_best_first(group);
    const metric::MetricInfo* info = info_of(*group.front());
    out += subtitle(group.front()->requested);
    if (info != nullptr) {
      out += fmt::format("<p class=\"note\">{}; {} is better.</p>\n", escape(info->summary),
                         lower_is_better(*group.front()) ? "lower" : "higher");
    }
    const std::vector<SvgCanvas> canvases = score_charts(group, run.ceilings);
    const std::string table = to_html(score_table(group, run.ceilings));
    out += canvases.size() == 1 ? beside(charts(canvases), table) : charts(canvases) + table;
    for (const Result& people : run.ceilings) {
      if (people.requested == group.front()->requested)
        out += fmt::format("<p class=\"note\">{}{}</p>\n", is_ceiling(people) ? "Dashed line: " : "",
                           escape(about_ceilings({people})));
    }
    out += signatures(group) + details(group);
  }
  return out;
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
  for (const Group& group : by_request(run)) {
    const metric::MetricInfo* info = info_of(*group.front());
    if (info == nullptr) continue;
    const std::string& wanted = info->main;
    Histogram histogram{
        group.front()->requested == wanted ? wanted : group.front()->requested + ", " + wanted, "", {}};
    for (const Result* result : group) {
      for (const auto& [name, values] : result->segments) {
        if (name == wanted) histogram.bands.push_back({result->system, values});
      }
    }
    if (!histogram.bands.empty()) canvases.push_back(draw_histogram(histogram));
  }
  if (canvases.empty()) return "";
  return "<p class=\"note\">One score per segment; the upright line is the median.</p>\n" + charts(canvases);
}

std::string counts_html(const RunReport& run) {
  HtmlTable table{"Counts", {{"system"}, {"metric"}}, {}};
  std::vector<std::string> keys;
  for (const auto& [key, label] : reported_counts()) {
    const bool used =
        std::any_of(run.results.begin(), run.results.end(), [&name = key](const Result& result) {
          return std::any_of(result.details.begin(), result.details.end(),
                             [&](const auto& d) { return d.first == name; });
        });
    if (!used) continue;
    keys.push_back(key);
    table.columns.push_back({label, true});
  }
  for (const Result& result : run.results) {
    std::vector<HtmlCell> row{text_cell(result.system), text_cell(result.requested)};
    bool any = false;
    for (const std::string& key : keys) {
      const auto found = std::find_if(result.details.begin(), result.details.end(),
                                      [&](const auto& d) { return d.first == key; });
      const auto* count =
          found == result.details.end() ? nullptr : std::get_if<std::uint64_t>(&found->second);
      row.push_back(count == nullptr ? text_cell("") : count_cell(*count));
      any = any || count != nullptr;
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
  const SummaryTable summary = summary_table(page.run);
  facts.lead = leader_sentence(summary);
  return html_page(
      facts, {{"Overview", overview_html(summary)},
              {"Scores", scores_html(page.run)},
              {group_title(page.run.grouped), groups_html(page.run.grouped, group_tables(page.run.grouped))},
              {"Scores over K", k_curves_html(page.run)},
              {"Segments", distributions_html(page.run)},
              {"Look at segments", explore_html(page.texts, page.run)},
              {"Best and worst segments", examples_html(page.examples)},
              {"Maps", pictures_html(page.pictures)},
              {"Empty, truncated, unknown", counts_html(page.run)}});
}

}  // namespace markeval::report
