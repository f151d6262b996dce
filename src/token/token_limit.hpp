// How many tokens a model takes, special tokens included. Used wherever texts are encoded.
#pragma once

#include <cstddef>
#include <string>

namespace markeval::token {

enum class LimitFor {
  tokens,     ///< token-level metrics: the tokenizer's declared maximum and the model's positions
  sentences,  ///< pooled sentence vectors: sentence_bert_config.json first, where there is one
};

/// The limit of the model in `folder`; kNoLimit where nothing in it names one.
///   all-MiniLM-L6-v2: 256 for sentences, 512 for tokens; roberta-base: 512 (514 positions, 2 of them for
///   padding)
std::size_t token_limit(const std::string& folder, LimitFor purpose);

/// Tokens the model has positions for, whatever its tokenizer declares; kNoLimit where nothing names them.
std::size_t position_limit(const std::string& folder);

}  // namespace markeval::token
