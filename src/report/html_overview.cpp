// Wins per system are counted for the headline; the table lists systems as rows, or metrics as rows for a
// single system.
#include "report/html_overview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "report/html_table.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kMostHeadlineMetrics = 3;  ///< of a single system

std::string shown_number(const SummaryColumn& column, double value) {
  return fixed_number(value, decimals_of(column));
}

/// The systems with the best number as it is printed: numbers that look the same are a tie.
std::vector<std::size_t> best_shown(const SummaryColumn& column) {
  const std::size_t best = best_first(column.values, column.higher_is_better).front();
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < column.values.size(); ++s) {
    if (shown_number(column, column.values[s]) == shown_number(column, column.values[best]))
      found.push_back(s);
  }
  return found;
}

/// Those a test does not separate from the best one: "1", "1-3".
std::vector<std::size_t> first_ranked(const SummaryColumn& column) {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < column.ranks.size(); ++s) {
    if (column.ranks[s] == "1" || column.ranks[s].starts_with("1-")) found.push_back(s);
  }
  return found;
}

/// few_names() of them, for HTML.
std::string names_of(const SummaryTable& table, const std::vector<std::size_t>& systems, const char* many) {
  std::vector<std::string> names;
  for (const std::size_t s : systems) names.push_back(name_html(table.systems[s]));
  return few_names(names, many);
}

/// How often each system is alone at the top, and the metrics on which nobody is.
struct Wins {
  std::vector<std::size_t> of_system;
  std::vector<std::size_t> winners;     ///< those with most of them, at least one
  std::size_t most = 0, counted = 0;    ///< metrics that part the systems at all
  std::vector<std::string> flat, tied;  ///< one score for all; several at the top
  bool lower = false;                   ///< one of the counted metrics is better low
};

Wins count_wins(const SummaryTable& table, bool tested) {
  Wins wins;
  wins.of_system.assign(table.systems.size(), 0);
  for (const SummaryColumn& column : table.columns) {
    const std::vector<std::size_t> best = tested ? first_ranked(column) : best_shown(column);
    if (!tested && best.size() == table.systems.size()) {
      wins.flat.push_back(column.title);
      continue;
    }
    ++wins.counted;
    wins.lower = wins.lower || !column.higher_is_better;
    if (best.size() == 1) {
      ++wins.of_system[best.front()];
    } else {
      wins.tied.push_back(column.title);
    }
  }
  wins.most = *std::max_element(wins.of_system.begin(), wins.of_system.end());
  for (std::size_t s = 0; s < table.systems.size(); ++s) {
    if (wins.most > 0 && wins.of_system[s] == wins.most) wins.winners.push_back(s);
  }
  return wins;
}

std::string on_metrics(const Wins& wins, std::size_t all) {
  if (all == 1) return "";
  if (wins.most < wins.counted) return fmt::format(" on {} of {} metrics", wins.most, wins.counted);
  if (wins.counted == all) return all == 2 ? " on both metrics" : fmt::format(" on all {} metrics", all);
  return wins.counted == 1 ? " on the only metric that differs"
                           : fmt::format(" on the {} metrics that differ", wins.counted);
}

Headline untested(const SummaryTable& table) {
  const Wins wins = count_wins(table, false);
  Headline found;
  const std::size_t all = table.columns.size();
  if (wins.counted == 0) {
    found.text = fmt::format("All {} systems have the same scores", table.systems.size());
    return found;
  }
  const char* best = wins.lower ? "best" : "highest";
  if (wins.winners.empty()) {
    found.text = all == 1 ? "Several systems tie for the best score" : "Systems tie on every metric";
  } else {
    const bool one = wins.winners.size() == 1;
    found.text = fmt::format("{} {} {}{}", names_of(table, wins.winners, "systems"),
                             one ? "scores" : "each score", best, on_metrics(wins, all));
  }
  found.detail =
      "Not tested: a small difference may be chance. <code>markeval compare</code> with the same files tests "
      "it.";
  if (!wins.tied.empty() && !wins.winners.empty())
    found.detail += fmt::format(" A tie on {}.", escape(fmt::format("{}", fmt::join(wins.tied, ", "))));
  if (!wins.flat.empty())
    found.detail += fmt::format(" Not counted: {}, the same for all systems.",
                                escape(fmt::format("{}", fmt::join(wins.flat, ", "))));
  return found;
}

