// Coin flips and row draws from a stream per resample, and the parallel loop over resamples.
#include "meta/resampling_batch.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace markeval::meta::detail {

PermutationHits& PermutationHits::operator+=(const PermutationHits& other) {
  greater += other.greater;
  two_sided += other.two_sided;
  counted += other.counted;
  return *this;
}

void count_hit(double difference, double observed, PermutationHits& hits) {
  ++hits.counted;
  hits.greater += difference >= observed - kDifferenceTolerance ? 1u : 0u;
  hits.two_sided += std::fabs(difference) >= std::fabs(observed) - kDifferenceTolerance ? 1u : 0u;
}

void flip_coins(std::uint64_t seed, std::uint64_t index, std::size_t rows,
                std::vector<std::uint64_t>& words) {
  RandomStream stream(seed, index);
  words.resize((rows + 63) / 64);
  for (std::uint64_t& word : words) word = stream.next();
}

void draw_rows(std::uint64_t seed, std::uint64_t index, std::span<const std::size_t> starts,
               std::vector<std::uint32_t>& positions) {
  RandomStream stream(seed, index);
  positions.resize(starts.back());
  for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
    const std::size_t first = starts[g], rows = starts[g + 1] - first;
    for (std::size_t i = 0; i < rows; ++i)
      positions[first + i] = static_cast<std::uint32_t>(first + stream.below(rows));
  }
}

void for_each_resample(std::size_t resamples, const char* stage, const RunContext& context,
                       FunctionRef<void(std::size_t resample, std::size_t worker)> body) {
  constexpr std::size_t kBlock = 256;
  for (std::size_t first = 0; first < resamples; first += kBlock) {
    const std::size_t count = std::min(kBlock, resamples - first);
    context.pool.for_each(count, [&](std::size_t item, std::size_t worker) {
      context.check_cancelled();  // a resample of many rows takes its time
      body(first + item, worker);
    });
    context.report_progress(stage, first + count, resamples);
  }
}

}  // namespace markeval::meta::detail
