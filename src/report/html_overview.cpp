// Wins per system are counted for the headline; the table lists systems as rows, or metrics as rows for a
// single system.
#include "report/html_overview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/lookup.hpp"
#include "report/html_text.hpp"
#include "report/table_html.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kMostHeadlineMetrics = 3;  ///< of a single system

/// Those a test does not separate from the best one: "1", "1-3".
std::vector<std::size_t> first_ranked(const Table& table, std::size_t column) {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < table.rows.size(); ++s) {
    const std::string& rank = table.rows[s][column].rank;
    if (rank == "1" || rank.starts_with("1-")) found.push_back(s);
  }
  return found;
}

/// few_names() of them, for HTML.
std::string names_of(const Table& table, const std::vector<std::size_t>& systems, const char* many) {
  std::vector<std::string> names;
  for (const std::size_t s : systems) names.push_back(name_html(table.rows[s].front().text()));
  return few_names(names, many);
}

/// How often each system is alone at the top, and the metrics on which nobody is.
struct Wins {
  std::vector<std::size_t> of_system;
  std::vector<std::size_t> winners;     ///< those with most of them, at least one
  std::size_t most = 0, counted = 0;    ///< metrics that part the systems at all
  std::vector<std::string> flat, tied;  ///< one score for all; several at the top
  std::vector<std::string> of_sets;     ///< not tested: the table beside people says what they find
  bool lower = false;                   ///< one of the counted metrics is better low
};

