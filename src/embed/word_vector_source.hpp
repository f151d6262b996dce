// Word vectors from a file as a source: one layer, no special tokens, unknown words left out and counted.
#pragma once

#include "embed/static_vectors.hpp"
#include "embed/vector_source.hpp"
#include "text/corpus.hpp"

namespace markeval::embed {

class WordVectorSource final : public VectorSource {
 public:
  /// Reads the file, of which only the words of these texts are kept. A text longer than `limit` words is cut
  /// there, and counted.
  WordVectorSource(const std::string& file, std::span<const text::Corpus> references,
                   std::span<const text::Corpus> systems, std::size_t limit = 512);
  /// For tests: `name` is the file, for the signature.
  WordVectorSource(StaticVectors vectors, std::string name, std::size_t limit = 512);

  std::size_t last_layer() const override { return 0; }
  std::size_t width() const override { return vectors_.width(); }
  std::size_t limit() override { return limit_; }
  std::string model_name() const override { return name_; }
  std::vector<std::pair<std::string, std::string>> signature() override;
  std::vector<TokenIds> token_ids(std::span<const std::string_view> texts,
                                  const RunContext& context) override;
  EncodedTexts encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                      const TokenNeed& need, const RunContext& context) override;

 private:
  StaticTokens tokens(std::string_view text, std::size_t& cut) const;

  StaticVectors vectors_;
  std::string name_;
  std::size_t limit_;
};

}  // namespace markeval::embed
