// The error for hidden states that hold NaN or infinity. It carries the text they belong to: below, nobody
// knows where that text stands; whoever read it catches the error and throws it again with the place.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace markeval::encoder {

class NotFinite : public Error {
 public:
  /// `place` is how the message begins: "refs.txt:3", "text 3".
  NotFinite(const std::string& place, std::string_view text, std::size_t layer)
      : Error(ErrorCode::invalid_input,
              place + ": the model gives NaN or infinity for this text (layer " + std::to_string(layer) +
                  "): its weights are damaged, or its numbers too large for the precision"),
        text_(text),
        layer_(layer) {}

  /// As it was given to the tokenizer; empty where the encoder was not told.
  const std::string& text() const { return text_; }
  NotFinite at(const std::string& place) const { return {place, text_, layer_}; }

 private:
  std::string text_;
  std::size_t layer_;
};

}  // namespace markeval::encoder
