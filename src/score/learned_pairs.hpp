// What makes texts unfit to judge a metric by. Did it learn from them? The pairs of a text and its reference
// that a training has seen are known by hashes: those of the heads inside the program, and
// FOLDER/learned_pairs.bin of each training. And are there many texts for one reference?
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metric/metric.hpp"
#include "request/score_request.hpp"
#include "trained/training_data.hpp"

namespace markeval::score {

/// Without white space at the ends. Two different pairs share a hash once in four thousand million times.
std::uint32_t pair_hash(std::string_view reference, std::string_view text);

/// FOLDER/learned_pairs.bin: the hashes of the training pairs in rising order, four bytes each, lowest first.
void write_learned_pairs(const std::string& folder, const trained::TrainingData& data);

/// Which of the metrics learned from these texts: from one in a hundred or more, with any of its references.
/// A blend learned what its parts did. Nothing is known of trainings that wrote no such file.
std::vector<bool> learned_from(std::span<const Metric> metrics, const Texts& references, const Texts& texts);

/// "a reference stands in 8 rows on average, so rows are not independent: ..."; empty where it does not.
std::string about_shared_references(std::span<const std::string> references);

/// "match learned from these texts; its agreement there says nothing about new ones"
std::string about_learned(const std::string& metric);

}  // namespace markeval::score
