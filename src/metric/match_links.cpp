// One link per row with a weight above 0.
#include "metric/match_links.hpp"

#include <utility>

namespace markeval::metric {

void add_links(std::vector<PairLink>& links, std::span<const Match> matches, std::span<const double> weights,
               bool by_reference) {
  for (std::uint32_t row = 0; row < matches.size(); ++row) {
    if (weights[row] == 0) continue;
    PairLink link{row, matches[row].row, matches[row].similarity, weights[row], by_reference};
    if (by_reference) std::swap(link.candidate, link.reference);
    links.push_back(link);
  }
}

}  // namespace markeval::metric
