#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "compute/reference/reference.hpp"
#include "compute/samples.hpp"
#include "contract/devices.hpp"

namespace markeval::compute::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double reference_distance(const samples::Codes& query, std::size_t q, const samples::Codes& base,
                          std::size_t b) {
  return reference::coded_squared_distance(query.row(q), query.scale[q], query.squared_norm[q], base.row(b),
                                           base.scale[b], base.squared_norm[b]);
}

double error_bound(const samples::Codes& query, std::size_t q, const samples::Codes& base, std::size_t b) {
  return static_cast<double>(kCodedError) *
         (static_cast<double>(query.squared_norm[q]) + static_cast<double>(base.squared_norm[b]));
}

class Pairs : public EveryDevice {
 protected:
  std::vector<CodedPair> select(const CodedRows& query, const CodedRows& base, Tile tile,
                                const std::vector<float>& query_limit, const std::vector<float>& base_limit,
                                std::size_t capacity) {
    std::vector<CodedPair> pairs(capacity);
    count_ = operations_.select(
        query, base, tile,
        std::span(query_limit).subspan(tile.query_begin, tile.query_end - tile.query_begin),
        std::span(base_limit).subspan(tile.base_begin, tile.base_end - tile.base_begin), pairs);
    pairs.resize(std::min(count_, capacity));
    return pairs;
  }

  void keeps_exactly_those_within_limits(samples::Scales scales, std::size_t columns) {
    keeps_exactly_those_within_limits(samples::codes(301, columns, 60, 3, scales),
                                      samples::codes(517, columns, 60, 4, scales));
  }
  void keeps_exactly_those_within_limits(const samples::Codes& query, const samples::Codes& base);

  ThreadPool pool_{2};
  std::unique_ptr<Device> device_ = GetParam().make(pool_);
  const PairOperations& operations_ = *pair_operations(*device_);  // all instances below are CPUs
  std::size_t count_ = 0;
};

// With an infinite limit every pair comes back, each once, with the right distance: the product is exact, so
// only the few roundings after it show.
TEST_P(Pairs, MeasuresEveryPairOfEveryShape) {
  for (const std::size_t columns :
       {1u, 2u, 3u, 4u, 7u, 8u, 15u, 16u, 31u, 33u, 63u, 64u, 65u, 127u, 128u, 384u, 777u, 1024u}) {
    for (const std::size_t rows : {1u, 5u, 12u, 41u}) {
      const samples::Codes query = samples::codes(rows, columns, 127, 1),
                           base = samples::codes(37, columns, 127, 2);
      const auto packed_query = samples::pack(operations_, query),
                 packed_base = samples::pack(operations_, base);
      const auto pairs =
          select(*packed_query, *packed_base, {0, rows, 0, 37}, std::vector<float>(rows, kInfinity),
                 std::vector<float>(37, -kInfinity), rows * 37);
      ASSERT_EQ(count_, rows * 37);
      std::vector<int> seen(rows * 37);
      for (const CodedPair& pair : pairs) {
        ++seen[pair.query * 37 + pair.base];
        ASSERT_NEAR(static_cast<double>(pair.squared_distance),
                    reference_distance(query, pair.query, base, pair.base),
                    error_bound(query, pair.query, base, pair.base))
            << columns << " columns, pair " << pair.query << " " << pair.base;
      }
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(rows * 37));
    }
  }
}

void Pairs::keeps_exactly_those_within_limits(const samples::Codes& query, const samples::Codes& base) {
  constexpr std::size_t kQueries = 301, kBases = 517;
  const auto packed_query = samples::pack(operations_, query), packed_base = samples::pack(operations_, base);
  std::vector<double> all;
  for (std::size_t q = 0; q < kQueries; ++q) {
    for (std::size_t b = 0; b < kBases; ++b) all.push_back(reference_distance(query, q, base, b));
  }
  std::vector<double> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  RandomStream random(5, 0);
  std::vector<float> query_limit(kQueries), base_limit(kBases);
  for (float& limit : query_limit) limit = static_cast<float>(sorted[random.below(sorted.size() / 100)]);
  for (float& limit : base_limit) limit = static_cast<float>(sorted[random.below(sorted.size() / 200)]);
  query_limit[17] = kInfinity;
  base_limit[3] = kInfinity;
  query_limit[18] = -kInfinity;
  const std::vector<Tile> tiles{
      {0, kQueries, 0, kBases}, {7, 290, 5, 511}, {16, 18, 2, 4}, {0, 256, 256, 512}, {40, 40, 0, 9}};
  for (const Tile& tile : tiles) {
    const auto pairs = select(*packed_query, *packed_base, tile, query_limit, base_limit, tile.pairs());
    std::vector<char> found(kQueries * kBases);
    for (const CodedPair& pair : pairs) {
      EXPECT_TRUE(pair.query >= tile.query_begin && pair.query < tile.query_end &&
                  pair.base >= tile.base_begin && pair.base < tile.base_end);
      EXPECT_LE(pair.squared_distance, std::max(query_limit[pair.query], base_limit[pair.base]));
      EXPECT_EQ(found[pair.query * kBases + pair.base]++, 0);
    }
    for (std::size_t q = tile.query_begin; q < tile.query_end; ++q) {
      for (std::size_t b = tile.base_begin; b < tile.base_end; ++b) {
        const double excess =
            all[q * kBases + b] - static_cast<double>(std::max(query_limit[q], base_limit[b]));
        if (std::abs(excess) <= error_bound(query, q, base, b)) continue;
        EXPECT_EQ(found[q * kBases + b] != 0, excess < 0) << q << " " << b;
      }
    }
  }
}

