#include "report/html_overview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/html_page.hpp"
#include "report/html_table.hpp"
#include "report/html_text.hpp"

namespace markeval::report {
namespace {

bool is_best(const SummaryColumn& column, std::size_t system) {
  const auto& values = column.values;
  const double best = column.higher_is_better ? *std::max_element(values.begin(), values.end())
                                              : *std::min_element(values.begin(), values.end());
  return values[system] == best;
}

std::size_t columns_led(const SummaryTable& table, std::size_t system) {
  return static_cast<std::size_t>(std::count_if(table.columns.begin(), table.columns.end(),
                                                [&](const auto& column) { return is_best(column, system); }));
}

/// Those a test does not separate from the best one: "1", "1-3".
bool shares_first_rank(const std::string& rank) {
  return rank == "1" || rank.starts_with("1-");
}

/// "bleu, chrf cannot tell it from online-B", for the metrics on which the leader shares the first rank, best
/// or not; those that name the same systems once.
std::vector<std::string> ties_of(const SummaryTable& table, std::size_t leader) {
  std::vector<std::pair<std::string, std::vector<std::string>>> ties;  // systems, and the metrics
  for (const SummaryColumn& column : table.columns) {
    if (column.ranks.empty() || !shares_first_rank(column.ranks[leader])) continue;
    std::vector<std::string> others;
    for (std::size_t s = 0; s < table.systems.size(); ++s) {
      if (s != leader && shares_first_rank(column.ranks[s])) others.push_back(table.systems[s]);
    }
    if (others.empty()) continue;
    const std::string named = fmt::format("{}", fmt::join(others, ", "));
    const auto known =
        std::find_if(ties.begin(), ties.end(), [&](const auto& tie) { return tie.first == named; });
    if (known == ties.end())
      ties.push_back({named, {column.title}});
    else
      known->second.push_back(column.title);
  }
  std::vector<std::string> sentences;
  for (const auto& [others, metrics] : ties) {
    const bool none = metrics.size() == table.columns.size() && metrics.size() > 1;
    sentences.push_back(none ? "none of them can tell it from " + others
                             : fmt::format("{} cannot tell it from {}", fmt::join(metrics, ", "), others));
  }
  return sentences;
}

}  // namespace

std::string leader_sentence(const SummaryTable& table) {
  if (table.systems.size() < 2 || table.columns.empty()) return "";
  std::size_t leader = 0;
  for (std::size_t s = 1; s < table.systems.size(); ++s) {
    if (columns_led(table, s) > columns_led(table, leader)) leader = s;
  }
  const std::size_t led = columns_led(table, leader), all = table.columns.size();
  std::string out = table.systems[leader];
  out += all == 1     ? " leads"
         : led == all ? fmt::format(" leads on all {} metrics", all)
                      : fmt::format(" leads on {} of {} metrics", led, all);
  for (const std::string& tie : ties_of(table, leader)) out += "; " + tie;
  return out + ".";
}

std::string overview_html(const SummaryTable& table) {
  if (table.systems.size() < 2 || table.columns.size() < 2) return "";
  HtmlTable html{"All systems and metrics", {{"system"}}, {}};
  for (const SummaryColumn& column : table.columns) html.columns.push_back({column.title, true});
  const SummaryColumn& first = table.columns.front();
  bool ranks = false;
  for (const std::size_t system : best_first(first.values, first.higher_is_better)) {
    auto& cells = html.rows.emplace_back();
    cells.push_back(text_cell(table.systems[system]));
    for (const SummaryColumn& column : table.columns) {
      HtmlCell& cell = cells.emplace_back(number_cell(column.values[system]));
      cell.text = fixed_number(column.values[system], decimals_of(column.values, column.intervals));
      cell.best = is_best(column, system);
      if (system < column.ranks.size()) cell.small = fmt::format("({})", column.ranks[system]);
      ranks = ranks || !column.ranks.empty();
    }
  }
  return to_html(html) +
         fmt::format("<p class=\"note\">The best of each column is bold.{}</p>\n",
                     ranks ? " In brackets its rank: systems the test does not separate share it." : "");
}

}  // namespace markeval::report
