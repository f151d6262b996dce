// How numbers and names look in tables.
#pragma once

#include <optional>
#include <string>

namespace markeval::report {

/// Four decimals do for scores; what would show as 0.0000 gets its digits. Not finite: "infinite".
std::string short_number(double value);

/// Four decimals, or the first digits of what would show as 0.0000; "-" where absent.
std::string probability(const std::optional<double>& value);

/// As many digits as it takes to read the same double back.
std::string all_digits(double value);

/// A name may hold anything; a field of a TSV may not hold what separates fields.
std::string tsv_field(std::string text);

}  // namespace markeval::report
