// What a model folder says about its tokenizer, brought to the one form of tokenizer.json.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace markeval::token {

struct TokenizerDescription {
  std::string name;     ///< the file the messages name
  std::string content;  ///< a tokenizer.json
};

/// tokenizer.json as it is; or vocab.txt as BERT reads it; or vocab.json and merges.txt as RoBERTa (where the
/// vocabulary has "<s>") or GPT-2 reads them. tokenizer_config.json is asked for lower case, blanks and
/// special tokens.
TokenizerDescription read_tokenizer_folder(const std::string& folder);

/// A file as JSON. Throws Error with its name where it cannot be read or is none.
nlohmann::json read_json_file(const std::string& path);

}  // namespace markeval::token
