// Vectors of tokens that were made elsewhere: rows of a .npy file and, beside it, a table that says which
// token of which text a row is, and a line that says who made them. `embed --pool none` writes all three.
// Rows of several layers are an array of three dimensions; its layers count from 0.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "embed/vector_source.hpp"
#include "text/corpus.hpp"
#include "vectors/vectors.hpp"

namespace markeval::embed {

/// The table beside an array: "runs/a.npy" -> "runs/a.tokens.tsv".
std::string token_table_of(const std::string& array);
/// The file that names the maker of the vectors: "runs/a.npy" -> "runs/a.source.txt".
std::string token_maker_file_of(const std::string& array);

class TokenVectorSource final : public VectorSource {
 public:
  /// Reads the array and its table. The result has a text for every segment, its tokens as they are written;
  /// it must live as long as this source, which knows a text by where it lies. Throws Error(invalid_input)
  /// that names file and line for a table that does not fit the array, for files of other widths, layers or
  /// makers than the first, and for values that are not finite.
  text::Corpus read(const std::string& array, ThreadPool& pool);

  /// Who made the vectors, in the words of their files: whoever learned from them knows them by it. Throws
  /// Error(invalid_input) where a file that was read does not say it.
  const std::string& maker() const;

  std::size_t last_layer() const override { return layers_ - 1; }
  std::size_t width() const override { return width_; }
  std::size_t limit() override { return static_cast<std::size_t>(-1); }
  std::string model_name() const override { return "token vectors"; }
  std::vector<std::pair<std::string, std::string>> signature() override {
    return {{"input", "token-vectors"}};
  }
  /// Throws Error(usage) for a text of no file that was read: there is no tokenizer.
  std::vector<TokenIds> token_ids(std::span<const std::string_view> texts,
                                  const RunContext& context) override;
  EncodedTexts encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                      const TokenNeed& need, const RunContext& context) override;

 private:
  /// One array and its table.
  struct TokenFile {
    vectors::Vectors rows;
    std::deque<std::string> pieces{};  ///< what the tokens point at
    std::deque<TextTokens> texts{};
  };
  struct KnownText {
    const vectors::Vectors* rows = nullptr;
    std::size_t first_row = 0;
    const TextTokens* tokens = nullptr;
    std::size_t bytes = 0;  ///< of the text
  };
  /// Throws Error(usage) for a text of no file, unless it is empty: that has no tokens.
  KnownText find(std::string_view text) const;
  void read_maker(const std::string& array);

  std::size_t layers_ = 1, width_ = 0;
  std::string maker_;
  std::string named_, unnamed_;  ///< the first array with a maker, and the first one without
  std::deque<TokenFile> files_;
  std::map<const char*, KnownText, std::less<>> texts_;  ///< by where a text begins
};

}  // namespace markeval::embed
