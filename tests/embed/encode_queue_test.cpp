// Many threads at one encoder: everybody gets the bits of a run alone, and trouble stays with whom it belongs
// to.
#include "embed/encode_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <limits>
#include <thread>

#include "embed/text_encoder.hpp"
#include "encoder/model_folder.hpp"
#include "encoder/text_error.hpp"
#include "support/temp_folder.hpp"

namespace markeval::embed {
namespace {

class OneEncoderForAll : public ::testing::Test {
 protected:
  OneEncoderForAll() {
    for (const char* file : {"config.json", "model.safetensors"})
      std::filesystem::copy(encoder::model_folder("bert") + "/" + file, folder_.file(file));
    std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
    for (char letter = 'a'; letter <= 'z'; ++letter) vocabulary += std::string(1, letter) + "\n";
    folder_.write("vocab.txt", vocabulary);
    options_.model = folder_.path();
  }

  /// Texts of caller `caller`, short and long: its own letters, so that no two callers have one in common.
  static std::vector<std::string> texts_of(std::size_t caller, std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) {
      std::string& text = texts.emplace_back();
      for (std::size_t word = 0; word < 1 + (i * 7) % 20; ++word)
        text += std::string(1, static_cast<char>('a' + (caller + word * (i + 1)) % 25)) + " ";
      text.pop_back();
    }
    return texts;
  }
  /// The rows of all layers of all texts.
  std::vector<float> rows(const std::vector<std::string>& texts, const EncodeRequest& request,
                          const std::atomic<bool>* cancel = nullptr) {
    ThreadPool own(1);
    TextEncoder encoder(models_, options_, no_cache_);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const EncodedTexts encoded =
        encoder.encode(views, request, {}, RunContext{own, nullptr, nullptr, cancel});
    std::vector<float> all;
    for (std::size_t text = 0; text < encoded.distinct(); ++text) {
      for (const std::size_t layer : request.layers) {
        const MatrixView<const float> states = encoded.text(text).layer(layer);
        all.insert(all.end(), states.data(), states.data() + states.rows() * states.columns());
      }
      for (std::size_t which = 0; which < request.sentences.size(); ++which) {
        const auto row = encoded.sentence(text, which);
        all.insert(all.end(), row.begin(), row.end());
      }
    }
    return all;
  }
  /// Calls `body(caller)` on as many threads.
  template <typename Body>
  static void at_once(std::size_t callers, const Body& body) {
    std::vector<std::thread> threads;
    for (std::size_t caller = 0; caller < callers; ++caller)
      threads.emplace_back([&, caller] { body(caller); });
    for (std::thread& thread : threads) thread.join();
  }

  TempFolder folder_;
  EncoderOptions options_;
  ThreadPool pool_{2};
  std::unique_ptr<compute::Device> device_ = compute::make_cpu_device(pool_);
  ModelPool models_{*device_};
  cache::VectorCache no_cache_{"none"};
};

TEST_F(OneEncoderForAll, GivesEverybodyTheBitsOfARunAlone) {
  const std::vector<EncodeRequest> requests{
      {{0, 2}, {}}, {{2}, {{2, compute::Pooling::mean, true}}}, {{}, {{1, compute::Pooling::cls, false}}}};
  constexpr std::size_t kCallers = 12;
  std::vector<std::vector<float>> expected;
  for (std::size_t caller = 0; caller < kCallers; ++caller)
    expected.push_back(rows(texts_of(caller, caller % 4 == 0 ? 400 : 3), requests[caller % requests.size()]));
  for (int round = 0; round < 5; ++round) {
    at_once(kCallers, [&](std::size_t caller) {
      const auto found =
          rows(texts_of(caller, caller % 4 == 0 ? 400 : 3), requests[caller % requests.size()]);
      EXPECT_TRUE(found == expected[caller]) << caller;
    });
  }
}

TEST_F(OneEncoderForAll, FailsOnlyWhoseTextFails) {
  encoder::set_weight(folder_.file("model.safetensors"), "embeddings.word_embeddings.weight",
                      (static_cast<std::size_t>('z' - 'a') + 5) * 32 + 5,
                      std::numeric_limits<float>::quiet_NaN());
  const EncodeRequest request{{2}, {}};
  const std::vector<float> expected = rows(texts_of(1, 5), request);
  std::atomic<int> failed{0};
  at_once(8, [&](std::size_t caller) {
    if (caller % 2 == 0) {
      EXPECT_TRUE(rows(texts_of(1, 5), request) == expected);
      return;
    }
    try {
      rows({"a", "z"}, request);
    } catch (const encoder::TextError& error) {
      EXPECT_EQ(error.text(), "z");
      ++failed;
    }
  });
  EXPECT_EQ(failed, 4);
}

TEST_F(OneEncoderForAll, GoesOnWhereOneIsCancelled) {
  const EncodeRequest request{{2}, {}};
  const std::vector<float> expected = rows(texts_of(1, 200), request);
  std::atomic<bool> cancel{false};
  std::atomic<int> stopped{0};
  at_once(6, [&](std::size_t caller) {
    if (caller % 2 == 0) {
      EXPECT_TRUE(rows(texts_of(1, 200), request) == expected);
      return;
    }
    if (caller == 5) cancel = true;
    try {
      for (;;) rows(texts_of(caller, 400), request, &cancel);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cancelled);
      ++stopped;
    }
  });
  EXPECT_EQ(stopped, 3);
}

}  // namespace
}  // namespace markeval::embed
