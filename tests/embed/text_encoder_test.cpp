// The small BERT of tests/encoder with a vocabulary of letters ("ab" is "a" and "##b"), and where it is there
// the real all-MiniLM-L6-v2.
#include "embed/text_encoder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

using Texts = std::vector<std::string_view>;
using Rows = std::vector<float>;

Rows rows_of(MatrixView<const float> view) {
  return {view.data(), view.data() + view.rows() * view.columns()};
}
Rows rows_of(std::span<const float> row) {
  return {row.begin(), row.end()};
}

/// Two threads and a device of their own, and a cache that holds nothing unless one is given.
struct Workplace {
  explicit Workplace(std::size_t threads = 2) : pool(threads) {}

  TextEncoder encoder(const EncoderOptions& options) { return {models, options, no_cache}; }
  EncodedTexts encode(TextEncoder& encoder, const Texts& texts, const EncodeRequest& request,
                      const TokenNeed& need = {}) {
    return encoder.encode(texts, request, need, RunContext{pool});
  }

  ThreadPool pool;
  std::unique_ptr<compute::Device> device = compute::make_cpu_device(pool);
  ModelPool models{*device};
  cache::VectorCache no_cache{"none"};
};

class TextEncoderOfSmallBert : public ::testing::Test {
 protected:
  TextEncoderOfSmallBert() {
    for (const char* file : {"config.json", "model.safetensors"}) {
      std::filesystem::copy(std::string(MARKEVAL_TEST_MODELS) + "/bert/" + file, folder_.file(file));
    }
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'z'; ++letter)
      vocabulary += std::string(1, letter) + "\n##" + letter + "\n";
    folder_.write("vocab.txt", vocabulary);
    options_.model = folder_.path();
  }
  TextEncoder load() { return place_.encoder(options_); }
  EncodedTexts encode(TextEncoder& encoder, const Texts& texts, const EncodeRequest& request,
                      const TokenNeed& need = {}) {
    return place_.encode(encoder, texts, request, need);
  }
  static EncodeRequest sentences(const TextEncoder& encoder) { return {{}, {encoder.default_sentence()}}; }

  TempFolder folder_;
  EncoderOptions options_;
  Workplace place_;
};

const Texts kTexts{"ab c", "", "hello there", "x", "the quick brown fox", "ab c"};

TEST_F(TextEncoderOfSmallBert, EncodesEachDistinctTextOnce) {
  TextEncoder encoder = load();
  const EncodedTexts all = encode(encoder, kTexts, {{2}, {encoder.default_sentence()}});
  EXPECT_EQ(all.size(), 6u);
  EXPECT_EQ(all.distinct(), 5u);
  EXPECT_EQ(all.slot(5), all.slot(0));
  EXPECT_EQ(all.text(0).tokens.ids, (std::vector<std::int32_t>{2, 5, 8, 9, 3}));
}

TEST_F(TextEncoderOfSmallBert, GivesATextTheSameBitsAloneAndAmongOthers) {
  TextEncoder encoder = load();
  const EncodeRequest request{{0, 2}, {encoder.default_sentence()}};
  const EncodedTexts all = encode(encoder, kTexts, request);
  for (std::size_t index = 0; index < kTexts.size(); ++index) {
    const EncodedTexts alone = encode(encoder, {kTexts[index]}, request);
    const std::size_t place = all.slot(index);
    EXPECT_EQ(rows_of(alone.sentence(0, 0)), rows_of(all.sentence(place, 0)));
    for (const std::size_t layer : request.layers)
      EXPECT_EQ(rows_of(alone.text(0).layer(layer)), rows_of(all.text(place).layer(layer)));
  }
}

TEST_F(TextEncoderOfSmallBert, GivesTheSameBitsForWhatIsAskedAloneAndTogether) {
  TextEncoder encoder = load();
  const SentenceRequest first{1, compute::Pooling::cls, true}, last = encoder.default_sentence();
  const EncodedTexts together = encode(encoder, kTexts, {{0, 1, 2}, {first, last}});
  const EncodedTexts pooled = encode(encoder, kTexts, {{}, {last}});
  const EncodedTexts tokens = encode(encoder, kTexts, {{1}, {}});
  for (std::size_t place = 0; place < together.distinct(); ++place) {
    EXPECT_EQ(rows_of(together.sentence(place, 1)), rows_of(pooled.sentence(place, 0)));
    EXPECT_EQ(rows_of(together.text(place).layer(1)), rows_of(tokens.text(place).layer(1)));
  }
}

