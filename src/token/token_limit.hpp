// How many tokens a model takes, special tokens included. Used wherever texts are encoded.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/folder_files.hpp"

namespace markeval::token {

enum class LimitFor {
  tokens,     ///< token-level metrics: the tokenizer's declared maximum and the model's positions
  sentences,  ///< pooled sentence vectors: sentence_bert_config.json first, where there is one
};

/// The limit of the model in `folder`; kNoLimit where nothing in it names one.
///   all-MiniLM-L6-v2: 256 for sentences, 512 for tokens; roberta-base: 512 (514 positions, 2 of them for
///   padding)
/// `wanted` (--max-length) is taken instead. Throws Error(usage) when that is 0 or more than the model has
/// positions.
std::size_t token_limit(const std::string& folder, LimitFor purpose,
                        std::optional<std::size_t> wanted = std::nullopt);
/// The same from files that have been read: kTokenizerFiles.
std::size_t token_limit(const FolderFiles& files, LimitFor purpose,
                        std::optional<std::size_t> wanted = std::nullopt);

}  // namespace markeval::token
