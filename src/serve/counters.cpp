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

SeriesInfo info_of(Counters::Spread spread) {
  if (spread == Counters::Spread::batch_requests)
    return {"markeval_batch_requests", "Requests whose texts were encoded together"};
  return {"markeval_request_seconds", "Time from the last byte of a request to its answer"};
}

std::string series(std::string_view name, std::string_view labels, std::string_view more = {}) {
  std::string inside(labels);
  if (!inside.empty() && !more.empty()) inside += ',';
  inside += more;
  return inside.empty() ? std::string(name) : fmt::format("{}{{{}}}", name, inside);
}

}  // namespace

const std::array<double, Counters::kBuckets>& Counters::bounds(Spread spread) {
  static constexpr std::array<double, kBuckets> kSeconds{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                                         0.1,   0.25,   0.5,   1,    10,    60};
  static constexpr std::array<double, kBuckets> kRequests{1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
  return spread == Spread::batch_requests ? kRequests : kSeconds;
}

void Counters::add(Count count, const std::string& labels, std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  counts_[{count, labels}] += number;
}

void Counters::observe(Spread spread, const std::string& labels, double value) {
  const std::lock_guard lock(mutex_);
  BucketCounts& histogram = spreads_[{spread, labels}];
  for (std::size_t i = 0; i < kBuckets; ++i) histogram.upto[i] += value <= bounds(spread)[i] ? 1 : 0;
  histogram.count += 1;
  histogram.sum += value;
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
  for (const auto& [key, histogram] : spreads_) {
    const SeriesInfo info = info_of(key.first);
    if (info.name != last) head(info, "histogram");
    last = info.name;
    const std::string bucket = std::string(info.name) + "_bucket";
    for (std::size_t i = 0; i < kBuckets; ++i) {
      line(series(bucket, key.second, fmt::format("le=\"{}\"", bounds(key.first)[i])), histogram.upto[i]);
    }
    line(series(bucket, key.second, "le=\"+Inf\""), histogram.count);
    line(series(std::string(info.name) + "_sum", key.second), histogram.sum);
    line(series(std::string(info.name) + "_count", key.second), histogram.count);
  }
  std::string named;
  for (const auto& [name, value] : gauges) {
    const std::string bare = name.substr(0, name.find('{'));
    if (bare != named) fmt::format_to(std::back_inserter(out), "# TYPE {} gauge\n", bare);
    named = bare;
    line(name, value);
  }
  return out;
}

}  // namespace markeval::serve
