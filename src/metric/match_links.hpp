// Hard alignments as links, for --explain: BERTScore, BERTR and HMD alike.
#pragma once

#include <span>
#include <vector>

#include "metric/pair_metric.hpp"

namespace markeval::metric {

/// A link for every row that counts: rows without weight (special tokens of BERTScore) may be partners, but
/// what they chose enters into no score. `by_reference`: the rows are the reference's.
void add_links(std::vector<PairLink>& links, std::span<const Match> matches, std::span<const double> weights,
               bool by_reference);

}  // namespace markeval::metric
