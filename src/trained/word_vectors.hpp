// Texts as the networks read them: every piece of every word (or its first alone), all layers of the encoder
// side by side, as float16. Special tokens are encoded with the text and then left out. What is called a word
// here and in the networks is one such row.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/float16.hpp"
#include "base/parallel.hpp"
#include "embed/encoded_texts.hpp"
#include "vectors/vectors.hpp"

namespace markeval::trained {

/// Which pieces of a word a network reads.
enum class Pieces {
  all,    ///< as the program of Mathur et al. does
  first,  ///< as markeval 0.1.0 did
};

/// "all", "first"
std::string_view name(Pieces pieces);
/// Throws Error(usage) naming those there are.
Pieces parse_pieces(std::string_view text);

/// What a network wants of every text: the states of all layers.
embed::EncodeRequest word_request(std::size_t last_layer, bool keeps_states);

/// The tokens of a text that are words to a network.
std::vector<std::uint32_t> kept_words(const embed::EncodedText& text, Pieces pieces);

/// The vectors of a list of texts that grows.
class WordVectors {
 public:
  /// `folder`: the vectors lie in a file there that goes away with the object; empty: in memory.
  WordVectors(std::size_t layers, std::size_t width, Pieces pieces, const std::string& folder = {});

  /// All distinct texts of a block, in order. The block must have what word_request() asks for.
  void add(const embed::EncodedTexts& texts, ThreadPool& pool);

  std::size_t texts() const { return starts_.size() - 1; }
  std::size_t words(std::size_t text) const { return starts_[text + 1] - starts_[text]; }
  const Half* word(std::size_t text, std::size_t index) const {
    return rows_.view().row(starts_[text] + index).data();
  }

 private:
  std::size_t layers_;
  Pieces pieces_;
  vectors::RowStore<Half> rows_;
  std::vector<std::size_t> starts_{0};  ///< in words
};

}  // namespace markeval::trained
