// An encoder with its tokenizer as a token source.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "embed/token_source.hpp"
#include "encoder/encoder.hpp"
#include "token/tokenizer.hpp"

namespace markeval::embed {

class EncoderSource : public TokenSource {
 public:
  /// `tokenizer` and `encoder` must outlive the source. `limit`: tokens of a text, specials included; what is
  /// longer is cut and counted. `signature` names the model; `origin` is what its configuration calls it,
  /// where that is another name than the folder's.
  EncoderSource(const token::Tokenizer& tokenizer, encoder::Encoder& encoder, std::size_t limit,
                std::string model_name, std::vector<std::pair<std::string, std::string>> signature,
                std::string origin = {})
      : tokenizer_(tokenizer),
        encoder_(encoder),
        limit_(limit),
        model_name_(std::move(model_name)),
        signature_(std::move(signature)),
        origin_(std::move(origin)) {}

  std::size_t last_layer() const override { return encoder_.dimensions().layers; }
  std::size_t width() const override { return encoder_.dimensions().hidden; }
  std::size_t limit() const override { return limit_; }
  std::string model_name() const override { return model_name_; }
  std::vector<std::string> known_names() const override { return {model_name_, origin_}; }
  std::vector<std::pair<std::string, std::string>> signature() const override { return signature_; }
  std::vector<std::int32_t> token_ids(std::string_view text) const override;
  std::vector<TokenText> encode(std::span<const std::string_view> texts, std::span<const std::size_t> layers,
                                const RunContext& context) override {
    return encode_needed(texts, layers, {}, context);
  }
  std::vector<TokenText> encode_needed(std::span<const std::string_view> texts,
                                       std::span<const std::size_t> layers, const TokenNeed& need,
                                       const RunContext& context) override;

 private:
  const token::Tokenizer& tokenizer_;
  encoder::Encoder& encoder_;
  std::size_t limit_;
  std::string model_name_;
  std::vector<std::pair<std::string, std::string>> signature_;
  std::string origin_;
};

}  // namespace markeval::embed
