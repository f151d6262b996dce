// WordNet (Fellbaum 1998) from its database files: which words share a synset. As nltk's reader does it: base
// forms by the exception lists and one step of suffix rules, for all four parts of speech.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace markeval::lexical {

class WordNet {
 public:
  /// `folder` holds index.noun, data.noun, noun.exc and so on for noun, verb, adj, adv (Debian:
  /// wordnet-base). Throws Error(io) for a missing file and Error(invalid_input) naming the line of a damaged
  /// one.
  explicit WordNet(const std::string& folder);

  /// All words of all synsets of the lower-case `word`, single words only, in no particular order, some maybe
  /// twice.
  std::vector<std::string> synonyms(std::string_view word) const;

 private:
  struct PartOfSpeech {
    explicit PartOfSpeech(const std::string& folder, const std::string& name);
    std::unordered_map<std::string, std::vector<std::uint32_t>>
        synsets;  // lemma -> offsets into the data file
    std::unordered_map<std::string, std::vector<std::string>> exceptions;  // inflected -> base forms
    std::string data_path, data;
  };
  std::vector<PartOfSpeech> parts_;  // noun, verb, adjective, adverb
};

}  // namespace markeval::lexical
