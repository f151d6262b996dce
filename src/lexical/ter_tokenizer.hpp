// The tokeniser of TER: Tercom's normaliser as sacrebleu 2.6.0 has it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace markeval::lexical {

struct TerOptions {
  bool normalized = false;      ///< unescape entities, split punctuation off
  bool no_punct = false;        ///< remove punctuation
  bool asian_support = false;   ///< with the two above: split or remove Chinese and Japanese characters too
  bool case_sensitive = false;  ///< by default text is lowercased
};

/// Splits lines. Holds scratch space: one per thread.
class TerTokenizer {
 public:
  explicit TerTokenizer(const TerOptions& options) : options_(options) {}

  /// `words` is overwritten and points into `line` or `storage`, which is overwritten too.
  void tokenize(std::string_view line, std::string& storage, std::vector<std::string_view>& words);
  /// sacrebleu sends references through the tokeniser twice, which shows where splitting makes more to split:
  /// "it's<tab>so" keeps "it's" the first time, the tab is a space the second time.
  void tokenize_reference(std::string_view line, std::string& storage, std::vector<std::string_view>& words);

 private:
  void rewrite();

  TerOptions options_;
  std::u32string line_, spare_;
};

}  // namespace markeval::lexical
