// Where a pair metric gets its token vectors from: an encoder, or a file of word vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/matrix_view.hpp"
#include "base/run_context.hpp"
#include "embed/token_set.hpp"

namespace markeval::embed {

/// Bytes [begin, end) of a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// One text as tokens with vectors. All lists but `layers` have one entry per token, special tokens included.
struct TokenText {
  std::vector<std::int32_t> ids;
  std::vector<TokenFact> facts;
  std::vector<TextRange> offsets;          ///< {0, 0} for special tokens
  std::vector<std::vector<float>> layers;  ///< in the order asked for: tokens x width
  std::size_t width = 0;
  std::size_t unknown = 0;  ///< tokens or words without a vector of their own
  std::size_t cut = 0;      ///< tokens dropped at the end: longer than the model takes

  std::size_t tokens() const { return ids.size(); }
  MatrixView<const float> layer(std::size_t index) const { return {layers[index].data(), tokens(), width}; }
};

/// Marks in a mask of zeros which tokens of text number `text` are needed. `tokens` has no vectors yet.
/// Called from several threads.
using TokenNeed =
    std::function<void(std::size_t text, const TokenText& tokens, std::span<std::uint8_t> mask)>;

class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// The last layer there is; layer 0 comes before the first block. 0: vectors without context.
  virtual std::size_t last_layer() const = 0;
  virtual std::size_t width() const = 0;
  /// Tokens of a text, specials included; what is longer is cut and counted.
  virtual std::size_t limit() const = 0;
  /// "all-MiniLM-L6-v2": the folder's name, or the file's.
  virtual std::string model_name() const = 0;
  /// The names a table of defaults may know the model by, the likeliest first.
  virtual std::vector<std::string> known_names() const { return {model_name()}; }
  /// What names the vectors in a signature: model -> all-MiniLM-L6-v2@53aa5117, precision -> f32.
  virtual std::vector<std::pair<std::string, std::string>> signature() const = 0;
  /// The ids of one text, special tokens included. May be called from several threads.
  virtual std::vector<std::int32_t> token_ids(std::string_view text) const = 0;
  /// The texts in order; the result must not outlive them. A text's vectors depend on that text alone.
  virtual std::vector<TokenText> encode(std::span<const std::string_view> texts,
                                        std::span<const std::size_t> layers, const RunContext& context) = 0;
  /// The same where not every token's vector of the last of `layers` is needed: an encoder may leave those
  /// out that `need` did not mark, and what stands in their place is undefined.
  virtual std::vector<TokenText> encode_needed(std::span<const std::string_view> texts,
                                               std::span<const std::size_t> layers, const TokenNeed& /*need*/,
                                               const RunContext& context) {
    return encode(texts, layers, context);
  }
};

}  // namespace markeval::embed