TEST_F(TextEncoderOfSmallBert, PoolsTheTokenRows) {
  using compute::Pooling;
  TextEncoder encoder = load();
  const EncodedTexts all = encode(encoder, kTexts,
                                  {{2},
                                   {{2, Pooling::mean, false},
                                    {2, Pooling::cls, false},
                                    {2, Pooling::max, false},
                                    {2, Pooling::mean, true}}});
  for (std::size_t place = 0; place < all.distinct(); ++place) {
    const MatrixView<const float> rows = all.text(place).layer(2);
    double squares = 0;
    for (std::size_t column = 0; column < 32; ++column) {
      double sum = 0;
      float highest = rows(0, column);
      for (std::size_t row = 0; row < rows.rows(); ++row) {
        sum += rows(row, column);
        highest = std::max(highest, rows(row, column));
      }
      EXPECT_NEAR(all.sentence(place, 0)[column], sum / static_cast<double>(rows.rows()), 1e-6);
      EXPECT_EQ(all.sentence(place, 1)[column], rows(0, column));
      EXPECT_EQ(all.sentence(place, 2)[column], highest);
      squares += std::pow(all.sentence(place, 3)[column], 2);
    }
    EXPECT_NEAR(squares, 1, 1e-6);
  }
}

TEST_F(TextEncoderOfSmallBert, GivesTheTokensNeededTheSameBitsWithoutTheOthers) {
  TextEncoder encoder = load();
  const TokenNeed every_second = [](const TextTokens& tokens, std::span<std::uint8_t> mask) {
    for (std::size_t token = tokens.size() % 2; token < mask.size(); token += 2) mask[token] = 1;
  };
  const EncodedTexts whole = encode(encoder, kTexts, {{1, 2}, {}});
  const EncodedTexts part = encode(encoder, kTexts, {{1, 2}, {}}, every_second);
  for (std::size_t place = 0; place < whole.distinct(); ++place) {
    EXPECT_EQ(rows_of(part.text(place).layer(1)), rows_of(whole.text(place).layer(1)));
    const MatrixView<const float> expected = whole.text(place).layer(2), found = part.text(place).layer(2);
    for (std::size_t row = expected.rows() % 2; row < expected.rows(); row += 2)
      EXPECT_EQ(rows_of(found.row(row)), rows_of(expected.row(row)));
  }
}

TEST_F(TextEncoderOfSmallBert, CountsWhatHappenedToTheTexts) {
  options_.max_length = 6;
  TextEncoder encoder = load();
  const Texts texts{"abcdefg", "", "a ? b", "abcd"};
  for (const EncodeRequest& request : {sentences(encoder), EncodeRequest{{2}, {}}}) {
    const EncodedTexts found = encode(encoder, texts, request);
    TextCounts counts;
    for (std::size_t place = 0; place < found.distinct(); ++place)
      counts += request.wants_tokens() ? found.counts(place) : found.sentence_counts(place);
    EXPECT_EQ(counts.texts, 4u);
    EXPECT_EQ(counts.cut_texts, 1u);
    EXPECT_EQ(counts.cut_tokens, 3u);
    EXPECT_EQ(counts.unknown, 1u);
    EXPECT_EQ(counts.tokens, 4u + 0u + 3u + 4u) << "special tokens are not counted";
  }
}

TEST_F(TextEncoderOfSmallBert, EncodesLongTextsInWindows) {
  options_.max_length = 10;  // windows of 8 tokens, 4 apart
  const Texts texts{"short", "the quick brown fox jumps over", "tiny"};
  const SentenceRequest mean{2, compute::Pooling::mean, true};
  TextEncoder cutting = load();
  const EncodedTexts cut = encode(cutting, texts, {{2}, {mean}});
  options_.windows = true;
  TextEncoder reading = load();
  const EncodedTexts whole = encode(reading, texts, {{2}, {mean}});
  EXPECT_EQ(cut.counts(1).cut_texts, 1u);
  EXPECT_EQ(whole.counts(1).cut_texts, 0u);
  for (const std::size_t place : {0, 2}) {
    EXPECT_EQ(rows_of(whole.text(place).layer(2)), rows_of(cut.text(place).layer(2)));
    EXPECT_EQ(rows_of(whole.sentence(place, 0)), rows_of(cut.sentence(place, 0)));
  }
  const MatrixView<const float> found = whole.text(1).layer(2), first = cut.text(1).layer(2);
  ASSERT_EQ(found.rows(), 2u + 25u);
  // [CLS] and the first six tokens stand most inside the first window, which is the text as it was cut.
  for (std::size_t row = 0; row < 7; ++row) EXPECT_EQ(rows_of(found.row(row)), rows_of(first.row(row)));
  EXPECT_NE(rows_of(found.row(7)), rows_of(first.row(7)));
  Rows expected(32);
  for (std::size_t column = 0; column < 32; ++column) {
    for (std::size_t row = 0; row < found.rows(); ++row) expected[column] += found(row, column);
  }
  to_unit_length(expected);
  for (std::size_t column = 0; column < 32; ++column)
    EXPECT_NEAR(whole.sentence(1, 0)[column], expected[column], 1e-6);
}

