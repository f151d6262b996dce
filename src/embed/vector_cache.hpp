// Encoded vectors kept on the disk: one matrix of floats per (model, settings, text), see cache_key.hpp.
// Several processes and threads may use one cache at once; any of them may be killed at any moment. The cache
// is bounded, the oldest entries go first. Whatever goes wrong with it (damage, a full disk, a folder that
// cannot be written) is a warning and a run without caching, never an error and never a wrong vector.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "embed/cache_key.hpp"
#include "embed/cache_record.hpp"

namespace markeval::embed {

struct CacheCounts {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t written = 0;
  std::uint64_t evicted = 0;
  std::uint64_t damaged = 0;  ///< entries whose checksum was wrong; they count as misses too
};

class VectorCache {
 public:
  static constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{4} << 30;
  static constexpr std::uint64_t kSmallestMaxBytes = std::uint64_t{4} << 20;

  /// `folder` "none" is a cache that holds nothing. The file never outgrows `max_bytes` (and never shrinks).
  /// Throws Error(usage) where `max_bytes` is below kSmallestMaxBytes, for nothing else.
  explicit VectorCache(const std::string& folder, std::uint64_t max_bytes = kDefaultMaxBytes,
                       LogSink* log = nullptr);
  ~VectorCache();  ///< writes what is left to write
  VectorCache(const VectorCache&) = delete;
  VectorCache& operator=(const VectorCache&) = delete;

  /// Calls `accept(index, rows)` for every key that is there, from several threads at once, and gives back
  /// how many were accepted. `rows` is valid during the call only. What `accept` refuses (a shape not
  /// expected) counts as a miss.
  std::size_t read(std::span<const CacheKey> keys, ThreadPool& pool,
                   FunctionRef<bool(std::size_t index, const CachedRows& rows)> accept);

  /// Keeps a copy of `rows` to be written with the next batch: every 8 MiB, at flush() and at the end.
  void write(const CacheKey& key, MatrixView<const float> rows, std::uint64_t note = 0);
  void flush();

  bool active() const;  ///< false for "none" and once something went wrong
  CacheCounts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace markeval::embed
