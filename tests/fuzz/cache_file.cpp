#include <fmt/format.h>

#include "base/parallel.hpp"
#include "cache/vector_cache.hpp"
#include "fuzz/fuzz.hpp"

// The file of the cache, as somebody else left it. What comes out of it must be what was put in: only one
// matrix was ever written under this key.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace markeval;
  static const fuzz::Folder folder;
  static ThreadPool pool(1);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::remove_all(entry.path());
  folder.write("markeval-cache.sqlite", {reinterpret_cast<const char*>(data), size});
  const cache::Key key = cache::make_key({}, "a text");
  const std::vector<float> values{1, 2, 3, 4, 5, 6};
  const MatrixView<const float> rows(values.data(), 2, 3);
  bool is_there = false;
  const auto check = [&](std::size_t, MatrixView<const float> found, std::uint64_t note) {
    fuzz::require(note == 7 && found.rows() == 2 && found.columns() == 3 && found.row(1)[2] == 6,
                  "a wrong vector");
    is_there = true;
  };
  for (int round = 0; round < 2; ++round) {
    cache::VectorCache cache(folder.path(), cache::VectorCache::kSmallestMaxBytes);
    is_there = false;
    cache.read(std::span(&key, 1), pool, check);
    if (!is_there) cache.write(key, rows, 7);
  }
  return 0;
}
