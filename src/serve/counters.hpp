// What the server has done so far, as Prometheus reads it. For many threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace markeval::serve {

class Counters {
 public:
  enum class Count { requests, failures, texts, tokens, cache_hits, cache_misses, jobs };

  /// `labels` as Prometheus writes them: route="/v1/score",status="200"; may be empty.
  void add(Count count, const std::string& labels, std::uint64_t number = 1);
  /// How long a request took.
  void observe_seconds(const std::string& labels, double seconds);

  /// `gauges`: what is true at this moment, name and labels -> value.
  std::string text(const std::map<std::string, std::uint64_t>& gauges) const;

 private:
  static constexpr std::size_t kBuckets = 12;
  struct BucketCounts {
    std::array<std::uint64_t, kBuckets> upto{};
    std::uint64_t count = 0;
    double sum = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<Count, std::string>, std::uint64_t> counts_;
  std::map<std::string, BucketCounts> seconds_;  ///< by labels
};

}  // namespace markeval::serve
