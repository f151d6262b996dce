#include "embed/cached_encoding.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cache/cache_testing.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

CacheContext test_context() {
  return CacheContext({{"model", "test@0"}, {"pool", "mean"}});
}

class CachedEncodingTest : public testing::Test {
 protected:
  /// "encodes" a text as as many rows as it has letters, each holding the letter and the length.
  void encode(std::span<const std::string_view> texts, RowsSink sink) {
    for (std::size_t number = texts.size(); number-- > 0;) {  // in any order
      encoded_.emplace_back(texts[number]);
      std::vector<float> values;
      for (const char letter : texts[number]) {
        values.push_back(static_cast<float>(letter));
        values.push_back(static_cast<float>(texts[number].size()));
      }
      sink(number, MatrixView<const float>(values.data(), texts[number].size(), 2),
           {static_cast<std::uint32_t>(texts[number].size()), 7});
    }
  }
  /// Sends the texts through and checks what comes out.
  void run(cache::VectorCache& cache, const std::vector<std::string_view>& texts,
           const CacheContext& context) {
    CachedEncoding encoding(cache, context, 2, pool_);
    std::size_t next = 0;
    encoded_.clear();
    encoding.run(
        texts, [&](std::span<const std::string_view> missing, RowsSink sink) { encode(missing, sink); },
        [&](std::size_t index, MatrixView<const float> rows, const TextNote& counts) {
          EXPECT_EQ(index, next++);
          ASSERT_EQ(rows.rows(), texts[index].size());
          for (std::size_t row = 0; row < rows.rows(); ++row) {
            EXPECT_EQ(rows(row, 0), static_cast<float>(texts[index][row]));
            EXPECT_EQ(rows(row, 1), static_cast<float>(texts[index].size()));
          }
          EXPECT_EQ(counts.unknown, texts[index].size());
          EXPECT_EQ(counts.cut, 7u);
        });
    EXPECT_EQ(next, texts.size());
  }
  TempFolder folder_;
  cache::RememberingLog log_;
  ThreadPool pool_{2};
  std::vector<std::string> encoded_;
};

TEST_F(CachedEncodingTest, EncodesOnlyWhatIsMissingAndKeepsTheOrder) {
  {
    cache::VectorCache cache(folder_.path(), cache::VectorCache::kSmallestMaxBytes, &log_);
    run(cache, {"b", "ddd", ""}, test_context());
    EXPECT_EQ(encoded_.size(), 3u);
  }
  cache::VectorCache cache(folder_.path(), cache::VectorCache::kSmallestMaxBytes, &log_);
  run(cache, {"a", "b", "cc", "ddd", ""}, test_context());
  EXPECT_EQ(encoded_, (std::vector<std::string>{"cc", "a"}));
  EXPECT_EQ(cache.counts().hits, 3u);
  EXPECT_EQ(log_.all(), "");
}

TEST_F(CachedEncodingTest, EncodesATextOncePerWindow) {
  cache::VectorCache cache("none");
  run(cache, {"same", "other", "same", "same"}, test_context());
  EXPECT_EQ(encoded_, (std::vector<std::string>{"other", "same"}));
}

TEST_F(CachedEncodingTest, EncodesAgainUnderOtherSettings) {
  cache::VectorCache cache(folder_.path(), cache::VectorCache::kSmallestMaxBytes, &log_);
  run(cache, {"text"}, test_context());
  cache.flush();
  run(cache, {"text"}, CacheContext(std::vector<CacheContext::Setting>{{"model", "another"}}));
  EXPECT_EQ(encoded_.size(), 1u);
}

TEST_F(CachedEncodingTest, EncodesAgainWhatHasAnotherWidth) {
  cache::VectorCache cache(folder_.path(), cache::VectorCache::kSmallestMaxBytes, &log_);
  const float values[3] = {1, 2, 3};
  cache.write(test_context().key("text"), MatrixView<const float>(values, 1, 3));
  cache.flush();
  run(cache, {"text"}, test_context());
  EXPECT_EQ(encoded_.size(), 1u);
}

}  // namespace
}  // namespace markeval::embed
