// The loop over segments, 64 per item, with one scorer per thread.
#include "lexical/segment_statistics.hpp"

#include <algorithm>
#include <string>

namespace markeval::lexical {

std::size_t ScoredTexts::reference_count_or_zero() const {
  if (references.empty()) return 0;
  const std::size_t first = references.front().size();
  const bool same = std::all_of(references.begin(), references.end(),
                                [&](const auto& segment) { return segment.size() == first; });
  return same ? first : 0;
}

void ScoredTexts::check() const {
  if (references.empty()) throw_invalid("no segment to score");
  for (std::size_t i = 0; i < references.size(); ++i) {
    if (references[i].empty()) throw_invalid("segment " + std::to_string(i + 1) + " has no reference");
  }
  for (std::size_t s = 0; s < systems.size(); ++s) {
    if (systems[s].size() != references.size()) {
      throw_invalid("system " + std::to_string(s + 1) + " has " + std::to_string(systems[s].size()) +
                    " segments, the references have " + std::to_string(references.size()));
    }
  }
}

std::vector<SegmentStatistics> collect_statistics(const ScoredTexts& corpus, std::size_t columns,
                                                  FunctionRef<std::unique_ptr<SegmentScorer>()> make,
                                                  const RunContext& context) {
  corpus.check();
  std::vector<SegmentStatistics> result(corpus.systems.size());
  for (auto& statistics : result) {
    statistics.columns = columns;
    statistics.values.resize(corpus.segments() * columns);
  }
  constexpr std::size_t kSegmentsPerItem = 64;
  const std::size_t items = (corpus.segments() + kSegmentsPerItem - 1) / kSegmentsPerItem;
  std::vector<std::unique_ptr<SegmentScorer>> scorers(context.pool.size());
  context.pool.for_each(items, [&](std::size_t item, std::size_t worker) {
    if (!scorers[worker]) scorers[worker] = make();
    SegmentScorer& scorer = *scorers[worker];
    const std::size_t end = std::min(corpus.segments(), (item + 1) * kSegmentsPerItem);
    for (std::size_t i = item * kSegmentsPerItem; i < end; ++i) {
      context.check_cancelled();
      scorer.set_references(corpus.references[i]);
      for (std::size_t s = 0; s < corpus.systems.size(); ++s) {
        context.check_cancelled();
        scorer.add_hypothesis(corpus.systems[s][i], {result[s].values.data() + i * columns, columns});
      }
    }
  });
  return result;
}

}  // namespace markeval::lexical
