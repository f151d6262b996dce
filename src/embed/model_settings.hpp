// What a model folder says about turning text into vectors, besides its architecture: sentence-transformers'
// modules and pooling. A plain Hugging Face folder says nothing, and gets the mean over all tokens. Limits of
// length are read by token/token_limit.hpp.
#pragma once

#include <string>

#include "compute/transformer.hpp"

namespace markeval::embed {

struct ModelSettings {
  std::string transformer_folder;  ///< where config.json, weights and tokenizer are
  compute::Pooling pooling = compute::Pooling::mean;
  bool normalize = false;
};

/// Reads modules.json, the pooling module's config.json and sentence_bert_config.json, each where there is
/// one. Throws Error(invalid_input) naming the file and what markeval does not have: another kind of module,
/// another way of pooling, several at once.
ModelSettings read_model_settings(const std::string& folder);

/// "mean", "cls", "max"
std::string name(compute::Pooling pooling);

}  // namespace markeval::embed
