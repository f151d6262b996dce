// A bounded number of texts on their way through tokenizer and encoder; the inside of TextEncoder::encode.
// A text that occurs twice in a window is encoded once.
#pragma once

#include <string>
#include <vector>

#include "embed/long_text.hpp"
#include "embed/text_encoder.hpp"
#include "encoder/sequence_encoder.hpp"

namespace markeval::embed {

class TextWindow {
 public:
  TextWindow(encoder::Encoder& encoder, const token::Tokenizer& tokenizer, const TextRequest& request,
             const RunContext& context);

  /// Takes texts until the window is full; false when there was none.
  bool fill(TextSource source);
  void encode();
  /// `first`: texts delivered before.
  TextCounts deliver(std::size_t first, TextSink sink) const;

 private:
  struct Entry {
    std::string text;
    token::Encoding tokens;
    std::vector<float> rows;  // layer after layer
    bool is_long = false;
    std::size_t original = 0;  // the first entry with this text; only that one is filled
  };

  void find_originals();
  void tokenize();
  void encode_short();
  void encode_long(Entry& entry);
  void pool_on_host(std::vector<float>& rows, std::size_t count) const;
  std::size_t hidden() const { return encoder_.dimensions().hidden; }

  encoder::Encoder& encoder_;
  const token::Tokenizer& tokenizer_;
  const TextRequest& request_;
  const RunContext& context_;
  std::size_t max_bytes_;
  std::vector<token::TokenizerScratch> scratch_;  // one per worker
  std::vector<Entry> entries_;                    // kept between windows, with their memory
  std::size_t count_ = 0;
  std::vector<std::size_t> originals_;  // entries to encode
};

}  // namespace markeval::embed
