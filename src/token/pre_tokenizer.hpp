// Pre-tokenizers: how text is cut into the words a model sees. Described by "pre_tokenizer" of
// tokenizer.json.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "token/aligned_text.hpp"

namespace markeval::token {

struct JsonPath;

/// A text and its pieces in order; pieces may leave parts of the text out.
struct PieceList {
  AlignedText text;
  std::vector<Piece> pieces;
  std::size_t most_bytes = most_text_bytes(0);  ///< of `text`
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  /// Cuts the pieces that are no added tokens further; empty ones vanish. `spare` is room to work in.
  virtual void apply(PieceList& list, PieceList& spare) const = 0;
  /// Whether the result depends on where in the original text a piece stood.
  virtual bool needs_source() const { return false; }
};

/// Throws Error(invalid_input) naming the component where it is unknown or lacks a field.
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const nlohmann::json& component, const JsonPath& where);

}  // namespace markeval::token
