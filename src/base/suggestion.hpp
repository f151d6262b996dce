// "did you mean": the closest right word for a mistyped one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace markeval {

/// The word of `known` with the smallest edit distance to `typed`, if it is close enough to be a typing
/// mistake; case and the characters - and _ count last. A word that is the beginning of `typed`, or goes on
/// where it ends, comes before one that is more than a quarter of its letters away.
///   closest_word("rouge-l", {"rouge1", "rougeL"}) -> "rougeL";  closest_word("KIT", {"uedin.1", "KIT.4"}) ->
///   "KIT.4" closest_word("schnable", {"petersen", "schnabel"}) -> "schnabel"
///   closest_word("reference", {"coherence", "ref"}) -> "ref"
/// Only the first 1,000 words are looked at, and none longer than 100 bytes.
std::optional<std::string> closest_word(std::string_view typed, std::span<const std::string> known);

/// "; did you mean 'schnabel'?" or, where nothing is close, "; known: petersen, schnabel".
std::string suggestion(std::string_view typed, std::span<const std::string> known);

/// "no column 'humna'; did you mean 'human'? (columns: lp, human)", with `kind` "column".
std::string missing_name(std::string_view kind, std::string_view typed, std::span<const std::string> known);

}  // namespace markeval
