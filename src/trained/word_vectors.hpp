// Texts -> frozen word vectors: the first piece of every word, all layers of the encoder side by side.
// Encoded once (through the cache) and held as float16 in one mapped file, so that an epoch reads and never
// encodes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mapped_file.hpp"
#include "base/run_context.hpp"
#include "embed/cached_encoding.hpp"
#include "embed/token_source.hpp"
#include "trained/half.hpp"

namespace markeval::trained {

/// What encoding found besides the vectors.
struct WordCounts {
  std::size_t cut_texts = 0;  ///< longer than the encoder takes
  std::size_t unknown = 0;    ///< tokens the vocabulary lacks
};

class WordEncoder {
 public:
  /// `source` and `cache` must outlive it; `key` names everything a vector depends on besides its text.
  WordEncoder(embed::TokenSource& source, cache::VectorCache& cache, embed::CacheContext key,
              ThreadPool& pool);

  std::size_t layers() const { return source_.last_layer() + 1; }
  std::size_t width() const { return source_.width(); }
  std::size_t row_size() const { return layers() * width(); }

  /// Every text in order: a row per word, row_size() wide. Texts without white space at the ends.
  void encode(std::span<const std::string_view> texts, embed::RowsSink sink, const RunContext& context);

 private:
  embed::TokenSource& source_;
  embed::CachedEncoding encoding_;
};

/// The vectors of a list of texts.
class WordVectors {
 public:
  /// Held in memory.
  WordVectors(WordEncoder& encoder, std::span<const std::string> texts, const RunContext& context);
  /// Held in `file`, which is removed at once from its folder and lives as long as the object.
  WordVectors(WordEncoder& encoder, std::span<const std::string> texts, const std::string& file,
              const RunContext& context);

  std::size_t words(std::size_t text) const { return starts_[text + 1] - starts_[text]; }
  const Half* word(std::size_t text, std::size_t index) const {
    return data_ + (starts_[text] + index) * row_size_;
  }
  const WordCounts& counts() const { return counts_; }

 private:
  template <typename Write>
  void fill(WordEncoder& encoder, std::span<const std::string> texts, const RunContext& context,
            const Write& write);
  std::size_t row_size_;
  std::vector<std::size_t> starts_{0};  ///< in words
  std::vector<Half> memory_;
  std::optional<MappedFile> file_;
  const Half* data_ = nullptr;
  WordCounts counts_;
};

}  // namespace markeval::trained