/// "The test of bleu, ter does not separate it from online-B." or, without a leader, "5 systems share the
/// first rank on bleu.": metrics with the same systems at the top together.
std::string shared_ranks(const SummaryTable& table, std::optional<std::size_t> leader) {
  std::vector<std::pair<std::vector<std::size_t>, std::vector<std::string>>> shared;  // systems, metrics
  for (const SummaryColumn& column : table.columns) {
    std::vector<std::size_t> best = first_ranked(column);
    if (best.size() < 2) continue;
    if (leader) std::erase(best, *leader);
    const auto known =
        std::find_if(shared.begin(), shared.end(), [&](const auto& one) { return one.first == best; });
    if (known == shared.end()) {
      shared.push_back({best, {column.title}});
    } else {
      known->second.push_back(column.title);
    }
  }
  std::string out;
  for (const auto& [systems, metrics] : shared) {
    const std::string on = escape(few_names(metrics, "metrics", metrics.size()));
    out += out.empty() ? "" : " ";
    out += leader ? fmt::format("The test of {} does not separate it from {}.", on,
                                names_of(table, systems, "other systems"))
                  : fmt::format("{} share the first rank on {}.", names_of(table, systems, "systems"), on);
  }
  return out;
}

/// "both others"; of two systems the other one by its name, or "the other" where it is nobody's in
/// particular.
std::string others_than(const SummaryTable& table, std::optional<std::size_t> leader) {
  const std::size_t others = table.systems.size() - 1;
  if (others == 1) return leader ? name_html(table.systems[1 - *leader]) : "the other";
  return others == 2 ? "both others" : fmt::format("all {} others", others);
}

Headline tested(const SummaryTable& table, double alpha) {
  const Wins wins = count_wins(table, true);
  const std::string level = fmt::format(" (tested at {:.3g} %)", alpha * 100);
  if (wins.winners.size() == 1) {
    const std::size_t leader = wins.winners.front();
    return {fmt::format("{} is better than {}{}{}", name_html(table.systems[leader]),
                        others_than(table, leader), on_metrics(wins, table.columns.size()), level),
            shared_ranks(table, leader)};
  }
  if (wins.winners.size() > 1) {
    return {fmt::format("{} are each better than {}{}{}", names_of(table, wins.winners, "systems"),
                        others_than(table, {}), on_metrics(wins, table.columns.size()), level),
            shared_ranks(table, {})};
  }
  const std::vector<std::size_t> first = first_ranked(table.columns.front());
  const bool same = std::all_of(table.columns.begin(), table.columns.end(),
                                [&](const SummaryColumn& column) { return first_ranked(column) == first; });
  if (!same) return {"No system is better than all others" + level, shared_ranks(table, {})};
  if (first.size() == table.systems.size())
    return {fmt::format("No test separates the {} systems", table.systems.size()), ""};
  return {fmt::format("{} share the first rank", names_of(table, first, "systems")), ""};
}

/// Metrics as rows.
std::string single_system(const SummaryTable& table) {
  HtmlTable html{"All metrics of " + table.systems.front(), {{"metric"}, {"score", true}}, {}};
  html.columns.push_back({"better is"});
  for (const SummaryColumn& column : table.columns) {
    auto& cells = html.rows.emplace_back();
    cells = {text_cell(heading(column)), number_cell(column.values.front())};
    cells.back().text = shown_number(column, column.values.front());
    if (!column.intervals.empty())
      cells.back().small = fmt::format("[{}, {}]", shown_number(column, column.intervals.front().low),
                                       shown_number(column, column.intervals.front().high));
    cells.push_back(text_cell(column.higher_is_better ? "higher" : "lower"));
  }
  return to_html(html);
}

