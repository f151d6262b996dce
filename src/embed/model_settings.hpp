// What a model folder says about turning text into vectors, besides its architecture: sentence-transformers'
// modules, pooling and length limits. A plain Hugging Face folder says nothing, and gets the mean over all
// tokens.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "compute/transformer.hpp"

namespace markeval::embed {

struct ModelSettings {
  std::string transformer_folder;  ///< where config.json, weights and tokenizer are
  compute::Pooling pooling = compute::Pooling::mean;
  bool normalize = false;
  std::optional<std::size_t> sentence_limit;  ///< max_seq_length of sentence_bert_config.json
  std::optional<std::size_t>
      token_limit;  ///< model_max_length of tokenizer_config.json, unless absurdly large
};

/// Reads modules.json, the pooling module's config.json, sentence_bert_config.json and tokenizer_config.json,
/// each where there is one. Throws Error(invalid_input) naming the file and what markeval does not have:
/// another kind of module, another way of pooling, several at once.
ModelSettings read_model_settings(const std::string& folder);

/// "mean", "cls", "max"
std::string name(compute::Pooling pooling);

}  // namespace markeval::embed
