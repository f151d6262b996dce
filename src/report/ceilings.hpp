// Systems beside people: what set metrics give equally many texts of both, and what that means in words.
#pragma once

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/report_text.hpp"
#include "report/table.hpp"

namespace markeval::report {

/// How a table calls them.
inline constexpr const char* kPeople = "(people)";

/// "farther", "alike", "closer"
const char* standing_name(Standing standing);

/// The main result of each metric with its standing, for all systems and, as the last one, "(people), 500
/// texts", whose row is the first.
struct SizedTable {
  std::string size;         ///< "500 texts of each"
  std::uint64_t draws = 0;  ///< so many sets were drawn
  Table table;
};
/// One for each size, without metrics that give people's own texts nothing.
std::vector<SizedTable> people_tables(const std::vector<Ceiling>& ceilings);
/// What metrics find of a system, in the order in which it is told.
enum class PeopleVerdict {
  copy,     ///< half of its texts or more stand in the reference
  farther,  ///< by the result that a metric is known by
  worse,    ///< by another result alone: "prdc.recall"
  alike,    ///< by all metrics and results
  closer
};
inline constexpr std::array kPeopleVerdicts{PeopleVerdict::copy, PeopleVerdict::farther, PeopleVerdict::worse,
                                            PeopleVerdict::alike, PeopleVerdict::closer};
/// The metrics, or results of them, that find this of a system; of a copy there is nothing else to say.
std::vector<std::string> found_by(const std::vector<Ceiling>& ceilings, std::size_t system,
                                  PeopleVerdict verdict);
/// Whether this metric, as it was asked for, has numbers beside people.
bool is_beside_people(const std::vector<Ceiling>& ceilings, const std::string& requested);
/// Where a system stands: it cannot be told from people; it is behind them in some result; it is farther by
/// the result that a metric is known by; or its closeness is suspicious, and it is better than nobody.
enum class PeopleLevel { alike, behind, farther, suspicious };
PeopleLevel level_of(const std::vector<Ceiling>& ceilings, std::size_t system);
/// "a copy of the reference", "closer to the reference than people"; empty where it is neither.
std::string suspicion(const std::vector<Ceiling>& ceilings, std::size_t system);
/// Whether a result of this metric tells the system from people.
bool is_told(const std::vector<Ceiling>& ceilings, const std::string& requested, std::size_t system);
/// The systems: the fewer metrics tell one from people the higher it stands, copies last, equal ones as
/// given. So numbers that the test cannot tell apart make no order.
std::vector<std::size_t> order_beside_people(const std::vector<Ceiling>& ceilings);

/// "gen is farther from the reference than other people's texts are (me, fid).": a sentence each. "Cannot be
/// told from people" only where no metric finds a difference.
std::vector<std::string> people_verdicts(const std::vector<Ceiling>& ceilings);
/// "me is not compared with people's own texts: this needs 40 texts ...": those of people_verdicts() that say
/// why a metric has no row.
std::vector<std::string> not_beside_people(const std::vector<Ceiling>& ceilings);
/// Whether so many metrics, all there are, were computed beside people, and a row is to be shown.
bool all_beside_people(const std::vector<Ceiling>& ceilings, std::size_t metrics);
/// What these metrics do not notice, and the option to type: a sentence each.
std::vector<std::string> unnoticed(const std::vector<Ceiling>& ceilings);

/// " At one size, 500 texts of each, 45 % of gen lie far from the reference, and 41 % ..."; empty where it is
/// not known.
std::string outside_beside_people(const std::vector<Ceiling>& ceilings, const std::string& requested,
                                  const std::string& system);

/// All of it, as it stands beside the tables of a run; with details every result and its spread. Markdown and
/// LaTeX have the tables, and why one is missing.
void add_people(const std::vector<Ceiling>& ceilings, bool details, ReportText& document);
/// Adds "ceilings": [{"metric", "request", "scores", "is_ceiling", "system_rows", "reference_rows",
/// "systems", "systems_above", "texts", "draws", "spreads", "at_one_size": [{"system", "scores", "spreads",
/// "standing", "copied"}]}], "verdicts" and "unnoticed" (sentences), where there are any; metrics without a
/// row are in "verdicts" alone. "is_ceiling" is false where every system is closer to the reference than
/// people are.
void add_ceilings(const std::vector<Ceiling>& ceilings, nlohmann::ordered_json& json);

}  // namespace markeval::report
