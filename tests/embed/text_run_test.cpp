#include "embed/text_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace markeval::embed {
namespace {

using ::testing::ElementsAre;

text::Corpus file_of(const std::vector<std::vector<std::string>>& segments) {
  text::Corpus file;
  for (const std::vector<std::string>& segment : segments) {
    file.texts.insert(file.texts.end(), segment.begin(), segment.end());
    file.starts.push_back(file.texts.size());
  }
  return file;
}

/// One token a letter, one number wide: the letter plus the layer. Sentences have the number of letters.
class LetterSource : public VectorSource {
 public:
  std::size_t last_layer() const override { return 3; }
  std::size_t width() const override { return 1; }
  std::size_t limit() override { return 100; }
  std::string model_name() const override { return "letters"; }
  std::vector<std::pair<std::string, std::string>> signature() override { return {}; }
  std::vector<TokenIds> token_ids(std::span<const std::string_view>, const RunContext&) override {
    return {};
  }
  EncodedTexts encode(std::span<const std::string_view> texts, const EncodeRequest& request,
                      const TokenNeed& need, const RunContext&) override {
    EncodedTexts out(texts, request, 1);
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      EncodedTexts::TextEntry& entry = out.entry(place);
      entry.counts = entry.sentence_counts = {1, entry.text.size(), 0, 0, 0};
      for (const char letter : entry.text) entry.tokens.ids.push_back(letter);
      if (need) need(entry.tokens, masks[std::string(entry.text)]);
    }
    out.allocate();
    for (std::size_t place = 0; place < out.distinct(); ++place) {
      ++encoded[std::string(out.written(place))];
      for (std::size_t layer = 0; layer < request.layers.size(); ++layer) {
        for (std::size_t token = 0; token < out.written(place).size(); ++token)
          out.states(place, layer)(token, 0) =
              static_cast<float>(out.written(place)[token]) + static_cast<float>(request.layers[layer]);
      }
      for (std::size_t which = 0; which < request.sentences.size(); ++which)
        out.sentence_row(place, which)[0] = static_cast<float>(out.written(place).size());
    }
    requests.push_back(request);
    return out;
  }

  std::map<std::string, int> encoded;
  std::map<std::string, std::vector<std::uint8_t>> masks;
  std::vector<EncodeRequest> requests;
};

class Reader : public TextUser {
 public:
  Reader(EncodeRequest request, bool in_order = false) : request_(std::move(request)), in_order_(in_order) {}
  EncodeRequest request() const override { return request_; }
  bool needs_order() const override { return in_order_; }
  void take(const TextBlock& block) override {
    for (std::size_t index = 0; index < block.lines().size(); ++index) {
      lines.push_back(block.lines()[index]);
      for (const std::uint32_t place : block.reference(0, index)) read(block, place, "r");
      for (const std::uint32_t place : block.candidate(0, index)) read(block, place, "c");
    }
    ++blocks;
  }
  void read(const TextBlock& block, std::uint32_t place, const char* side) {
    seen.push_back(side + std::string(block.texts().written(place)));
    for (const std::size_t layer : request_.layers) {
      const std::string_view text = block.texts().written(place);
      for (std::size_t token = 0; token < text.size(); ++token)
        EXPECT_EQ(block.texts().text(place).layer(layer)(token, 0),
                  static_cast<float>(text[token]) + static_cast<float>(layer));
    }
  }

  std::vector<std::size_t> lines;
  std::vector<std::string> seen;
  int blocks = 0;

 private:
  EncodeRequest request_;
  bool in_order_;
};

TEST(RunTexts, GivesEveryUserEveryLineAndEncodesEachTextOnce) {
  const text::Corpus references = file_of({{"a", "b"}, {"c"}, {" a "}}),
                     system = file_of({{"a"}, {"d"}, {"e"}});
  const RunTexts texts{{&references, 1}, {&system, 1}};
  LetterSource source;
  Reader pair({{1, 3}, {}}), set({{2}, {{3, compute::Pooling::mean, true}}});
  const std::vector<TextUser*> users{&pair, &set};
  ThreadPool pool(1);
  for (const std::size_t block : {0, 1}) {
    source = {};
    pair.seen.clear();
    const RunCounts counts = run_texts(source, texts, users, RunContext{pool}, block);
    EXPECT_THAT(pair.seen, ElementsAre("ra", "rb", "ca", "ra", "ce", "rc", "cd")) << "line 3 shares a text";
    EXPECT_EQ(source.requests.front().layers, (std::vector<std::size_t>{1, 2, 3}));
    EXPECT_EQ(counts.references[0].tokens.texts, 4u);
    EXPECT_EQ(counts.systems[0].tokens.tokens, 3u);
    EXPECT_EQ(counts.systems[0].sentences.tokens, 3u);
  }
  source = {};
  run_texts(source, texts, users, RunContext{pool});
  for (const auto& [text, times] : source.encoded) EXPECT_EQ(times, 1) << text;
  EXPECT_EQ(set.seen.size(), 3u * 7);
}

TEST(RunTexts, KeepsTheOrderWhereOneUserNeedsIt) {
  const text::Corpus references = file_of({{"a"}, {"b"}, {"a"}}), system = file_of({{"1"}, {"2"}, {"3"}});
  const RunTexts texts{{&references, 1}, {&system, 1}};
  LetterSource source;
  Reader any({{1}, {}}), ordered({{1}, {}}, true);
  const std::vector<TextUser*> users{&any, &ordered};
  ThreadPool pool(1);
  run_texts(source, texts, users, RunContext{pool}, 1);
  EXPECT_THAT(any.lines, ElementsAre(0, 1, 2));
  EXPECT_EQ(any.blocks, 3);
}

TEST(RunTexts, TakesFilesOfDifferentLengths) {
  const text::Corpus references = file_of({{"a"}, {"b"}, {"c"}}), system = file_of({{"1"}});
  const RunTexts texts{{&references, 1}, {&system, 1}};
  LetterSource source;
  Reader reader({{1}, {}});
  const std::vector<TextUser*> users{&reader};
  ThreadPool pool(1);
  run_texts(source, texts, users, RunContext{pool});
  EXPECT_THAT(reader.seen, ElementsAre("ra", "c1", "rb", "rc"));
}

TEST(OrderBySharedTexts, PutsLinesThatShareATextTogether) {
  const auto order = [](const text::Corpus& references, const text::Corpus& system) {
    return order_by_shared_texts({{&references, 1}, {&system, 1}});
  };
  EXPECT_THAT(order(file_of({{"a"}, {"b"}, {"a"}, {"c"}}), file_of({{"1"}, {"2"}, {"3"}, {"4"}})),
              ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(order(file_of({{"a"}, {"b"}, {"c"}, {"d", "e"}}), file_of({{"1"}, {"2"}, {"a"}, {"2"}})),
              ElementsAre(0, 2, 1, 3));
  EXPECT_THAT(order(file_of({{"a"}, {"b"}}), file_of({{"a"}, {"b"}})), ElementsAre(0, 1));
  EXPECT_TRUE(order_by_shared_texts({}).empty());
}

}  // namespace
}  // namespace markeval::embed