/// Is it a number of a metric people stand beside? A column is called as the metric was asked for, or, on the
/// page of a single metric, by one of its results.
bool has_people(const SummaryColumn& column, const std::vector<Ceiling>& ceilings) {
  return std::any_of(ceilings.begin(), ceilings.end(), [&](const Ceiling& ceiling) {
    const auto& results = ceiling.people.scores;
    if (!ceiling.missing.empty()) return false;
    return ceiling.requested == column.title ||
           std::any_of(results.begin(), results.end(),
                       [&](const auto& one) { return one.first == column.title; });
  });
}

}  // namespace

Headline headline_of(const SummaryTable& table, double alpha) {
  if (table.systems.empty() || table.columns.empty()) return {};
  if (table.systems.size() > 1)
    return table.columns.front().ranks.empty() ? untested(table) : tested(table, alpha);
  if (table.columns.size() > kMostHeadlineMetrics) return {};
  Headline found{name_html(table.systems.front()) + ": ", ""};
  for (const SummaryColumn& column : table.columns)
    found.text += name_html(fmt::format("{} {}{}", column.title, shown_number(column, column.values.front()),
                                        &column == &table.columns.back() ? "" : ",")) +
                  " ";
  return found;
}

std::string overview_html(const SummaryTable& table, const std::vector<Ceiling>& ceilings) {
  if (table.systems.empty() || table.columns.empty()) return "";
  if (table.systems.size() == 1) return single_system(table);
  HtmlTable html{"All systems and metrics", {{"system"}}, {}};
  for (const SummaryColumn& column : table.columns)
    html.columns.push_back({heading(column), true, !column.higher_is_better});
  bool ranks = false;
  std::vector<std::string> plain;
  for (const SummaryColumn& column : table.columns) {
    if (has_people(column, ceilings)) plain.push_back(column.title);
  }
  for (const std::size_t system : row_order(table)) {
    auto& cells = html.rows.emplace_back();
    cells.push_back(text_cell(table.systems[system]));
    for (const SummaryColumn& column : table.columns) {
      HtmlCell& cell = cells.emplace_back(number_cell(column.values[system]));
      cell.text = shown_number(column, column.values[system]);
      const std::vector<std::size_t> best = best_shown(column);
      cell.best = !has_people(column, ceilings) && best.size() < table.systems.size() &&
                  std::find(best.begin(), best.end(), system) != best.end();
      if (system < column.ranks.size()) {
        cell.small = fmt::format("({})", column.ranks[system]);
      } else if (system < column.intervals.size()) {
        cell.small = fmt::format("[{}, {}]", shown_number(column, column.intervals[system].low),
                                 shown_number(column, column.intervals[system].high));
      }
      ranks = ranks || !column.ranks.empty();
    }
  }
  const bool lower = std::any_of(table.columns.begin(), table.columns.end(),
                                 [](const SummaryColumn& column) { return !column.higher_is_better; });
  std::string bold = "The best of each column is bold.";
  if (!plain.empty()) {
    bold =
        plain.size() == table.columns.size()
            ? "These numbers depend on the size of the sets: they cannot be compared with those of people."
            : fmt::format(
                  "The best of each column is bold, but not of {}: these numbers depend on the size of the "
                  "sets and cannot be compared with those of people.",
                  escape(few_names(plain, "metrics of sets")));
  }
  return to_html(html) +
         fmt::format("<p class=\"note\">{}{}{}</p>\n", bold, lower ? " \u2193 lower is better." : "",
                     ranks ? " In brackets its rank: systems the test does not separate share it." : "");
}

}  // namespace markeval::report
