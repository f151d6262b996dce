// Names and help of the series, buckets of the histograms, and the text format of Prometheus.
#include "serve/counters.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace markeval::serve {
namespace {

struct SeriesInfo {
  std::string_view name, help;
};

SeriesInfo info_of(Counters::Count count) {
  switch (count) {
    case Counters::Count::requests:
      return {"markeval_requests_total", "Requests answered, by route and status"};
    case Counters::Count::failures:
      return {"markeval_failures_total", "Requests refused or failed, by kind"};
    case Counters::Count::texts:
      return {"markeval_texts_total", "Texts of requests that were worked on"};
    case Counters::Count::tokens:
      return {"markeval_embedding_tokens_total", "Tokens of the texts of /v1/embeddings"};
    case Counters::Count::cache_hits:
      return {"markeval_embedding_cache_hits_total", "Texts of /v1/embeddings found in the cache"};
    case Counters::Count::cache_misses:
      return {"markeval_embedding_cache_misses_total", "Texts of /v1/embeddings that were encoded"};
    case Counters::Count::jobs:
      break;
  }
  return {"markeval_jobs_total", "Jobs that ended, by state"};
}

constexpr SeriesInfo kRequestSeconds{"markeval_request_seconds",
                                     "Time from the last byte of a request to its answer"};
constexpr std::array kSecondBounds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 10.0, 60.0};

std::string series(std::string_view name, std::string_view labels, std::string_view more = {}) {
  std::string inside(labels);
  if (!inside.empty() && !more.empty()) inside += ',';
  inside += more;
  return inside.empty() ? std::string(name) : fmt::format("{}{{{}}}", name, inside);
}

}  // namespace

void Counters::add(Count count, const std::string& labels, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  counts_[{count, labels}] += number;
}

void Counters::observe_seconds(const std::string& labels, double seconds) {
  static_assert(kSecondBounds.size() == kBuckets);
  const std::lock_guard lock(mutex_);
  BucketCounts& histogram = seconds_[labels];
  for (std::size_t i = 0; i < kBuckets; ++i) histogram.upto[i] += seconds <= kSecondBounds[i] ? 1 : 0;
  histogram.count += 1;
  histogram.sum += seconds;
}

std::string Counters::text(const std::map<std::string, std::uint64_t>& gauges) const {
  std::string out;
  const auto line = [&](const std::string& name, const auto& value) {
    fmt::format_to(std::back_inserter(out), "{} {}\n", name, value);
  };
  const auto head = [&](const SeriesInfo& info, std::string_view type) {
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", info.name, info.help, info.name,
                   type);
  };
  const std::lock_guard lock(mutex_);
  std::string_view last;
  for (const auto& [key, value] : counts_) {
    const SeriesInfo info = info_of(key.first);
    if (info.name != last) head(info, "counter");
    last = info.name;
    line(series(info.name, key.second), value);
  }
  if (!seconds_.empty()) head(kRequestSeconds, "histogram");
  const std::string name(kRequestSeconds.name);
  for (const auto& [labels, histogram] : seconds_) {
    for (std::size_t i = 0; i < kBuckets; ++i)
      line(series(name + "_bucket", labels, fmt::format("le=\"{}\"", kSecondBounds[i])), histogram.upto[i]);
    line(series(name + "_bucket", labels, "le=\"+Inf\""), histogram.count);
    line(series(name + "_sum", labels), histogram.sum);
    line(series(name + "_count", labels), histogram.count);
  }
  std::string named;
  for (const auto& [gauge, value] : gauges) {
    const std::string bare = gauge.substr(0, gauge.find('{'));
    if (bare != named) fmt::format_to(std::back_inserter(out), "# TYPE {} gauge\n", bare);
    named = bare;
    line(gauge, value);
  }
  return out;
}

}  // namespace markeval::serve