TEST_F(TextEncoderOfSmallBert, GivesTheSameBitsForAnyNumberOfThreads) {
  std::vector<std::string> written;
  for (int number = 0; number < 300; ++number) {
    written.push_back(std::string(static_cast<std::size_t>(number % 37), 'q'));
    written.back() += static_cast<char>('a' + number % 26);
  }
  const Texts texts(written.begin(), written.end());
  TextEncoder encoder = load();
  const EncodedTexts two = encode(encoder, texts, {{2}, {encoder.default_sentence()}});
  Workplace alone(1);
  TextEncoder other = alone.encoder(options_);
  const EncodedTexts one = alone.encode(other, texts, {{2}, {other.default_sentence()}});
  for (std::size_t place = 0; place < two.distinct(); ++place) {
    EXPECT_EQ(rows_of(one.sentence(place, 0)), rows_of(two.sentence(place, 0)));
    EXPECT_EQ(rows_of(one.text(place).layer(2)), rows_of(two.text(place).layer(2)));
  }
}

TEST_F(TextEncoderOfSmallBert, TakesTheLimitsOfTheFolder) {
  EXPECT_EQ(load().limit(), 40u);
  options_.max_length = 41;
  EXPECT_ERROR(load(), ErrorCode::usage, "takes 3 to 40 tokens, special tokens included");
  options_.max_length = 2;
  EXPECT_ERROR(load(), ErrorCode::usage, "max-length 2");
  options_.max_length = 0;
  folder_.write("tokenizer_config.json", R"({"model_max_length": 30})");
  folder_.write("sentence_bert_config.json", R"({"max_seq_length": 20})");
  Workplace fresh;
  TextEncoder encoder = fresh.encoder(options_);
  EXPECT_EQ(encoder.limit(), 30u);
  const std::string text(35, 'a');
  const EncodedTexts found = fresh.encode(encoder, {text}, {{2}, {encoder.default_sentence()}});
  EXPECT_EQ(found.counts(0).tokens, 28u);
  EXPECT_EQ(found.sentence_counts(0).tokens, 18u) << "sentences have a limit of their own";
  const EncodedTexts pooled = fresh.encode(encoder, {text}, {{}, {encoder.default_sentence()}});
  EXPECT_EQ(rows_of(found.sentence(0, 0)), rows_of(pooled.sentence(0, 0)));
  folder_.write("sentence_bert_config.json", R"({"max_seq_length": 2})");
  Workplace other;
  TextEncoder narrow = other.encoder(options_);
  EXPECT_ERROR(other.encode(narrow, {text}, sentences(narrow)), ErrorCode::invalid_input,
               "a limit of 2 tokens, 2 of them special, leaves no room for a text");
}

TEST_F(TextEncoderOfSmallBert, TokenizerThatDoesNotFitIsRefused) {
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (int number = 0; number < 60; ++number)
    vocabulary.append("w").append(std::to_string(number)).append("\n");
  folder_.write("vocab.txt", vocabulary);
  TextEncoder encoder = load();
  EXPECT_ERROR(encode(encoder, {"a"}, sentences(encoder)), ErrorCode::invalid_input,
               "the tokenizer does not fit the model: ids up to 64, the model's vocabulary has 64");
}

TEST_F(TextEncoderOfSmallBert, StopsOnRequest) {
  TextEncoder encoder = load();
  const std::atomic<bool> cancel{true};
  EXPECT_THROW(
      encoder.encode(kTexts, sentences(encoder), {}, RunContext{.pool = place_.pool, .cancel = &cancel}),
      Error);
}

class CachedTextEncoder : public TextEncoderOfSmallBert {
 protected:
  /// Encodes with a cache that was opened anew.
  EncodedTexts encode_cached(const Texts& texts, const EncodeRequest& request) {
    cache::VectorCache cache(store_.file("cache"));
    TextEncoder encoder(place_.models, options_, cache);
    EncodedTexts found = encode(encoder, texts, request);
    cache.flush();
    use_ = encoder.cache_use();
    return found;
  }
  void expect_equal(const EncodedTexts& a, const EncodedTexts& b) {
    ASSERT_EQ(a.distinct(), b.distinct());
    for (std::size_t place = 0; place < a.distinct(); ++place) {
      for (std::size_t which = 0; which < a.request().sentences.size(); ++which)
        EXPECT_EQ(rows_of(a.sentence(place, which)), rows_of(b.sentence(place, which)));
      for (const std::size_t layer : a.request().layers)
        EXPECT_EQ(rows_of(a.text(place).layer(layer)), rows_of(b.text(place).layer(layer)));
      if (a.request().wants_tokens()) {
        EXPECT_EQ(a.counts(place).unknown, b.counts(place).unknown);
      }
      EXPECT_EQ(a.sentence_counts(place).tokens, b.sentence_counts(place).tokens);
      EXPECT_EQ(a.sentence_counts(place).unknown, b.sentence_counts(place).unknown);
    }
  }

