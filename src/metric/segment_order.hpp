// In which order the segments of a corpus are scored. A corpus streams by in blocks and a block encodes each
// of its texts once, so segments that share a text should be in the same block.
#pragma once

#include <cstddef>
#include <vector>

#include "metric/score_pairs.hpp"

namespace markeval::metric {

/// All segments, each once: in the order given, but one that shares a text with an earlier one follows it.
/// References a, b, a, c and different candidates -> 0, 2, 1, 3.
std::vector<std::size_t> order_by_shared_texts(const PairCorpus& corpus);

}  // namespace markeval::metric
