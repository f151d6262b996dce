#include "report/ceilings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/quotation.hpp"
#include "metric/registry.hpp"
#include "report/cells.hpp"

namespace markeval::report {
namespace {

constexpr std::size_t kMostNames = 3;
constexpr double kNothing = 0.01;
constexpr const char* kWordOrder = "fid:samples=word";  ///< the metric that notices scrambled words

std::size_t place_of_main(const Ceiling& ceiling) {
  const std::string& main = metric::find_metric(ceiling.metric).main;
  for (std::size_t place = 0; place < ceiling.people.scores.size(); ++place) {
    if (ceiling.people.scores[place].first == main) return place;
  }
  return 0;
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

/// "a", "a and b", "a, b and c"; beyond three names a number: "5 systems".
std::string names_of_few(const std::vector<std::string>& list, const std::string& many) {
  if (list.size() > kMostNames) return fmt::format("{} {}", list.size(), many);
  if (list.size() == 1) return list.front();
  return fmt::format("{} and {}", fmt::join(list.begin(), list.end() - 1, ", "), list.back());
}

/// A share of 0 compares nothing: the sets are too small for the metric.
bool tells_nothing(const Ceiling& ceiling) {
  return higher_wins(ceiling) && ceiling.people.scores[place_of_main(ceiling)].second < kNothing;
}

std::string verdict(Standing standing, const std::vector<std::string>& systems) {
  const char* verb = systems.size() == 1 ? "is" : "are";
  const std::string who = names_of_few(systems, "systems");
  switch (standing) {
    case Standing::farther:
      return fmt::format("{} {} farther from the reference than other people's texts are", who, verb);
    case Standing::closer:
      return fmt::format(
          "{} {} closer to the reference than other people's texts are: less varied texts, or copies, may be", who,
          verb);
    case Standing::alike:
      break;
  }
  return who + " cannot be told from people at this size";
}

/// All results of a metric, with their spread over the draws.
std::string details_to_text(const Ceiling& ceiling, const TextOptions& options) {
  std::vector<std::vector<std::string>> rows{{ceiling.requested + ", " + size_of(ceiling) + " of each"}};
  std::vector<const DrawnScores*> all;
  for (const DrawnScores& system : ceiling.systems) all.push_back(&system);
  all.push_back(&ceiling.people);
  for (const DrawnScores* one : all) rows.push_back({one->system.empty() ? kPeople : one->system});
  for (std::size_t result = 0; result < ceiling.people.scores.size(); ++result) {
    rows[0].push_back(ceiling.people.scores[result].first);
    std::vector<double> values;
    for (const DrawnScores* one : all) values.push_back(one->scores[result].second);
    const std::size_t decimals = options.digits.value_or(decimals_of(values, {}));
    for (std::size_t row = 0; row < all.size(); ++row)
      rows[row + 1].push_back(fmt::format("{} ± {}", fixed_number(values[row], decimals),
                                          fixed_number(all[row]->spreads[result].second, decimals)));
  }
  return align(rows, 1);
}

}  // namespace

std::vector<SizedTable> people_tables(const std::vector<Ceiling>& ceilings) {
  std::vector<SizedTable> tables;
  for (const Ceiling& ceiling : ceilings) {
    const std::string size = size_of(ceiling) + " of each";
    auto sized =
        std::find_if(tables.begin(), tables.end(), [&](const SizedTable& one) { return one.size == size; });
    if (sized == tables.end()) {
      sized = tables.insert(tables.end(), SizedTable{size, {}});
      for (const DrawnScores& system : ceiling.systems) sized->table.systems.push_back(system.system);
      sized->table.systems.push_back(people_row(ceiling));
    }
    const std::size_t place = place_of_main(ceiling);
    SummaryColumn& column = sized->table.columns.emplace_back();
    column.title = ceiling.requested;
    column.higher_is_better = higher_wins(ceiling);
    column.result = told_result(ceiling.metric, ceiling.requested, ceiling.people.scores[place].first);
    for (const DrawnScores& system : ceiling.systems) column.values.push_back(system.scores[place].second);
    column.values.push_back(ceiling.people.scores[place].second);
  }
  return tables;
}

std::vector<std::string> people_verdicts(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> sentences;
  if (ceilings.empty()) return sentences;
  for (const Standing standing : {Standing::farther, Standing::alike, Standing::closer}) {
    std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> groups;  // metrics, systems
    for (std::size_t s = 0; s < ceilings.front().systems.size(); ++s) {
      std::vector<std::string> metrics;
      for (const Ceiling& ceiling : ceilings) {
        if (ceiling.systems[s].standing == standing && !tells_nothing(ceiling))
          metrics.push_back(ceiling.requested);
      }
      if (metrics.empty()) continue;
      auto group =
          std::find_if(groups.begin(), groups.end(), [&](const auto& one) { return one.first == metrics; });
      if (group == groups.end()) group = groups.insert(groups.end(), {metrics, {}});
      group->second.push_back(ceilings.front().systems[s].system);
    }
    for (const auto& [metrics, systems] : groups)
      sentences.push_back(fmt::format("{} ({}).", verdict(standing, systems), fmt::join(metrics, ", ")));
  }
  for (const Ceiling& ceiling : ceilings) {
    if (tells_nothing(ceiling))
      sentences.push_back(
          fmt::format("{} gives people's own texts 0 at this size: it needs more texts.", ceiling.requested));
  }
  return sentences;
}

std::vector<std::string> unnoticed(const std::vector<Ceiling>& ceilings) {
  std::vector<std::string> sentences, of_sentences;
  bool words = false;
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.samples == "sentence") of_sentences.push_back(ceiling.requested);
    words = words || ceiling.samples == "word";
  }
  if (!of_sentences.empty())
    sentences.push_back(fmt::format("{} {} not notice scrambled words, nor texts copied from the reference{}.",
                                    names_of_few(of_sentences, "metrics of sentences"),
                                    of_sentences.size() == 1 ? "does" : "do",
                                    words ? "" : fmt::format("; for scrambled words add -m {}", kWordOrder)));
  return sentences;
}

std::string outside_beside_people(const std::vector<Ceiling>& ceilings, const std::string& requested,
                                  const std::string& system) {
  for (const Ceiling& ceiling : ceilings) {
    if (ceiling.requested != requested || !ceiling.people.outside) continue;
    for (const DrawnScores& one : ceiling.systems) {
      if (one.system == system)
        return fmt::format(" At one size, {} of each, {:.0f} % of {} lie far from the reference, and {:.0f} % of people's own texts.",
                           size_of(ceiling), 100 * one.outside.value_or(0), system,
                           100 * *ceiling.people.outside);
    }
  }
  return "";
}

std::string people_to_text(const std::vector<Ceiling>& ceilings, const TextOptions& options) {
  if (ceilings.empty()) return "";
  std::string out;
  const bool text = options.style == TableStyle::text;
  for (const auto& [size, table] : people_tables(ceilings)) {
    out += "\n";
    if (text) out += fmt::format("Beside people: {}, against as many other texts of the reference\n", size);
    out += write_table(table, options);
  }
  if (!text) return out;
  for (const std::string& sentence : people_verdicts(ceilings)) out += printable(sentence) + "\n";
  for (const std::string& sentence : unnoticed(ceilings)) out += printable(sentence) + "\n";
  for (const Ceiling& ceiling : ceilings) {
    if (options.details) out += "\n" + details_to_text(ceiling, options);
  }
  return out;
}

}  // namespace markeval::report
