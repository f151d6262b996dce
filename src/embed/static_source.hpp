// Word vectors from a file as a token source: one layer, no special tokens, unknown words left out and
// counted.
#pragma once

#include <string>

#include "embed/static_vectors.hpp"
#include "embed/token_source.hpp"

namespace markeval::embed {

class StaticSource : public TokenSource {
 public:
  /// `name` is the file, for the signature; a text longer than `limit` words is cut there, and counted.
  StaticSource(StaticVectors vectors, std::string name, std::size_t limit = 512)
      : vectors_(std::move(vectors)), name_(std::move(name)), limit_(limit) {}

  std::size_t last_layer() const override { return 0; }
  std::size_t width() const override { return vectors_.width(); }
  std::size_t limit() const override { return limit_; }
  std::string model_name() const override { return name_; }
  std::vector<std::pair<std::string, std::string>> signature() const override;
  std::vector<std::int32_t> token_ids(std::string_view text) const override;
  std::vector<TokenText> encode(std::span<const std::string_view> texts, std::span<const std::size_t> layers,
                                const RunContext& context) override;

 private:
  StaticVectors vectors_;
  std::string name_;
  std::size_t limit_;

  StaticTokens tokens(std::string_view text, std::size_t& cut) const;
};

}  // namespace markeval::embed
