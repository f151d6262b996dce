// The texts of a run on their way to everybody who scores them. Lines are worked off in blocks: the
// references and the systems' texts of some lines are encoded together, each distinct text once, and handed
// to every user before the next block begins. So metrics share the states of a text, and memory does not grow
// with the corpus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "embed/vector_source.hpp"
#include "text/corpus.hpp"

namespace markeval::embed {

/// Line i of one file belongs to line i of the others, where metrics look at segments; sets of texts may
/// differ in length.
struct RunTexts {
  std::span<const text::Corpus> references;
  std::span<const text::Corpus> systems;

  /// Number of lines of the longest file.
  std::size_t lines() const;
};

/// Some lines of all files, encoded.
class TextBlock {
 public:
  TextBlock(const RunTexts& texts, std::span<const std::size_t> lines);

  std::span<const std::size_t> lines() const { return lines_; }
  const EncodedTexts& texts() const { return *encoded_; }
  /// Where the texts of line `lines()[index]` of a file are among the distinct ones: one, several references,
  /// or none where the file is shorter.
  std::span<const std::uint32_t> reference(std::size_t file, std::size_t index) const {
    return side(file, index);
  }
  std::span<const std::uint32_t> candidate(std::size_t system, std::size_t index) const {
    return side(references_ + system, index);
  }

  std::span<const std::string_view> given() const { return given_; }
  void set_encoded(const EncodedTexts& encoded) { encoded_ = &encoded; }

 private:
  std::span<const std::uint32_t> side(std::size_t side, std::size_t index) const;

  std::span<const std::size_t> lines_;
  std::size_t references_, sides_;       ///< files of references, and files
  std::vector<std::string_view> given_;  ///< line after line, file after file
  std::vector<std::size_t> starts_;      ///< in given_, of every line and file
  const EncodedTexts* encoded_ = nullptr;
};

/// Somebody who needs vectors of all texts of a run.
class TextUser {
 public:
  virtual ~TextUser() = default;
  virtual EncodeRequest request() const = 0;
  /// Whether blocks must come in the order of the lines. Otherwise lines that share texts come together.
  virtual bool needs_order() const { return false; }
  /// Marks the tokens whose states of the last layer it needs (TokenNeed). All, unless it says otherwise.
  virtual void mark_needed(const TextTokens& tokens, std::span<std::uint8_t> mask) const;
  virtual void take(const TextBlock& block) = 0;
};

/// What encoding found in one file, line by line.
struct FileCounts {
  TextCounts tokens;     ///< where token states were asked for
  TextCounts sentences;  ///< where sentences were

  FileCounts& operator+=(const FileCounts& other);
};
struct RunCounts {
  std::vector<FileCounts> references, systems;  ///< as in RunTexts
};

/// `block_tokens`: about how many tokens of distinct texts make a block; 0: what fits into memory well.
/// Scores do not depend on it. Throws what the source throws; encoder::TextError carries the text.
RunCounts run_texts(VectorSource& source, const RunTexts& texts, std::span<TextUser* const> users,
                    const RunContext& context, std::size_t block_tokens = 0);

/// All lines, each once: in their order, but one that shares a text with an earlier one follows it.
/// References a, b, a, c and different candidates -> 0, 2, 1, 3.
std::vector<std::size_t> order_by_shared_texts(const RunTexts& texts);

}  // namespace markeval::embed
