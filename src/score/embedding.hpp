// Texts -> vectors and texts -> token ids, in memory or in files.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "request/embed_request.hpp"
#include "score/runtime.hpp"

namespace markeval::score {

/// As Evaluator::embed and Evaluator::tokenize.
TextVectors embed(std::span<const std::string> texts, const EmbedRequest& request, const Caller& caller);
std::vector<std::vector<std::int32_t>> tokenize(std::span<const std::string> texts,
                                                const EmbedRequest& request, const Caller& caller);

/// As the functions of api/embedding.hpp.
EmbedReport embed_texts(const EmbedRequest& request, const Caller& caller);
EmbedReport tokenize_texts(const EmbedRequest& request,
                           const std::function<void(std::span<const std::int32_t>)>& sink,
                           const Caller& caller);
std::vector<std::string> paths_beside_tokens(const std::string& output);

}  // namespace markeval::score
