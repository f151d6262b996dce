// Do the inputs of a request hold texts or vectors? Told by the names of the files and their first bytes.
#pragma once

#include <string>
#include <vector>

#include "metric/registry.hpp"
#include "request/score_request.hpp"

namespace markeval::request {

enum class InputKind { texts, vectors, token_vectors };

/// .npy and .npz (each also .gz), files that start as those do, and rows in memory are vectors, everything
/// else is text; standard input is what the others are, texts where there are no others. Throws Error(usage)
/// where both kinds are given, and where vectors meet a metric that needs texts. Vectors are those of tokens
/// where a metric reads tokens: pair metrics, samples=word, those somebody trained. Throws Error(usage)
/// where another one does not.
InputKind input_kind(const ScoreRequest& request, const std::vector<Metric>& metrics);

/// Whether an input holds vectors, of whatever kind.
bool holds_vectors(const ScoreRequest& request);

}  // namespace markeval::request
