// Which of the metrics asked for is meant. Whatever looks a result up goes by this rule: the whole request as
// typed ("me:k=3"), or a bare name ("me") where exactly one variant of that metric was asked for.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace markeval::request {

/// Throws Error(usage) with the closest right word: "unknown level 'segmnt'; did you mean 'segment'?".
void require_known(std::string_view what, const std::string& word, std::span<const std::string> known);

/// One of `requests`, in which a request may stand several times. Throws Error(usage) that names the
/// candidates.
///   {"me:k=3", "me"}, "me" -> "me";  {"me:k=3", "bleu"}, "me" -> "me:k=3";  {"me:k=3", "me:k=5"}, "me" ->
///   error
std::string find_request(std::span<const std::string> requests, std::string_view asked);

/// The result of a system and a metric. Throws Error(usage) that names what is there.
const Result& find_result(const std::vector<Result>& results, std::string_view system,
                          std::string_view asked);

/// Throws Error(invalid_input) with the reason where the metric asked for is none of those with results, but
/// one that could not be computed.
void require_computed(const std::vector<FailedMetric>& errors, std::span<const std::string> with_results,
                      std::string_view asked);
/// Likewise where any could not: for who needs all of them.
void require_all_computed(const std::vector<FailedMetric>& errors);

}  // namespace markeval::request
