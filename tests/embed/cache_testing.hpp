// What the cache's tests share: vectors that can be told right from wrong, and a log that remembers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/run_context.hpp"
#include "embed/vector_cache.hpp"

namespace markeval::embed {

class RememberingLog : public LogSink {
 public:
  void info(const std::string&) override {}
  void warning(const std::string& message) override { warnings.push_back(message); }
  std::string all() const {
    std::string joined;
    for (const std::string& warning : warnings) joined += warning + "\n";
    return joined;
  }
  std::vector<std::string> warnings;
};

inline std::string text_of(std::size_t item) {
  return "line number " + std::to_string(item);
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

inline CacheContext test_context() {
  return CacheContext({{"model", "test@0"}, {"pool", "mean"}});
}

inline void write_items(VectorCache& cache, std::size_t first, std::size_t count) {
  const CacheContext context = test_context();
  for (std::size_t item = first; item < first + count; ++item) {
    const Expected expected = expected_of(item);
    cache.write(context.key(text_of(item)),
                MatrixView(expected.values.data(), expected.rows, expected.columns));
  }
  cache.flush();
}

struct Found {
  std::size_t right = 0, wrong = 0;
};
/// Reads the items and compares what is there with what was written.
inline Found read_items(VectorCache& cache, const std::vector<std::size_t>& items, ThreadPool& pool,
                        std::vector<char>* hit = nullptr) {
  const CacheContext context = test_context();
  std::vector<CacheKey> keys;
  for (const std::size_t item : items) keys.push_back(context.key(text_of(item)));
  std::vector<char> state(items.size(), 0);  // 1 right, 2 wrong
  cache.read(keys, pool, [&](std::size_t index, const CachedRows& rows) {
    const Expected expected = expected_of(items[index]);
    std::vector<float> values(rows.values());
    rows.copy_to(values.data());
    const bool right =
        rows.rows == expected.rows && rows.columns == expected.columns && values == expected.values;
    state[index] = right ? 1 : 2;
    return true;
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

}  // namespace markeval::embed
