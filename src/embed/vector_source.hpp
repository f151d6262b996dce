// Where vectors of texts come from: an encoder (text_encoder.hpp), a file of word vectors
// (static_vectors.hpp) or files of token vectors (token_vector_source.hpp). Metrics see this interface only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/run_context.hpp"
#include "embed/encoded_texts.hpp"

namespace markeval::embed {

/// Marks in a mask of zeros the tokens whose states of the last layer are needed; the others' may then hold
/// anything. Called from several threads.
using TokenNeed = std::function<void(const TextTokens& tokens, std::span<std::uint8_t> mask)>;

struct TokenIds {
  std::vector<std::int32_t> ids;
  TextCounts counts;
};

class VectorSource {
 public:
  virtual ~VectorSource() = default;
  /// The last layer there is; layer 0 comes before the first block. 0: vectors without context.
  virtual std::size_t last_layer() const = 0;
  virtual std::size_t width() const = 0;
  /// Tokens of a text, specials included; what is longer is cut and counted.
  virtual std::size_t limit() = 0;
  /// "all-MiniLM-L6-v2": the folder's name, or the file's.
  virtual std::string model_name() const = 0;
  /// The names a table of defaults may know the model by, the likeliest first.
  virtual std::vector<std::string> known_names() const { return {model_name()}; }
  /// What names the vectors in a signature: model -> all-MiniLM-L6-v2@53aa5117, precision -> f32.
  virtual std::vector<std::pair<std::string, std::string>> signature() = 0;
  /// The ids of every text, special tokens included.
  virtual std::vector<TokenIds> token_ids(std::span<const std::string_view> texts,
                                          const RunContext& context) = 0;
  /// One block of texts, stripped (text::strip) and valid UTF-8; the result must not outlive them. Its size
  /// bounds the memory. A text's vectors depend on that text alone, to the bit. Throws encoder::TextError
  /// where they hold NaN or infinity. `need` may be empty: then all tokens are needed.
  virtual EncodedTexts encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                              const TokenNeed& need, const RunContext& context) = 0;
};

}  // namespace markeval::embed
