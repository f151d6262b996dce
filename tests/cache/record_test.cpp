#include "cache/record.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>

namespace markeval::cache {
namespace {

constexpr std::size_t kNoLimit = ~std::size_t{0};

TEST(MakeKey, TellsInputsApart) {
  const Key prefix = make_key({}, "settings");
  std::set<std::uint64_t> seen;
  for (int number = 0; number < 10000; ++number)
    seen.insert(make_key(prefix, "line " + std::to_string(number)).low);
  EXPECT_EQ(seen.size(), 10000u);
  EXPECT_NE(make_key(prefix, ""), make_key(prefix, std::string_view("\0", 1)));
}

TEST(MakeKey, TellsPrefixesApartInEveryHash) {
  const Key one = make_key(make_key({}, "layer 3"), "a line");
  const Key other = make_key(make_key({}, "layer 4"), "a line");
  EXPECT_NE(one.high, other.high);
  EXPECT_NE(one.low, other.low);
  EXPECT_NE(one.check, other.check);
  EXPECT_EQ(one.length, other.length);
}

class CacheRecord : public ::testing::Test {
 protected:
  const float values_[6] = {1, 2, 3, 4, 5, 6};
  const Key key_{11, 22, 33, 44};
  const std::vector<std::byte> record_ =
      make_record(key_, MatrixView<const float>(values_, 2, 3), 77, kNoLimit).value();
  CachedMatrix out_;
};

TEST_F(CacheRecord, GivesBackWhatWasWritten) {
  ASSERT_TRUE(read_record(record_, key_, out_));
  EXPECT_EQ(out_.rows, 2u);
  EXPECT_EQ(out_.columns, 3u);
  EXPECT_EQ(out_.note, 77u);
  EXPECT_EQ(out_.values, std::vector<float>(values_, values_ + 6));
}

TEST_F(CacheRecord, WritesRowsThatLieApart) {
  const auto apart = make_record(key_, MatrixView<const float>(values_, 2, 2, 3), 0, kNoLimit);
  ASSERT_TRUE(apart && read_record(*apart, key_, out_));
  EXPECT_EQ(out_.values, (std::vector<float>{1, 2, 4, 5}));
}

TEST_F(CacheRecord, RefusesAnyFlippedBit) {
  for (std::size_t bit = 0; bit < record_.size() * 8; ++bit) {
    std::vector<std::byte> flipped = record_;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(read_record(flipped, key_, out_)) << "bit " << bit;
  }
}

TEST_F(CacheRecord, RefusesAnyCut) {
  for (std::size_t size = 0; size < record_.size(); ++size) {
    EXPECT_FALSE(read_record(std::span(record_).first(size), key_, out_)) << size << " bytes";
  }
}

TEST_F(CacheRecord, RefusesAnotherKey) {
  EXPECT_FALSE(read_record(record_, Key{11, 22, 33, 45}, out_));
  EXPECT_FALSE(read_record(record_, Key{11, 22, 34, 44}, out_));
  EXPECT_FALSE(read_record(record_, Key{11, 23, 33, 44}, out_));
  EXPECT_FALSE(read_record(record_, Key{12, 22, 33, 44}, out_));
}

// 2^16 x 2^16 floats are 2^34 bytes; 2^31 x 2^31 of them wrap around to 0 bytes in 64 bits.
TEST_F(CacheRecord, AsksForNoMemoryOnTheWordOfAHeader) {
  for (const std::uint32_t side : {std::uint32_t{1} << 16, std::uint32_t{1} << 31, ~std::uint32_t{0}}) {
    std::vector<std::byte> huge = record_;
    std::memcpy(huge.data() + 40, &side, sizeof(side));
    std::memcpy(huge.data() + 44, &side, sizeof(side));
    EXPECT_FALSE(read_record(huge, key_, out_));
    EXPECT_FALSE(read_record(std::span(huge).first(64), key_, out_));
    EXPECT_EQ(out_.values.capacity(), 0u);
  }
}

TEST_F(CacheRecord, IsNotMadeOfWhatItCannotSay) {
  EXPECT_FALSE(make_record(key_, MatrixView<const float>(values_, 2, 3), 0, record_.size() - 1));
  EXPECT_TRUE(make_record(key_, MatrixView<const float>(values_, 2, 3), 0, record_.size()));
  EXPECT_FALSE(make_record(key_, MatrixView<const float>(values_, std::size_t{1} << 32, 0), 0, kNoLimit));
}

}  // namespace
}  // namespace markeval::cache
