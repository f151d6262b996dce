#include "embed/cache_context.hpp"

#include <gtest/gtest.h>

#include <set>

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
    const cache::Key key = CacheContext(settings).key("a line");
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

}  // namespace
}  // namespace markeval::embed
