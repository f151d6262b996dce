// The models on this machine: what is there, what they are, getting more of them. For `markeval model`; not
// installed.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "api/markeval.hpp"

namespace markeval {

/// "all-MiniLM-L6-v2"
std::string_view default_model();

struct ModelDescription {
  std::string name;
  std::string folder;
  std::string architecture;  ///< "bert", ...
  std::uint64_t layers = 0, hidden = 0, vocabulary = 0, weight_bytes = 0;
  std::string weight_hash;           ///< sha256 of the weights
  std::string signature;             ///< "all-MiniLM-L6-v2@53aa5117"
  std::string repository, revision;  ///< where it was pulled from; empty where it was not
  std::string problem;               ///< in a list: why it cannot be used
  std::uint64_t default_layer = 0;   ///< that bertscore reads where none is named
  std::string default_layer_source;  ///< who chose it: "bert_score 0.3.13"; empty: nobody, it is the last one
};

/// Those a name finds: under $MARKEVAL_MODELS (else the user's data folder) and models/ of the working
/// folder.
std::vector<ModelDescription> list_models();
/// A name or any folder. Throws Error(usage) where there is none.
ModelDescription describe_model(const std::string& name);
/// Throws Error(usage), with what to do, where there is no such model.
void require_model(const std::string& name);
/// Whether this path leads to a file of the model (empty: default_model()), or of a model whose folder it
/// lies in.
bool is_model_file(const std::string& model, const std::string& path);

struct ModelFile {
  std::string name;
  std::string state;            ///< "right", "wrong", "missing", or "unknown": nobody says what it should be
  std::string found, expected;  ///< sha256
};
std::vector<ModelFile> verify_model(const std::string& name);

struct ModelRequest {
  std::string name;               ///< OWNER/NAME of the Hugging Face hub, or default_model()
  std::string revision = "main";  ///< branch, tag or commit; what comes is pinned to a commit
  std::string endpoint;           ///< empty: $HF_ENDPOINT, else https://huggingface.co
  bool require_checksums = true;  ///< false: files the hub lists without a checksum are taken as they come
};
struct PulledModel {
  std::string folder;
  std::string revision;
  bool already_there = false;
  std::vector<std::string> warnings;  ///< the observer has had them too
};
/// Throws Error: see models/pull.hpp. What an interrupted pull has brought is kept for the next one.
PulledModel pull_model(const ModelRequest& request, Observer* observer = nullptr,
                       const std::atomic<bool>* cancel = nullptr);

struct ConvertedModel {
  std::string folder;
  std::uint64_t tensors = 0, weight_bytes = 0;
};
/// Writes a model of any format once more, as config.json, model.safetensors and tokenizer files: see
/// models/convert.hpp.
ConvertedModel convert_model(const std::string& name, const std::string& to);

}  // namespace markeval
