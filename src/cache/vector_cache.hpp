// Matrices of floats kept on the disk under a key. Knows no model and no text.
// Several processes and threads may use one cache at once; any of them may be killed at any moment. The cache
// is bounded, the oldest entries go first. Whatever goes wrong with it (damage, a full disk, a folder that
// cannot be written) is a warning and a run without caching, never an error and never a wrong vector.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/matrix_view.hpp"
#include "base/parallel.hpp"
#include "base/run_context.hpp"
#include "cache/record.hpp"

namespace markeval::cache {

class VectorCache {
 public:
  static constexpr std::uint64_t kDefaultMaxBytes = std::uint64_t{4} << 30;
  static constexpr std::uint64_t kSmallestMaxBytes = std::uint64_t{4} << 20;

  /// `folder` "none" is a cache that holds nothing. The files in it stay within `max_bytes`; larger ones
  /// shrink to it while entries are written. Throws Error(usage) where `max_bytes` is below
  /// kSmallestMaxBytes, for nothing else. `log` is called by the threads that call the functions below, never
  /// by others.
  explicit VectorCache(const std::string& folder, std::uint64_t max_bytes = kDefaultMaxBytes,
                       LogSink* log = nullptr);
  /// Records that another process has made (make_record) and packed, in memory, which must outlive this: all
  /// a vector depends on is in its key, so a carried vector is the one this process would have made. Nothing
  /// is written. Here damage is an error: this and read() throw Error(invalid_input).
  explicit VectorCache(std::span<const std::string_view> carried);
  ~VectorCache();  ///< writes what is left to write
  VectorCache(const VectorCache&) = delete;
  VectorCache& operator=(const VectorCache&) = delete;

  /// Is given the number of a key, its matrix, valid during the call only, and the note.
  using Accept = FunctionRef<void(std::size_t index, MatrixView<const float> rows, std::uint64_t note)>;
  /// Calls `accept` for every key that is there, from several threads at once.
  void read(std::span<const Key> keys, ThreadPool& pool, Accept accept);

  /// Keeps a copy of `rows` for the next batch; `note` is what the writer wants to be told again. A thread in
  /// the background writes a batch every 8 MiB, at flush() and at the end; where it cannot keep up, this call
  /// waits for it.
  void write(const Key& key, MatrixView<const float> rows, std::uint64_t note = 0);
  void flush();

  bool active() const;  ///< false for "none" and once something went wrong

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// $MARKEVAL_CACHE_SIZE ("512M", "8G", bytes without a letter), else VectorCache::kDefaultMaxBytes. Throws
/// Error(usage).
std::uint64_t default_cache_bytes();

}  // namespace markeval::cache
