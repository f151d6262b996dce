// From Oniguruma's regular expressions, which tokenizer.json holds, to PCRE2's.
#pragma once

#include <string>
#include <string_view>

namespace markeval::token {

struct JsonPath;

/// The expression as PCRE2 must be given it, to match the same. Most stay as they are:
///   " {2,}" -> " {2,}";  "[^\\s]" -> "[^\\p{Z}\\t\\n\\x{0B}\\f\\r\\x{85}]"
/// \p{L} and \p{N} gain the characters of newer versions of Unicode that PCRE2 may lack.
/// Supported: characters, `.`, `^`, `$`, sets with ranges, \n \r \t \f \s \S \d \D \xHH \x{H...}, \p and \P
/// of categories and scripts, escaped punctuation, repeats (also lazy and possessive ones), alternatives,
/// groups
/// (?:...) (?i:...) (?>...) (...) and the four ways of looking around. Throws Error(invalid_input) naming
/// what else it meets: the two libraries read it differently.
std::string to_pcre2(std::string_view expression, const JsonPath& where);

}  // namespace markeval::token
