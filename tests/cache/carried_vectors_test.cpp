#include <gtest/gtest.h>

#include <array>

#include "base/error.hpp"
#include "base/packing.hpp"
#include "cache/vector_cache.hpp"

namespace markeval::cache {
namespace {

const Key kCarriedKey = make_key({}, "a text");
const Key kOtherKey = make_key({}, "another text");
constexpr std::array<float, 4> kCarriedValues{1, 2, 3, 4};

std::string packed_vectors() {
  const auto record = make_record(kCarriedKey, {kCarriedValues.data(), 2, 2}, 7, 1000).value();
  Packer packer;
  packer.add(std::string_view(reinterpret_cast<const char*>(record.data()), record.size()));
  return packer.take();
}

TEST(CarriedVectors, AreFoundByTheirKey) {
  const std::string packed = packed_vectors();
  const std::array<std::string_view, 1> parts{packed};
  VectorCache carried(parts);
  EXPECT_TRUE(carried.active());
  ThreadPool pool(1);
  std::size_t found = 0;
  const std::array keys{kOtherKey, kCarriedKey};
  carried.read(keys, pool, [&](std::size_t index, MatrixView<const float> rows, std::uint64_t note) {
    ++found;
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(rows.rows(), 2u);
    EXPECT_EQ(rows(1, 1), 4);
    EXPECT_EQ(note, 7u);
  });
  EXPECT_EQ(found, 1u);
}

TEST(CarriedVectors, DamagedBytesAreErrors) {
  const auto read = [](const std::string& packed) {
    const std::array<std::string_view, 1> parts{packed};
    VectorCache carried(parts);
    ThreadPool pool(1);
    carried.read(std::array{kCarriedKey}, pool, [](auto...) {});
  };
  const std::string good = packed_vectors();
  EXPECT_NO_THROW(read(good));
  std::string changed = good;
  changed.back() ^= 1;  // of the last number
  EXPECT_THROW(read(changed), Error);
  EXPECT_THROW(read(good.substr(0, good.size() - 1)), Error);
}

}  // namespace
}  // namespace markeval::cache
