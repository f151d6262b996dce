// What a model folder says about turning text into vectors, besides its architecture: sentence-transformers'
// modules and pooling. A plain Hugging Face folder says nothing, and gets the mean over all tokens. Limits of
// length are read by token/token_limit.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/folder_files.hpp"
#include "encoder/pooling.hpp"

namespace markeval::models {

struct ModelSettings {
  std::string transformer_folder;  ///< where config.json, weights and tokenizer are
  encoder::Pooling pooling = encoder::Pooling::mean;
  bool normalize = false;
};

enum class ModuleKind { transformer, pooling, normalize };

struct Module {
  ModuleKind kind;
  std::string folder;  ///< below that of the model; empty: that folder itself
};

inline constexpr std::string_view kModulesName = "modules.json";

/// Those modules.json names; none where there is no such file. Throws Error(invalid_input) for another kind
/// of module and for folders elsewhere.
std::vector<Module> read_modules(const FolderFiles& model);

/// From config.json of a pooling module's folder. Throws Error(invalid_input) naming another way of pooling.
encoder::Pooling read_pooling(const FolderFiles& module);

/// sentence_bert_config.json of the transformer. Throws Error(invalid_input) where it asks for lower case.
void require_no_lower_case(const FolderFiles& transformer);

}  // namespace markeval::models
