#include "embed/cache_key.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "embed/cache_record.hpp"

namespace markeval::embed {
namespace {

using Settings = std::vector<CacheContext::Setting>;

TEST(CacheContext, IsTheSameForAnyOrderOfSettings) {
  const CacheContext one(Settings{{"model", "m@1"}, {"pool", "mean"}});
  const CacheContext other(Settings{{"pool", "mean"}, {"model", "m@1"}});
  EXPECT_EQ(one.key("a line"), other.key("a line"));
}

TEST(CacheContext, TellsEverySettingApart) {
  const CacheContext base(Settings{{"a", "b"}, {"c", "d"}});
  for (const Settings& settings :
       {Settings{{"a", "b"}}, Settings{{"a", "b"}, {"c", "e"}}, Settings{{"a", "bc"}, {"", "d"}},
        Settings{{"a", "b:c"}, {"d", ""}}, Settings{{"ab", ""}, {"c", "d"}}, Settings{}}) {
    const CacheKey key = CacheContext(settings).key("a line");
    EXPECT_NE(key.low, base.key("a line").low);
    EXPECT_NE(key.check, base.key("a line").check);
  }
}

TEST(CacheContext, TellsTextsApart) {
  const CacheContext context(Settings{{"model", "m@1"}});
  std::set<std::uint64_t> seen;
  for (int number = 0; number < 10000; ++number)
    seen.insert(context.key("line " + std::to_string(number)).low);
  EXPECT_EQ(seen.size(), 10000u);
  EXPECT_NE(context.key(""), context.key(std::string_view("\0", 1)));
}

class CacheRecord : public testing::Test {
 protected:
  CacheRecord() { append_record(key_, MatrixView<const float>(values_, 2, 3), 77, record_); }
  const float values_[6] = {1, 2, 3, 4, 5, 6};
  const CacheKey key_{11, 22, 33, 44};
  std::vector<std::byte> record_;
};

TEST_F(CacheRecord, GivesBackWhatWasWritten) {
  const auto rows = read_record(record_, key_);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->rows, 2u);
  EXPECT_EQ(rows->columns, 3u);
  EXPECT_EQ(rows->note, 77u);
  float copied[6];
  rows->copy_to(copied);
  EXPECT_EQ(std::memcmp(copied, values_, sizeof(values_)), 0);
}

TEST_F(CacheRecord, WritesRowsThatLieApart) {
  std::vector<std::byte> apart;
  append_record(key_, MatrixView<const float>(values_, 2, 2, 3), 0, apart);
  const auto rows = read_record(apart, key_);
  ASSERT_TRUE(rows);
  float copied[4];
  rows->copy_to(copied);
  EXPECT_EQ(copied[2], 4);
  EXPECT_EQ(copied[3], 5);
}

TEST_F(CacheRecord, RefusesAnyFlippedBit) {
  for (std::size_t bit = 0; bit < record_.size() * 8; ++bit) {
    std::vector<std::byte> flipped = record_;
    flipped[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(read_record(flipped, key_)) << "bit " << bit;
  }
}

TEST_F(CacheRecord, RefusesAnyCut) {
  for (std::size_t size = 0; size < record_.size(); ++size) {
    EXPECT_FALSE(read_record(std::span(record_).first(size), key_)) << size << " bytes";
  }
}

TEST_F(CacheRecord, RefusesAnotherKey) {
  EXPECT_FALSE(read_record(record_, CacheKey{11, 22, 33, 45}));
  EXPECT_FALSE(read_record(record_, CacheKey{11, 22, 34, 44}));
  EXPECT_FALSE(read_record(record_, CacheKey{11, 23, 33, 44}));
  EXPECT_FALSE(read_record(record_, CacheKey{12, 22, 33, 44}));
}

}  // namespace
}  // namespace markeval::embed
