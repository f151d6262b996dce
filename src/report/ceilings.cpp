// The table with people as a row, and the sentences about systems that are farther, closer or alike.
#include "report/ceilings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/lookup.hpp"
#include "metric/registry.hpp"
#include "report/cells.hpp"
#include "report/score_tables.hpp"

namespace markeval::report {
namespace {

constexpr double kNothing = 0.01;
constexpr double kMostlyCopied = 0.5;
constexpr std::uint64_t kFewTexts = 100;
constexpr const char* kWordOrder = "fid:samples=word";  ///< the metric that notices scrambled words

bool is_copy(const DrawnScores& system) {
  return system.copied >= kMostlyCopied;
}

std::size_t index_of_main(const Ceiling& ceiling) {
  return index_of(ceiling.people.scores, metric::find_metric(ceiling.metric).main);
}

bool higher_wins(const Ceiling& ceiling) {
  return metric::find_metric(ceiling.metric).better == metric::Better::higher;
}

/// "500 texts"
std::string size_of(const Ceiling& ceiling) {
  return fmt::format("{} {}", ceiling.texts, ceiling.samples == "rows" ? "rows" : "texts");
}

/// "(people), 500 texts"
std::string people_row(const Ceiling& ceiling) {
  return fmt::format("{}, {}", kPeople, size_of(ceiling));
}

/// Why a metric has no row; empty where it has one.
std::string why_no_row(const Ceiling& ceiling) {
  if (!ceiling.missing.empty()) return ceiling.missing;
  if (!higher_wins(ceiling) || ceiling.people.scores[index_of_main(ceiling)].second >= kNothing) return "";
  return "at this size even they score 0; more texts are needed";
}

bool has_row(const Ceiling& ceiling) {
  return why_no_row(ceiling).empty();
}

/// Where only results that count how much of the reference is there find a difference.
const char* about_variety(const std::vector<std::string>& metrics) {
  const bool variety = std::ranges::all_of(metrics, [](const std::string& metric) {
    return metric.ends_with(".recall") || metric.ends_with(".coverage") ||
           metric.ends_with(".schnabel_div") || metric.ends_with(".f8");
  });
  return variety ? ": its texts are less varied" : "";
}

/// People first, then systems: the fewer metrics call one farther the higher it stands, copies last, equal
/// ones as given. So numbers that the test cannot tell apart make no order.
std::vector<std::size_t> people_first(const std::vector<Ceiling>& ceilings) {
  std::vector<double> farther;
  for (std::size_t s = 0; s < ceilings.front().systems.size(); ++s) {
    const std::size_t metrics = found_by(ceilings, s, PeopleVerdict::farther).size() +
                                found_by(ceilings, s, PeopleVerdict::worse).size();
    farther.push_back(is_copy(ceilings.front().systems[s]) ? static_cast<double>(SIZE_MAX)
                                                           : static_cast<double>(metrics));
  }
  std::vector<std::size_t> order = best_first(farther, false);
  order.insert(order.begin(), farther.size());
  return order;
}

std::string sentence_of(PeopleVerdict verdict, const std::vector<std::string>& systems,
                        const std::vector<std::string>& by) {
  const bool one = systems.size() == 1;
  const std::string who = few_names(systems, "systems"), names = fmt::format("{}", fmt::join(by, ", "));
  switch (verdict) {
    case PeopleVerdict::copy:
      return fmt::format(
          "{} {} the reference: most of {} texts stand there word for word, so these numbers say nothing "
          "about {}.",
          who, one ? "copies" : "copy", one ? "its" : "their", one ? "it" : "them");
    case PeopleVerdict::farther:
      return fmt::format("{} {} farther from the reference than other people's texts are ({}).", who,
                         one ? "is" : "are", names);
    case PeopleVerdict::worse:
      return fmt::format("{} {} behind people in {}{}.", who, one ? "is" : "are", few_names(by, "results"),
                         about_variety(by));
    case PeopleVerdict::closer:
      return fmt::format(
          "{} {} closer to the reference than other people's texts are, by copies or by less variety ({}).",
          who, one ? "is" : "are", names);
    case PeopleVerdict::alike:
      break;
  }
  return fmt::format("{} cannot be told from people at this size ({}).", who, names);
}

/// All results of a metric, with their spread over the draws.
Table details_table(const Ceiling& ceiling) {
  std::vector<const DrawnScores*> all;
  std::vector<std::string> names;
  for (const DrawnScores& system : ceiling.systems) all.push_back(&system), names.push_back(system.system);
  all.push_back(&ceiling.people), names.emplace_back(kPeople);
  Table table = named_rows("", ceiling.requested + ", " + size_of(ceiling) + " of each", names);
  for (std::size_t result = 0; result < ceiling.people.scores.size(); ++result) {
    std::vector<Cell> cells;
    for (const DrawnScores* one : all)
      cells.emplace_back(one->scores[result].second).spread = one->spreads[result].second;
    add_column(table, ReportColumn(ceiling.people.scores[result].first, CellKind::number), std::move(cells));
  }
  table.in_parts = true;
  return table;
}

}  // namespace

const char* standing_name(Standing standing) {
  return standing == Standing::farther ? "farther" : standing == Standing::closer ? "closer" : "alike";
}

std::vector<SizedTable> people_tables(const std::vector<Ceiling>& ceilings) {
  std::vector<SizedTable> tables;
  for (const Ceiling& ceiling : ceilings) {
    if (!has_row(ceiling)) continue;
    const std::string size = size_of(ceiling) + " of each";
    auto sized = std::ranges::find(tables, size, &SizedTable::size);
    if (sized == tables.end()) {
      std::vector<std::string> names;
      for (const DrawnScores& system : ceiling.systems) names.push_back(system.system);
      names.push_back(people_row(ceiling));
      sized = tables.insert(sized, {size, ceiling.draws, named_rows("", "system", names)});
      sized->table.order = people_first(ceilings);
      sized->table.brief = sized->table.in_parts = true;  // the charts have the spreads
    }
    const std::size_t which = index_of_main(ceiling);
    ReportColumn column = metric_column(ceiling.metric, ceiling.requested);
    column.result = told_result(ceiling.metric, ceiling.requested, ceiling.people.scores[which].first);
    std::vector<Cell> cells;
    for (const DrawnScores& system : ceiling.systems)
      cells.emplace_back(system.scores[which].second).note =
          is_copy(system) ? "copy" : standing_name(system.standing);
    cells.emplace_back(ceiling.people.scores[which].second);
    for (std::size_t s = 0; s < cells.size(); ++s) {
      const auto& spreads = s < ceiling.systems.size() ? ceiling.systems[s].spreads : ceiling.people.spreads;
      if (which < spreads.size()) cells[s].spread = spreads[which].second;
    }
    add_column(sized->table, std::move(column), std::move(cells));
  }
  return tables;
}

std::vector<std::string> found_by(const std::vector<Ceiling>& ceilings, std::size_t system,
                                  PeopleVerdict verdict) {
  if (is_copy(ceilings.front().systems[system]) != (verdict == PeopleVerdict::copy)) return {};
  std::vector<std::string> found;
  for (const Ceiling& ceiling : ceilings) {
    if (!has_row(ceiling)) continue;
    const DrawnScores& drawn = ceiling.systems[system];
    const bool farther = drawn.standing == Standing::farther;
    std::vector<std::string> worse;
    for (const auto& [result, standing] : drawn.standings) {
      if (!farther && standing == Standing::farther) worse.push_back(ceiling.requested + "." + result);
    }
    switch (verdict) {
      case PeopleVerdict::worse:
        found.insert(found.end(), worse.begin(), worse.end());
        break;
      case PeopleVerdict::alike:  // by some metrics only: the others have the sentence, and the table has all
        if (drawn.standing != Standing::alike || !worse.empty()) return {};
        found.push_back(ceiling.requested);
        break;
      case PeopleVerdict::farther:
      case PeopleVerdict::closer:
        if (drawn.standing == (verdict == PeopleVerdict::farther ? Standing::farther : Standing::closer))
          found.push_back(ceiling.requested);
        break;
      case PeopleVerdict::copy:
        found.push_back(ceiling.requested);
        break;
    }
  }
  return found;
}

std::vector<std::string> people_verdicts(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> sentences;
  if (ceilings.empty()) return sentences;
  for (const PeopleVerdict verdict : kPeopleVerdicts) {
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;  // found by, systems
    for (std::size_t s = 0; s < ceilings.front().systems.size(); ++s) {
      const std::vector<std::string> by = found_by(ceilings, s, verdict);
      if (by.empty()) continue;
      value_of(groups, by).push_back(ceilings.front().systems[s].system);
    }
    for (const auto& [by, systems] : groups) sentences.push_back(sentence_of(verdict, systems, by));
  }
  const auto shown = std::ranges::find_if(ceilings, has_row);
  if (shown != ceilings.end() && shown->texts < kFewTexts)
    sentences.push_back(
        fmt::format("{} of each are few: only large differences are found.", size_of(*shown)));
  for (std::string& sentence : not_beside_people(ceilings)) sentences.push_back(std::move(sentence));
  return sentences;
}

std::vector<std::string> not_beside_people(const std::vector<Ceiling>& ceilings) {
  Named<std::vector<std::string>> by_reason;
  for (const Ceiling& ceiling : ceilings) {
    const std::string why = why_no_row(ceiling);
    if (!why.empty()) value_of(by_reason, why).push_back(ceiling.requested);
  }
  std::vector<std::string> sentences;
  for (const auto& [why, metrics] : by_reason)
    sentences.push_back(fmt::format("{} {} not compared with people's own texts: {}.",
                                    few_names(metrics, "metrics"), metrics.size() == 1 ? "is" : "are", why));
  return sentences;
}

bool all_beside_people(const std::vector<Ceiling>& ceilings, std::size_t metrics) {
  return ceilings.size() == metrics && std::ranges::any_of(ceilings, has_row) &&
         std::ranges::all_of(ceilings, [](const Ceiling& one) { return one.missing.empty(); });
}

std::vector<std::string> unnoticed(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> sentences, of_sentences;
  bool words = false;
  for (const Ceiling& ceiling : ceilings) {
    if (!ceiling.missing.empty()) continue;
    if (ceiling.samples == "sentence") of_sentences.push_back(ceiling.requested);
    words = words || ceiling.samples == "word";
  }
  if (!of_sentences.empty())
    sentences.push_back(fmt::format("{} may miss scrambled words{}.",
                                    few_names(of_sentences, "metrics of sentences"),
                                    words ? "" : fmt::format("; for these add -m {}", kWordOrder)));
  return sentences;
}

std::string outside_beside_people(const std::vector<Ceiling>& ceilings, const std::string& requested,
                                  const std::string& system) {
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.requested != requested || !ceiling.people.outside) continue;
    for (const DrawnScores& one : ceiling.systems) {
      if (one.system == system)
        return fmt::format(
            " At one size, {} of each, {:.0f} % of {} lie far from the reference, and {:.0f} % of people's "
            "own texts.",
            size_of(ceiling), 100 * one.outside.value_or(0), system, 100 * *ceiling.people.outside);
    }
  }
  return "";
}

void add_people(const std::vector<Ceiling>& ceilings, bool details, ReportText& document) {
  if (ceilings.empty()) return;
  for (auto& [size, draws, table] : people_tables(ceilings)) {
    document.caption(fmt::format(
        "Beside people: {}, drawn {} times, against as many other texts of the reference", size, draws));
    document.table(std::move(table));
  }
  for (const std::string& sentence : people_verdicts(ceilings)) document.sentence(sentence);
  for (const std::string& sentence : not_beside_people(ceilings)) document.sentence(sentence, Where::papers);
  for (const std::string& sentence : unnoticed(ceilings)) document.sentence(sentence);
  for (const Ceiling& ceiling : ceilings) {
    if (details && ceiling.missing.empty()) document.table(details_table(ceiling), Where::text);
  }
}

}  // namespace markeval::report