  TempFolder store_;
  CacheUse use_;
};

TEST_F(CachedTextEncoder, EncodesOnlyWhatIsMissing) {
  TextEncoder plain = load();
  const EncodeRequest request = sentences(plain);
  encode_cached({"b", "ddd", ""}, request);
  EXPECT_EQ(use_.encoded, 3u);
  const Texts texts{"a ?", "b", "cc", "ddd", ""};
  const EncodedTexts found = encode_cached(texts, request);
  EXPECT_EQ(use_.encoded, 2u);
  EXPECT_EQ(use_.cached, 3u);
  expect_equal(found, encode(plain, texts, request));
  expect_equal(encode_cached(texts, request), found);
  EXPECT_EQ(use_.encoded, 0u);
}

TEST_F(CachedTextEncoder, KeepsStatesWhereSomebodyComesBackForThem) {
  TextEncoder plain = load();
  const EncodeRequest once{{1, 2}, {plain.default_sentence()}, false}, kept{{1, 2}, {}, true};
  encode_cached(kTexts, once);
  encode_cached(kTexts, kept);
  EXPECT_EQ(use_.encoded, 6u) << "sentences alone were kept";
  expect_equal(encode_cached(kTexts, kept), encode(plain, kTexts, kept));
  EXPECT_EQ(use_.encoded, 0u);
  encode_cached(kTexts, {{0, 1, 2}, {}, true});
  EXPECT_EQ(use_.encoded, 6u) << "one layer is missing";
}

TEST_F(CachedTextEncoder, TellsSettingsApart) {
  const EncodeRequest request = sentences(load());
  encode_cached({"a long text"}, request);
  options_.max_length = 6;
  encode_cached({"a long text"}, request);
  EXPECT_EQ(use_.encoded, 1u);
  options_.windows = true;
  encode_cached({"a long text"}, request);
  EXPECT_EQ(use_.encoded, 1u);
  encode_cached({"a long text"}, {{}, {{1, compute::Pooling::mean, false}}});
  EXPECT_EQ(use_.encoded, 1u);
  encode_cached({"a long text"}, {{}, {{2, compute::Pooling::mean, true}}});
  EXPECT_EQ(use_.encoded, 1u);
  encode_cached({"a long text"}, request);
  EXPECT_EQ(use_.encoded, 0u);
}

TEST(TextEncoderOfMiniLm, VectorsAreThoseOfSentenceTransformers) {
  const char* models = std::getenv("MARKEVAL_MODELS");
  const std::string folder =
      (models != nullptr ? std::string(models) : MARKEVAL_PROJECT_FOLDER "/models") + "/all-MiniLM-L6-v2";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  Workplace place;
  EncoderOptions options;
  options.model = folder;
  TextEncoder encoder = place.encoder(options);
  EXPECT_TRUE(encoder.default_sentence().normalize);
  EXPECT_EQ(encoder.limit(), 512u);
  const EncodedTexts found =
      place.encode(encoder,
                   {"A small dog runs across the wet field.", "A puppy is running over damp grass.",
                    "The central bank raised its rates again.", ""},
                   {{}, {encoder.default_sentence()}});
  // sentence-transformers 5.7.0: the first five numbers of each vector.
  const std::vector<std::vector<float>> expected{
      {0.120179832f, 0.0232347306f, 0.0700659752f, 0.00587506965f, 0.120979197f},
      {-0.0312918462f, 0.0573183559f, 0.108480729f, 0.0832967982f, -0.0261048507f},
      {0.0277853608f, -0.0597327016f, -0.0466861762f, 0.0354065821f, 0.0440524779f},
      {-0.118838385f, 0.0482986197f, -0.0025481286f, -0.0110111814f, 0.0519507192f}};
  for (std::size_t text = 0; text < expected.size(); ++text) {
    for (std::size_t column = 0; column < 5; ++column)
      EXPECT_NEAR(found.sentence(text, 0)[column], expected[text][column], 1e-5);
  }
}

}  // namespace
}  // namespace markeval::embed
