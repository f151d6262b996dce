// What the cache's tests share: vectors that can be told right from wrong, and a log that remembers.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/run_context.hpp"
#include "cache/vector_cache.hpp"
#include "support/sanitized.hpp"

namespace markeval::cache {

inline constexpr std::uint64_t kSmall = VectorCache::kSmallestMaxBytes;

class RememberingLog : public LogSink {
 public:
  void info(const std::string& message) override { infos.push_back(message); }
  void warning(const std::string& message) override { warnings.push_back(message); }
  std::string all() const {
    std::string joined;
    for (const std::string& warning : warnings) joined += warning + "\n";
    return joined;
  }
  std::vector<std::string> infos, warnings;
};

inline Key key_of(std::size_t item) {
  return make_key(make_key({}, "test"), "line number " + std::to_string(item));
}

/// One row for most items, a token matrix of several rows for every tenth.
struct Expected {
  std::size_t rows, columns;
  std::vector<float> values;
};
inline Expected expected_of(std::size_t item, std::size_t columns = 96) {
  Expected expected{item % 10 == 0 ? 1 + item % 40 : 1, columns, {}};
  RandomStream random(7, item);
  expected.values.resize(expected.rows * expected.columns);
  for (float& value : expected.values) value = static_cast<float>(random.uniform());
  return expected;
}

inline void write_items(VectorCache& cache, std::size_t first, std::size_t count) {
  for (std::size_t item = first; item < first + count; ++item) {
    const Expected expected = expected_of(item);
    cache.write(key_of(item), MatrixView(expected.values.data(), expected.rows, expected.columns), item);
  }
  cache.flush();
}

/// Of the matrix under `key`, where there is one, what `check(rows, note)` says.
template <typename Check>
bool is_there(VectorCache& cache, const Key& key, ThreadPool& pool, const Check& check) {
  bool right = false;
  cache.read(std::span(&key, 1), pool, [&](std::size_t, MatrixView<const float> rows, std::uint64_t note) {
    right = check(rows, note);
  });
  return right;
}

struct Found {
  std::size_t right = 0, wrong = 0;
};
/// Reads the items and compares what is there with what was written.
inline Found read_items(VectorCache& cache, const std::vector<std::size_t>& items, ThreadPool& pool,
                        std::vector<char>* hit = nullptr) {
  std::vector<Key> keys;
  for (const std::size_t item : items) keys.push_back(key_of(item));
  std::vector<char> state(items.size(), 0);  // 1 right, 2 wrong
  cache.read(keys, pool, [&](std::size_t index, MatrixView<const float> rows, std::uint64_t note) {
    const Expected expected = expected_of(items[index]);
    const bool right = rows.rows() == expected.rows && rows.columns() == expected.columns &&
                       std::equal(expected.values.begin(), expected.values.end(), rows.data()) &&
                       note == items[index];
    state[index] = right ? 1 : 2;
  });
  Found found;
  for (const char one : state) {
    found.right += one == 1;
    found.wrong += one == 2;
  }
  if (hit != nullptr) *hit = std::move(state);
  return found;
}
inline std::vector<std::size_t> range(std::size_t first, std::size_t count) {
  std::vector<std::size_t> items(count);
  for (std::size_t index = 0; index < count; ++index) items[index] = first + index;
  return items;
}

/// What `body` gives back when it runs in a process of its own, or minus the signal that ended it. A crash is
/// then a failure of the test, not its end.
inline int in_child(FunctionRef<int()> body) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      _exit(body());
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(99);
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// The bytes of all that lies in a cache's folder.
inline std::uint64_t folder_bytes(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code gone;  // the log goes when the last user closes it
    const auto size = entry.file_size(gone);
    if (!gone && !entry.path().string().ends_with("-shm")) bytes += size;
  }
  return bytes;
}

}  // namespace markeval::cache
