// Products of resamples and values, compared with their limits.
#include "meta/resampling_budget.hpp"

#include <fmt/format.h>

#include "base/limits.hpp"

namespace markeval::meta {
namespace {

/// As doubles, which do not overflow.
void require(Limit limit, std::size_t resamples, std::size_t times, std::string_view what,
             std::string_view advice) {
  const double product = static_cast<double>(resamples) * static_cast<double>(times);
  if (product <= static_cast<double>(limit_of(limit))) return;
  throw_beyond(limit,
               fmt::format("{} resamples of {} {} are {:.0f} numbers", resamples, times, what, product),
               advice);
}

}  // namespace

void require_resampled(std::size_t resamples, std::size_t values, std::string_view advice) {
  require(Limit::resampled_scores, resamples, values, "scores", advice);
}

void require_pair_differences(std::size_t resamples, std::size_t pairs, std::string_view advice) {
  require(Limit::pair_differences, resamples, pairs, "pairs", advice);
}

}  // namespace markeval::meta
