// Porter's stemmer (1980) with the extensions of nltk's PorterStemmer in its default mode: an irregular
// table, -ies and -ied, -y after a consonant, -alli first, -fulli and -logi. rouge-score and nltk's METEOR
// stem with it.
#pragma once

#include <string>
#include <string_view>

namespace markeval::lexical {

/// The stem of a lower-case word. "relational" -> "relat", "dying" -> "die"; words of one or two letters
/// stay. Characters other than a-z count as consonants.
std::string porter_stem(std::string_view word);

}  // namespace markeval::lexical
