// The tokenisers of BLEU, as in sacrebleu 2.6.0: white space and these rules, nothing learned.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace markeval::lexical {

enum class BleuTokenization {
  mteval_13a,     ///< "13a": Western punctuation, as mteval-v13a; WMT's default
  international,  ///< "intl": Unicode punctuation and symbols, as mteval-v14 --international
  character,      ///< "char": every character that is no white space
  chinese,        ///< "zh": every Chinese character, then as 13a
  none,           ///< "none": white space only
};

/// The name used in options and signatures: "13a", "intl", "char", "zh", "none".
std::string_view name_of(BleuTokenization tokenization);
/// Throws Error(usage) naming the closest known name.
BleuTokenization bleu_tokenization(std::string_view name);

/// Splits lines. Holds scratch space: one per thread.
class BleuTokenizer {
 public:
  BleuTokenizer(BleuTokenization tokenization, bool lowercase)
      : tokenization_(tokenization), lowercase_(lowercase) {}

  /// Tokens of one line of UTF-8. `words` is overwritten and points into `line` or `storage`, which is
  /// overwritten too.
  ///   13a: "It's 3.5%, isn't it?" -> It's 3.5 % , isn't it ?
  void tokenize(std::string_view line, std::string& storage, std::vector<std::string_view>& words);

 private:
  BleuTokenization tokenization_;
  bool lowercase_;
  std::u32string line_, spare_;
};

}  // namespace markeval::lexical
