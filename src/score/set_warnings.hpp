// What a reader of set scores should be told: sets that repeat themselves, differ in size, or score so high
// that the metric cannot tell them apart.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/run_context.hpp"
#include "metric/registry.hpp"
#include "score/text_inputs.hpp"
#include "score/vector_inputs.hpp"

namespace markeval::score {

/// Warns where more than 5 % of the texts or rows are repeated ("60 distinct of 1500 texts"), and where more
/// than 2 % stand in the reference word for word, whatever their case and punctuation. Gives back the latter
/// share by system; 0 of one that has less than half as many different texts as texts.
std::vector<double> warn_of_repetition(const TextInputs& inputs, const RunContext& context);
std::vector<double> warn_of_repetition(const VectorInputs& inputs, const RunContext& context);

/// A name and how many texts or rows it has; the first is the reference (one file of it). More than 1.2 times
/// the smallest is too much.
/// `metric` is one of those asked for: the warning shows its option.
void warn_of_sizes(std::span<const std::pair<std::string, std::size_t>> sets, const std::string& metric,
                   const RunContext& context);
bool differ_in_size(std::size_t least, std::size_t most);

/// `scores` are the main results of all systems, made of vectors of sentences, of words or of the user.
void warn_of_saturation(const Metric& request, std::string_view samples, std::span<const double> scores,
                        const RunContext& context);

}  // namespace markeval::score
