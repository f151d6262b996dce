// Systems beside people: what set metrics give equally many texts of both, and what that means in words.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/summary.hpp"

namespace markeval::report {

/// How a table calls them.
inline constexpr const char* kPeople = "(people)";

/// The main result of each metric for all systems and, as the last one, "(people), 500 texts".
struct SizedTable {
  std::string size;  ///< "500 texts of each"
  SummaryTable table;
};
/// One for each size.
std::vector<SizedTable> people_tables(const std::vector<Ceiling>& ceilings);
/// "gen is farther from the reference than other people's texts are (me, fid).": a sentence each.
std::vector<std::string> people_verdicts(const std::vector<Ceiling>& ceilings);
/// What these metrics do not notice, and the option to type: a sentence each.
std::vector<std::string> unnoticed(const std::vector<Ceiling>& ceilings);

/// " At one size, 500 texts of each, 45 % of gen lie far from the reference, and 41 % ..."; empty where it is not known.
std::string outside_beside_people(const std::vector<Ceiling>& ceilings, const std::string& requested,
                                  const std::string& system);

/// All of it, as it stands below the tables of a run; with details every result and its spread. Markdown and
/// LaTeX have the tables alone.
std::string people_to_text(const std::vector<Ceiling>& ceilings, const TextOptions& options);
/// Adds "ceilings": [{"metric", "request", "scores", "is_ceiling", "system_rows", "reference_rows", "systems",
/// "systems_above", "texts", "draws", "spreads", "at_one_size": [{"system", "scores", "spreads",
/// "standing"}]}], "verdicts" and "unnoticed" (sentences), where there are any. "is_ceiling" is false where
/// every system is closer to the reference than people are.
void add_ceilings(const std::vector<Ceiling>& ceilings, nlohmann::ordered_json& json);

}  // namespace markeval::report
