// Texts -> vectors, in memory (Evaluator::embed) or in a .npy file, and texts -> token ids. Installed as
// <markeval/embedding.hpp>, to be used with <markeval/markeval.hpp>.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "request/embed_request.hpp"
#include "request/observer.hpp"
#include "request/score_request.hpp"

namespace markeval {

/// Memory does not grow with the input. With `pool` none also writes a table beside it, OUT.tokens.tsv for
/// OUT.npy: row, segment, token id, piece, kind; and OUT.source.txt, a line that names model and settings.
/// Layer none gives an array of three dimensions: rows, layers, width.
EmbedReport embed_texts(const EmbedRequest& request, const Settings& settings = {},
                        Observer* observer = nullptr, const std::atomic<bool>* cancel = nullptr);

/// What `pool` none writes beside an output: "runs/a.npy" -> "runs/a.tokens.tsv", "runs/a.source.txt".
std::vector<std::string> paths_beside_tokens(const std::string& output);

/// The token ids of every text, specials included, in order. Needs a tokenizer but no weights.
EmbedReport tokenize_texts(const EmbedRequest& request,
                           const std::function<void(std::span<const std::int32_t>)>& sink,
                           const Settings& settings = {}, Observer* observer = nullptr,
                           const std::atomic<bool>* cancel = nullptr);

}  // namespace markeval
