#include "embed/places.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "cache/vector_cache.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

TEST(CachePlace, FollowsTheEnvironment) {
  const EnvironmentVariable home("HOME", "/home/h");
  const EnvironmentVariable xdg("XDG_CACHE_HOME", nullptr);
  const EnvironmentVariable own("MARKEVAL_CACHE", nullptr);
  EXPECT_EQ(default_cache_folder(), "/home/h/.cache/markeval");
  const EnvironmentVariable xdg_set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(default_cache_folder(), "/x/markeval");
  const EnvironmentVariable own_set("MARKEVAL_CACHE", "none");
  EXPECT_EQ(default_cache_folder(), "none");
}

TEST(CachePlace, ReadsItsSizeFromTheEnvironment) {
  const EnvironmentVariable unset("MARKEVAL_CACHE_SIZE", nullptr);
  EXPECT_EQ(default_cache_bytes(), cache::VectorCache::kDefaultMaxBytes);
  const EnvironmentVariable set("MARKEVAL_CACHE_SIZE", "512M");
  EXPECT_EQ(default_cache_bytes(), std::uint64_t{512} << 20);
  for (const char* bad : {"lots", "4T", "-1", "99999999999G", "G"}) {
    const EnvironmentVariable wrong("MARKEVAL_CACHE_SIZE", bad);
    EXPECT_ERROR(default_cache_bytes(), ErrorCode::usage, bad);
  }
}

}  // namespace
}  // namespace markeval::embed
