// `match` as a pair metric: a text becomes, once, the projected token rows of all heads, the weights of its
// tokens and its pooled vector; then rows are matched as those of bertscore are.
#pragma once

#include <memory>

#include "compute/products.hpp"
#include "embed/vector_source.hpp"
#include "metric/pair_metric.hpp"
#include "trained/match_head.hpp"

namespace markeval::trained {

/// With the folder that option `weights` names, or else the head the program has for the encoder that
/// `identity` names; `products` must outlive it. Throws Error(invalid_input) for a head of another encoder or
/// a damaged one, Error(usage) where there is no head for it.
std::unique_ptr<metric::PairMetric> make_match(const metric::OptionValues& options,
                                               const embed::VectorSource& source,
                                               const EncoderIdentity& identity,
                                               const compute::Products& products);

}  // namespace markeval::trained