Wins count_wins(const Table& table, bool tested) {
  Wins wins;
  wins.of_system.assign(table.rows.size(), 0);
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    const ReportColumn& column = table.columns[c];
    if (!tested && column.of_sets) {
      wins.of_sets.push_back(column.title);
      continue;
    }
    const std::vector<std::size_t> best = tested ? first_ranked(table, c) : best_shown(table, c);
    if (!tested && best.size() == table.rows.size()) {
      wins.flat.push_back(column.title);
      continue;
    }
    ++wins.counted;
    wins.lower = wins.lower || column.lower_is_better;
    if (best.size() == 1) {
      ++wins.of_system[best.front()];
    } else {
      wins.tied.push_back(column.title);
    }
  }
  wins.most = *std::ranges::max_element(wins.of_system);
  for (std::size_t s = 0; s < table.rows.size(); ++s) {
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

Headline untested(const Table& table) {
  const Wins wins = count_wins(table, false);
  Headline found;
  const std::size_t all = table.columns.size() - 1 - wins.of_sets.size();
  if (all == 0) {
    found.detail =
        "Metrics of sets alone show no winner: they depend on the size of the sets, and no number "
        "of people stands beside them.";
    return found;
  }
  if (wins.counted == 0) {
    found.text = fmt::format("All {} systems have the same scores", table.rows.size());
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
  if (!wins.of_sets.empty())
    found.detail +=
        fmt::format(" Not counted: {}, which depend{} on the size of the sets.",
                    escape(few_names(wins.of_sets, "metrics of sets")), wins.of_sets.size() == 1 ? "s" : "");
  return found;
}

/// "The test of bleu, ter does not separate it from online-B." or, without a leader, "5 systems share the
/// first rank on bleu.": metrics with the same systems at the top together.
std::string shared_ranks(const Table& table, std::optional<std::size_t> leader) {
  std::vector<std::pair<std::vector<std::size_t>, std::vector<std::string>>> shared;  // systems, metrics
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    std::vector<std::size_t> best = first_ranked(table, c);
    if (best.size() < 2) continue;
    if (leader) std::erase(best, *leader);
    value_of(shared, best).push_back(table.columns[c].title);
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
std::string others_than(const Table& table, std::optional<std::size_t> leader) {
  const std::size_t others = table.rows.size() - 1;
  if (others == 1) return leader ? name_html(table.rows[1 - *leader].front().text()) : "the other";
  return others == 2 ? "both others" : fmt::format("all {} others", others);
}

Headline tested(const Table& table, double alpha) {
  const Wins wins = count_wins(table, true);
  const std::string level = fmt::format(" (tested at {:.3g} %)", alpha * 100);
  if (wins.winners.size() == 1) {
    const std::size_t leader = wins.winners.front();
    return {fmt::format("{} is better than {}{}{}", name_html(table.rows[leader].front().text()),
                        others_than(table, leader), on_metrics(wins, table.columns.size() - 1), level),
            shared_ranks(table, leader)};
  }
  if (wins.winners.size() > 1) {
    return {fmt::format("{} are each better than {}{}{}", names_of(table, wins.winners, "systems"),
                        others_than(table, {}), on_metrics(wins, table.columns.size() - 1), level),
            shared_ranks(table, {})};
  }
  const std::vector<std::size_t> first = first_ranked(table, 1);
  bool same = true;
  for (std::size_t c = 2; c < table.columns.size(); ++c) same = same && first_ranked(table, c) == first;
  if (!same) return {"No system is better than all others" + level, shared_ranks(table, {})};
  if (first.size() == table.rows.size())
    return {fmt::format("No test separates the {} systems", table.rows.size()), ""};
  return {fmt::format("{} share the first rank", names_of(table, first, "systems")), ""};
}

/// Metrics as rows.
std::string single_system(const Table& table) {
  Table turned{"All metrics of " + table.rows.front().front().text(),
               {"metric", {"score", CellKind::number}, "better is"},
               {}};
  for (std::size_t c = 1; c < table.columns.size(); ++c) {
    Cell cell = table.rows.front()[c];
    cell.decimals = decimals_of(table, c);
    turned.rows.push_back(
        {heading(table.columns[c]), cell, table.columns[c].lower_is_better ? "lower" : "higher"});
  }
  return to_html(turned);
}

/// Is it a number of a metric people stand beside? A column is called as the metric was asked for, or, on the
/// page of a single metric, by one of its results.
bool has_people(const ReportColumn& column, const std::vector<Ceiling>& ceilings) {
  return std::ranges::any_of(ceilings, [&](const Ceiling& ceiling) {
    const auto& results = ceiling.people.scores;
    if (!ceiling.missing.empty()) return false;
    return ceiling.requested == column.title ||
           std::ranges::any_of(results, [&](const auto& one) { return one.first == column.title; });
  });
}

}  // namespace

Headline headline_of(const Table& table, double alpha) {
  if (table.rows.empty() || table.columns.size() < 2) return {};
  if (table.rows.size() > 1)
    return table.rows.front()[1].rank.empty() ? untested(table) : tested(table, alpha);
  if (table.columns.size() > kMostHeadlineMetrics + 1) return {};
  Headline found{name_html(table.rows.front().front().text()) + ": ", ""};
  for (std::size_t c = 1; c < table.columns.size(); ++c)
    found.text += name_html(fmt::format("{} {}{}", table.columns[c].title,
                                        shown(table.rows.front()[c], table.columns[c], decimals_of(table, c)),
                                        c + 1 == table.columns.size() ? "" : ",")) +
                  " ";
  return found;
}

std::string overview_html(Table table, const std::vector<Ceiling>& ceilings) {
  if (table.rows.empty() || table.columns.size() < 2) return "";
  if (table.rows.size() == 1) return single_system(table);
  bool lower = false;
  std::vector<std::string> plain;
  for (ReportColumn& column : table.columns) {
    lower = lower || column.lower_is_better;
    if (!has_people(column, ceilings)) continue;
    column.marks_best = false;
    plain.push_back(column.title);
  }
  std::string about = "The best of each column is bold.";
  if (!plain.empty()) {
    about =
        plain.size() + 1 == table.columns.size()
            ? "These numbers depend on the size of the sets: they cannot be compared with those of people."
            : fmt::format(
                  "The best of each column is bold, but not of {}: these numbers depend on the size of the "
                  "sets and cannot be compared with those of people.",
                  few_names(plain, "metrics of sets"));
  }
  if (lower) about += " \u2193 lower is better.";
  if (!table.rows.front()[1].rank.empty())
    about += " In brackets its rank: systems the test does not separate share it.";
  return to_html(table) + note(about);
}

}  // namespace markeval::report
