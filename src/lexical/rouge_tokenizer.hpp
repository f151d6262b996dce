// The words of ROUGE: runs of a-z and 0-9 after lower-casing, optionally stemmed where longer than three
// letters; as in rouge-score 0.1.2.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace markeval::lexical {

/// `words` and `storage` are overwritten; the words point into `storage`.
///   "The cats' 3.5-litre bowl" -> the cats 3 5 litre bowl
/// `line_ends` gets, for each line of a text of several, the number of words up to its end.
void rouge_words(std::string_view text, bool stem, std::string& storage, std::vector<std::string_view>& words,
                 std::vector<std::size_t>& line_ends);

}  // namespace markeval::lexical