TEST_P(Pairs, KeepsExactlyThosePairsWithinEitherLimit) {
  keeps_exactly_those_within_limits(samples::Scales::each_its_own, 64);
}

TEST_P(Pairs, KeepsExactlyThosePairsWhereAllRowsHaveOneScale) {
  for (const std::size_t columns : {3u, 64u, 96u}) {
    keeps_exactly_those_within_limits(samples::Scales::one_for_all, columns);
  }
}

TEST_P(Pairs, MeasuresEveryPairWhereAllRowsHaveOneScale) {
  for (const std::size_t columns : {1u, 5u, 64u, 777u}) {
    const samples::Codes own = samples::codes(41, columns, 127, 1, samples::Scales::one_for_all);
    samples::Codes other = samples::codes(37, columns, 127, 2, samples::Scales::one_for_all);
    // Scales of the two sides far apart: norms in units of the product beyond any product.
    for (const float factor : {1.0f, 1e-6f, 1e6f}) {
      for (float& scale : other.scale) scale *= factor;
      for (float& norm : other.squared_norm) norm *= factor * factor;
      const auto packed_own = samples::pack(operations_, own),
                 packed_other = samples::pack(operations_, other);
      const auto pairs =
          select(*packed_own, *packed_other, {0, 41, 0, 37}, std::vector<float>(41, -kInfinity),
                 std::vector<float>(37, kInfinity), 41 * 37);
      ASSERT_EQ(count_, 41u * 37u) << columns << " columns, factor " << factor;
      for (const CodedPair& pair : pairs) {
        ASSERT_NEAR(static_cast<double>(pair.squared_distance),
                    reference_distance(own, pair.query, other, pair.base),
                    error_bound(own, pair.query, other, pair.base));
      }
    }
  }
}

TEST_P(Pairs, CountsPairsBeyondTheRoomGiven) {
  const samples::Codes query = samples::codes(20, 32, 90, 6), base = samples::codes(30, 32, 90, 7);
  const auto packed_query = samples::pack(operations_, query), packed_base = samples::pack(operations_, base);
  const std::vector<float> query_limit(20, kInfinity), base_limit(30, kInfinity);
  const auto all = select(*packed_query, *packed_base, {0, 20, 0, 30}, query_limit, base_limit, 600);
  const auto some = select(*packed_query, *packed_base, {0, 20, 0, 30}, query_limit, base_limit, 100);
  EXPECT_EQ(count_, 600u);
  ASSERT_EQ(some.size(), 100u);
  for (std::size_t i = 0; i < some.size(); ++i) {
    EXPECT_EQ(some[i].query, all[i].query);
    EXPECT_EQ(some[i].base, all[i].base);
  }
}

// A pair's distance has the same bits in every tile, alone or among others.
TEST_P(Pairs, GivesAPairTheSameBitsInEveryTile) {
  const samples::Codes query = samples::codes(50, 100, 127, 8), base = samples::codes(60, 100, 127, 9);
  const auto packed_query = samples::pack(operations_, query), packed_base = samples::pack(operations_, base);
  const std::vector<float> query_limit(50, kInfinity), base_limit(60, kInfinity);
  std::vector<float> distances(50 * 60);
  for (const CodedPair& pair :
       select(*packed_query, *packed_base, {0, 50, 0, 60}, query_limit, base_limit, 50 * 60)) {
    distances[pair.query * 60 + pair.base] = pair.squared_distance;
  }
  for (const Tile& tile : {Tile{3, 4, 0, 60}, Tile{0, 50, 59, 60}, Tile{13, 38, 21, 44}}) {
    for (const CodedPair& pair :
         select(*packed_query, *packed_base, tile, query_limit, base_limit, tile.pairs())) {
      EXPECT_EQ(pair.squared_distance, distances[pair.query * 60 + pair.base]);
    }
  }
}

TEST_P(Pairs, MeasuresScatteredPairs) {
  for (const std::size_t columns : {1u, 63u, 64u, 65u, 384u, 1000u}) {
    const samples::Codes query = samples::codes(80, columns, 127, 10),
                         base = samples::codes(90, columns, 127, 11);
    const auto packed_query = samples::pack(operations_, query),
               packed_base = samples::pack(operations_, base);
    RandomStream random(12, 0);
    for (const std::size_t count : {0u, 1u, 2u, 3u, 500u}) {
      std::vector<CodedPair> pairs(count);
      for (CodedPair& pair : pairs) {
        pair = {static_cast<std::uint32_t>(random.below(80)), static_cast<std::uint32_t>(random.below(90)),
                -1};
      }
      std::vector<CodedPair> found = pairs;
      operations_.measure(*packed_query, *packed_base, found);
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(found[i].query, pairs[i].query);
        ASSERT_EQ(found[i].base, pairs[i].base);
        ASSERT_NEAR(static_cast<double>(found[i].squared_distance),
                    reference_distance(query, found[i].query, base, found[i].base),
                    error_bound(query, found[i].query, base, found[i].base));
      }
    }
  }
}

std::vector<TestedDevice> cpus() {
  std::vector<TestedDevice> devices = tested_devices();
  std::erase_if(devices, [](const TestedDevice& device) { return !device.isa; });
  return devices;
}

INSTANTIATE_TEST_SUITE_P(Device, Pairs, ::testing::ValuesIn(cpus()), device_name);

}  // namespace
}  // namespace markeval::compute::cpu
