// People against people: what set metrics give the references' own texts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace markeval::report {

/// How a table calls them.
inline constexpr const char* kPeople = "(people)";

/// Whether it is one: where every system scores better, as systems that say what the references say may,
/// other texts of people tell nothing about the best score possible.
bool is_ceiling(const Result& people);
/// The ceiling of a metric as asked for, or null.
const Result* ceiling_of(const std::vector<Result>& ceilings, const std::string& requested);
/// One of its scores, where it has that.
std::optional<double> ceiling_score(const std::vector<Result>& ceilings, const std::string& requested,
                                    const std::string& score);

/// What a ceiling is, "(people): 60 texts of the reference against the other 60 ...", and which metrics have
/// none.
std::string about_ceilings(const std::vector<Result>& ceilings);
/// [{"metric", "request", "scores", "is_ceiling", "system_rows", "reference_rows", "systems",
/// "systems_above"}]
nlohmann::ordered_json ceilings_to_json(const std::vector<Result>& ceilings);

}  // namespace markeval::report
