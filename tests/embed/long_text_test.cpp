#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "embed/encode_queue.hpp"
#include "encoder/model_folder.hpp"
#include "encoder/text_error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

using Ranges = std::vector<std::vector<std::size_t>>;

/// begin, end, keep_begin, keep_end of each.
Ranges windows(std::size_t tokens, std::size_t size) {
  Ranges found;
  for (const TextWindow& window : text_windows(tokens, size))
    found.push_back({window.begin, window.end, window.keep_begin, window.keep_end});
  return found;
}

TEST(TextWindows, AreHalfAWindowApartAndEndWithTheText) {
  EXPECT_EQ(windows(10, 4), (Ranges{{0, 4, 0, 3}, {2, 6, 3, 5}, {4, 8, 5, 7}, {6, 10, 7, 10}}));
  EXPECT_EQ(windows(5, 4), (Ranges{{0, 4, 0, 2}, {1, 5, 2, 5}}));
  EXPECT_EQ(windows(4, 4), (Ranges{{0, 4, 0, 4}}));
  EXPECT_EQ(windows(0, 4), (Ranges{{0, 0, 0, 0}}));
}

TEST(TextWindows, KeepEveryTokenOnceAndInsideTheirWindow) {
  for (std::size_t size = 1; size < 9; ++size) {
    for (std::size_t tokens = 0; tokens < 40; ++tokens) {
      std::size_t next = 0;
      for (const TextWindow& window : text_windows(tokens, size)) {
        EXPECT_LE(window.size(), size);
        EXPECT_EQ(window.keep_begin, next) << tokens << " in windows of " << size;
        EXPECT_GE(window.keep_begin, window.begin);
        EXPECT_LE(window.keep_end, window.end);
        next = window.keep_end;
      }
      EXPECT_EQ(next, tokens);
    }
  }
}

TEST(TextShape, CountsTheSpecialTokensAroundTheText) {
  const TextShape shape = text_shape(std::vector<std::uint8_t>{1, 0, 0, 0, 1, 1});
  EXPECT_EQ(shape.before, 1u);
  EXPECT_EQ(shape.tokens, 3u);
  EXPECT_EQ(shape.after, 2u);
  const TextShape empty = text_shape(std::vector<std::uint8_t>{1, 1});
  EXPECT_EQ(empty.tokens, 0u);
  EXPECT_EQ(empty.specials(), 2u);
}

/// One text of `tokens` tokens through the small BERT, whatever room it has; its rows of the last layer.
std::vector<float> rows_of_a_text(std::size_t tokens, const LengthLimits& limits) {
  ThreadPool pool(1);
  const auto device = compute::make_cpu_device(pool);
  encoder::Encoder encoder(encoder::model_folder("bert"), *device);
  const std::vector<std::string_view> texts{"a text"};
  EncodedTexts out(texts, {{2}, {}}, encoder.dimensions().hidden);
  MissingTexts missing{{1}, {0}, {{}}, {}};
  missing.encodings[0].ids.assign(tokens, 7);
  missing.encodings[0].special.assign(tokens, 0);
  TextTokens& entry = out.entry(0).tokens;
  entry.ids = missing.encodings[0].ids;
  out.allocate();
  const MatrixView<float> rows = out.states(0, 0);
  std::fill_n(rows.data(), rows.rows() * rows.columns(), std::nanf(""));
  EncodeTask task(missing, limits, 1024, out);
  EncodeQueue().run(encoder, task, RunContext{pool});
  return {rows.data(), rows.data() + rows.rows() * rows.columns()};
}

// A tokenizer that made more tokens than the model has room for once gave rows that nobody wrote.
TEST(EncodeTask, WritesEveryRowOrRefusesTheText) {
  const auto all_written = [](const std::vector<float>& rows) {
    return std::ranges::all_of(rows, [](float value) { return std::isfinite(value); });
  };
  EXPECT_TRUE(all_written(rows_of_a_text(6, {.tokens = 6, .sentences = 6})));
  EXPECT_TRUE(all_written(rows_of_a_text(15, {.tokens = 6, .sentences = 6, .windows = true})));
  EXPECT_ERROR(rows_of_a_text(7, {.tokens = 6, .sentences = 6}), ErrorCode::invalid_input,
               "text 1: 7 tokens where the model has room for 6");
  EXPECT_ERROR(rows_of_a_text(0, {.tokens = 6, .sentences = 6}), ErrorCode::invalid_input,
               "text 1: the tokenizer of the model makes no tokens of this text");
}

}  // namespace
}  // namespace markeval::embed
