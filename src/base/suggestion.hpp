// "did you mean": the closest right word for a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace markeval {

/// The word of `known` with the smallest edit distance to `typed`, if it is close enough to be a typing mistake.
///   closest_word("schnable", {"petersen", "schnabel"}) -> "schnabel"
std::optional<std::string> closest_word(std::string_view typed, std::span<const std::string> known);

/// "; did you mean 'schnabel'?" or, where nothing is close, "; known: petersen, schnabel".
std::string suggestion(std::string_view typed, std::span<const std::string> known);

}  // namespace markeval
