// How long the cache takes to write and to read the vectors of many texts: one row of 384 floats each, read
// by a second opening of the file. Verifies every number that it reads.
//
// Usage: cache_speed FOLDER [TEXTS [THREADS]]      FOLDER must not hold a cache yet
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "cache/vector_cache.hpp"

namespace {

using namespace markeval;
constexpr std::size_t kWidth = 384;
constexpr int kRuns = 7;

/// A vector that only this text has.
void fill(std::vector<float>& row, std::size_t text) {
  for (std::size_t column = 0; column < kWidth; ++column) row[column] = static_cast<float>(text + column);
}

/// By the wall's clock, and of all threads together. On a busy machine only the second one says much.
struct Seconds {
  double wall = 0, cpu = 0;
};

Seconds seconds_of(FunctionRef<void()> body) {
  const std::clock_t cpu = std::clock();
  const auto start = std::chrono::steady_clock::now();
  body();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

void report(const char* what, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  std::printf("%s %.3f s (%.3f to %.3f, %zu runs)\n", what, seconds[seconds.size() / 2], seconds.front(),
              seconds.back(), seconds.size());
}

void write_all(const std::string& folder, std::span<const cache::Key> keys) {
  cache::VectorCache cache(folder);
  std::vector<float> row(kWidth);
  for (std::size_t text = 0; text < keys.size(); ++text) {
    fill(row, text);
    cache.write(keys[text], MatrixView<const float>(row.data(), 1, kWidth));
  }
}

/// How many vectors were there, and right.
std::size_t read_all(const std::string& folder, std::span<const cache::Key> keys, ThreadPool& pool) {
  cache::VectorCache cache(folder);
  std::atomic<std::size_t> right{0};
  cache.read(keys, pool, [&](std::size_t text, MatrixView<const float> rows, std::uint64_t) {
    for (std::size_t column = 0; column < kWidth; ++column)
      if (rows.columns() != kWidth || rows(0, column) != static_cast<float>(text + column)) return;
    ++right;
  });
  return right;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) {
    std::fprintf(stderr, "usage: cache_speed FOLDER [TEXTS [THREADS]]\n");
    return 2;
  }
  const std::string folder = arguments[1];
  const std::size_t texts = count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 300'000;
  ThreadPool pool(count > 3 ? std::strtoul(arguments[3], nullptr, 10) : 0);
  if (std::filesystem::exists(folder + "/markeval-cache.sqlite")) {
    std::fprintf(stderr, "%s holds a cache already\n", folder.c_str());
    return 2;
  }

  std::vector<cache::Key> keys(texts);
  const cache::Key prefix = cache::make_key({}, "cache_speed");
  for (std::size_t text = 0; text < texts; ++text)
    keys[text] = cache::make_key(prefix, "text number " + std::to_string(text));

  std::printf("%zu texts, %zu floats each, %zu threads\n", texts, kWidth, pool.size());
  const Seconds writing = seconds_of([&] { write_all(folder, keys); });
  std::printf("written in %.2f s, %.2f s of CPU, %zu MiB\n", writing.wall, writing.cpu,
              static_cast<std::size_t>(std::filesystem::file_size(folder + "/markeval-cache.sqlite") >> 20));
  std::vector<double> wall, cpu;
  for (int run = 0; run < kRuns; ++run) {
    std::size_t found = 0;
    const Seconds reading = seconds_of([&] { found = read_all(folder, keys, pool); });
    wall.push_back(reading.wall);
    cpu.push_back(reading.cpu);
    if (found == texts) continue;
    std::fprintf(stderr, "%zu of %zu vectors were there and right\n", found, texts);
    return 1;
  }
  report("read in    ", wall);
  report("read in CPU", cpu);
  return 0;
}
