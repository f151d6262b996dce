#include "embed/carried_vectors.hpp"

#include <gtest/gtest.h>

#include <array>

#include "base/error.hpp"

namespace markeval::embed {
namespace {

const cache::Key kCarriedKey = cache::make_key({}, "a text");
const cache::Key kOtherKey = cache::make_key({}, "another text");
constexpr std::array<float, 4> kCarriedValues{1, 2, 3, 4};

std::string packed_vectors() {
  VectorsToCarry vectors;
  vectors.add(kCarriedKey, {kCarriedValues.data(), 2, 2}, 7);
  return vectors.take();
}

TEST(CarriedVectors, AreFoundByTheirKey) {
  const std::string packed = packed_vectors();
  CarriedVectors carried;
  carried.add(packed);
  std::size_t found = 0;
  const std::array keys{kOtherKey, kCarriedKey};
  carried.read(keys, [&](std::size_t index, MatrixView<const float> rows, std::uint64_t note) {
    ++found;
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(rows.rows(), 2u);
    EXPECT_EQ(rows(1, 1), 4);
    EXPECT_EQ(note, 7u);
    return true;
  });
  EXPECT_EQ(found, 1u);
}

TEST(CarriedVectors, DamagedBytesAreErrors) {
  const auto read = [](const std::string& packed) {
    CarriedVectors carried;
    carried.add(packed);
    carried.read(std::array{kCarriedKey},
                 [](std::size_t, MatrixView<const float>, std::uint64_t) { return true; });
  };
  const std::string good = packed_vectors();
  EXPECT_NO_THROW(read(good));
  std::string changed = good;
  changed.back() ^= 1;  // of the last number
  EXPECT_THROW(read(changed), Error);
  EXPECT_THROW(read(good.substr(0, good.size() - 1)), Error);
}

}  // namespace
}  // namespace markeval::embed
