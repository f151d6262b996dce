// The error for a text that the model cannot encode. It carries the text: below, nobody knows where that text
// stands; whoever read it catches the error and throws it again with the place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace markeval::encoder {

class TextError : public Error {
 public:
  /// `place` is how the message begins: "refs.txt:3", "text 3".
  TextError(const std::string& where, std::string_view text, const std::string& reason)
      : Error(ErrorCode::invalid_input, where + ": " + reason), text_(text), reason_(reason) {}

  /// As it was given to the tokenizer; empty where the encoder was not told.
  const std::string& text() const { return text_; }
  TextError at(const std::string& where) const { return {where, text_, reason_}; }

 private:
  std::string text_, reason_;
};

/// Why: hidden states that hold NaN or infinity.
inline std::string not_finite(std::size_t layer) {
  return "the model gives NaN or infinity for this text (layer " + std::to_string(layer) +
         "): its weights are damaged, or its numbers too large for the precision";
}

}  // namespace markeval::encoder
