// How much resampling a request may ask for, checked before the work begins: small requests can ask for much.
#pragma once

#include <cstddef>
#include <string_view>

namespace markeval::meta {

/// Throws Error(invalid_input) where `values` scores for each of `resamples` are more than may be kept:
///   "10000000 resamples of 70 scores are 700000000 numbers, more than 50000000 (MARKEVAL_MAX_RESAMPLED sets
///   this limit); ..."
void require_resampled(std::size_t resamples, std::size_t values, std::string_view advice = {});

/// The same for `pairs` differences for each of `resamples`, which are looked at one pair after the other.
void require_pair_differences(std::size_t resamples, std::size_t pairs, std::string_view advice = {});

}  // namespace markeval::meta
