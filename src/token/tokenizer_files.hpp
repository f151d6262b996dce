// What a model folder says about its tokenizer, brought to the one form of tokenizer.json.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/folder_files.hpp"
#include "base/json.hpp"

namespace markeval::token {

/// All that is read of a folder for tokenizing and for its limits. What is not among these cannot be read.
inline constexpr std::array<std::string_view, 8> kTokenizerFiles{
    "bert_config.json", "config.json",           "merges.txt", "sentence_bert_config.json",
    "tokenizer.json",   "tokenizer_config.json", "vocab.json", "vocab.txt"};

struct TokenizerDescription {
  std::string name;     ///< the file the messages name
  std::string content;  ///< a tokenizer.json
};

/// tokenizer.json as it is; or vocab.txt as BERT reads it; or vocab.json and merges.txt as RoBERTa (where the
/// vocabulary has "<s>") or GPT-2 reads them. tokenizer_config.json is asked for lower case, blanks and
/// special tokens. Where it says nothing, BERT's texts are lowered, unless the folder is one of Google's
/// (bert_config.json) with capital letters in its vocabulary. `files` must have been asked for
/// kTokenizerFiles.
TokenizerDescription describe_tokenizer(const FolderFiles& files);

/// One of the files as a JSON object; an empty one where the file is not there.
nlohmann::json read_settings(const FolderFiles& files, std::string_view name);

}  // namespace markeval::token
