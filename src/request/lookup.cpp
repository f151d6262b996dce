// The search, and the error messages that list what can be asked for.
#include "request/lookup.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/lookup.hpp"
#include "base/suggestion.hpp"

namespace markeval::request {
void require_known(std::string_view what, const std::string& word, std::span<const std::string> known) {
  if (std::ranges::find(known, word) != known.end()) return;
  throw_usage(fmt::format("unknown {} '{}'{}", what, word, suggestion(word, known)));
}

std::string find_request(std::span<const std::string> requests, std::string_view asked) {
  std::vector<std::string> all, variants;
  for (const std::string& request : requests) {
    if (request == asked) return request;
    add_once(all, request);
    if (request.substr(0, request.find(':')) == asked) add_once(variants, request);
  }
  if (variants.size() == 1) return variants.front();
  if (variants.empty()) throw_usage(missing_name("metric", asked, all));
  throw_usage(fmt::format("metric '{}' was asked for as {}; expected one of them", asked,
                          fmt::join(variants, " and as ")));
}

const Result& find_result(const std::vector<Result>& results, std::string_view system,
                          std::string_view asked) {
  std::vector<std::string> systems, requests;
  for (const Result& result : results) {
    add_once(systems, result.system);
    if (result.system == system) requests.push_back(result.requested);
  }
  if (requests.empty()) throw_usage(missing_name("system", system, systems));
  const std::string request = find_request(requests, asked);
  return *std::ranges::find_if(
      results, [&](const Result& result) { return result.system == system && result.requested == request; });
}

void require_computed(const std::vector<FailedMetric>& errors, std::span<const std::string> with_results,
                      std::string_view asked) {
  for (const std::string& request : with_results) {
    if (request == asked || request.substr(0, request.find(':')) == asked) return;
  }
  for (const FailedMetric& error : errors) {
    if (error.requested == asked || error.metric == asked)
      throw_invalid(fmt::format("{} could not be computed: {}", error.requested, error.reason));
  }
}

void require_all_computed(const std::vector<FailedMetric>& errors) {
  if (!errors.empty()) require_computed(errors, {}, errors.front().requested);
}

}  // namespace markeval::request
