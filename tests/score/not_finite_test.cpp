// A model that gives NaN for the letter q: every road to a score or a file says where that letter stands.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "api/correlate.hpp"
#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "api/training.hpp"
#include "encoder/model_folder.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

const std::string kTold = ": the model gives NaN or infinity for this text (layer ";

class NotFiniteVectors : public ::testing::Test {
 protected:
  NotFiniteVectors() {
    model_ = write_tiny_model(folder_);
    const std::size_t id = 6 + 2 * ('q' - 'a');  // behind six other pieces; every letter has two
    encoder::set_weight(model_ + "/model.safetensors", "embeddings.word_embeddings.weight", id * 32 + 7,
                        std::numeric_limits<float>::quiet_NaN());
    request_.references = {{"", folder_.write("refs.txt", "a cat sat\nthe dog\nno more\n")}};
    request_.systems = {{"", folder_.write("good.txt", "a cat sits\nthe dog\nnot more\n")},
                        {"", folder_.write("bad.txt", "a cat\n  the q dog \nno more\n")}};
    request_.encoder.model = model_;
    request_.encoder.cache = folder_.file("cache");
    embed_.encoder.model = model_;
    embed_.encoder.cache = folder_.file("cache");
    embed_.output = folder_.file("out.npy");
  }

  std::string message_of(const std::string& metric) {
    request_.metrics = {metric};
    try {
      Evaluator({.threads = 2}).score(request_);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::invalid_input);
      return error.what();
    }
    return "it has a score";
  }
  void expect_told(const std::string& place, const std::string& message) {
    EXPECT_EQ(message.substr(0, message.find(kTold)), place) << message;
  }
  TrainRequest training(const std::string& table, const std::string& folder) {
    const std::string valid = folder_.write("valid.tsv", "ref\thyp\tscore\nc d\ta\t1\nb d\te\t2\n");
    TrainRequest request{.architecture = "esim", .train = {table}, .valid = {valid}};
    request.reference = "ref";
    request.hypothesis = "hyp";
    request.gold = "score";
    request.folder = folder;
    request.encoder.model = model_;
    request.encoder.cache = "none";
    request.hidden = 4;
    request.epochs = 1;
    return request;
  }

  TempFolder folder_;
  std::string model_;
  ScoreRequest request_;
  EmbedRequest embed_;
};

TEST_F(NotFiniteVectors, ArePlacedByEveryMetricOnTexts) {
  for (const char* metric : {"bertscore", "bertr", "moverscore", "moverscore:n=2,aggregate=routing", "hmd",
                             "me", "fid", "me:samples=word", "me:samples=word,scope=segment"}) {
    SCOPED_TRACE(metric);
    expect_told(folder_.file("bad.txt") + ":2", message_of(metric));
  }
}

TEST_F(NotFiniteVectors, ArePlacedInReferencesAndTables) {
  request_.references = {{"", folder_.write("refs.tsv", "id\ttext\n1\tq\n2\ta\n3\tb\n") + ":text"}};
  expect_told(folder_.file("refs.tsv") + ":2", message_of("bertscore"));
}

TEST_F(NotFiniteVectors, ArePlacedInTextsInMemory) {
  const std::vector<std::string> references{"a", "b"}, system{"a", "q"};
  request_.references = {{"", Texts{references}}};
  request_.systems = {{"mine", Texts{system}}};
  expect_told("mine: text 2", message_of("bertscore"));
  expect_told("mine: text 2", message_of("me"));
  const std::vector<std::string> texts{"a", " q ", "q"};
  EXPECT_ERROR(Evaluator().embed(texts, embed_), ErrorCode::invalid_input, "text 2" + kTold);
}

TEST_F(NotFiniteVectors, ReachNoFileAndNoCache) {
  embed_.input = folder_.write("lines.txt", "a\nb\nc q\nd\n");
  for (const char* pool : {"", "cls", "max", "none"}) {
    for (const int layer : {0, -1}) {
      embed_.pool = pool;
      embed_.layer = layer;
      EXPECT_ERROR(embed_texts(embed_), ErrorCode::invalid_input, folder_.file("lines.txt") + ":3" + kTold);
      EXPECT_FALSE(std::filesystem::exists(embed_.output));
      for (const std::string& path : paths_beside_tokens(embed_.output))
        EXPECT_FALSE(std::filesystem::exists(path)) << path;
      // What is cached of this text would be taken without asking the encoder.
      EXPECT_ERROR(embed_texts(embed_), ErrorCode::invalid_input, folder_.file("lines.txt") + ":3" + kTold);
    }
  }
  embed_.input = folder_.write("good.txt", "a\nb\nc\nd\n");
  EXPECT_EQ(embed_texts(embed_).rows, 12u) << "other texts are as good as ever";
}

TEST_F(NotFiniteVectors, OfLongTextsInWindows) {
  std::string line;
  for (int word = 0; word < 60; ++word) line += "a ";
  embed_.input = folder_.write("lines.txt", "a\n" + line + "q\n");
  embed_.encoder.windows = true;
  EXPECT_ERROR(embed_texts(embed_), ErrorCode::invalid_input, folder_.file("lines.txt") + ":2" + kTold);
}

TEST_F(NotFiniteVectors, AreNeitherLearnedFromNorScoredByTrainedMetrics) {
  std::string rows = "ref\thyp\tscore\n";
  for (char letter = 'a'; letter < 'k'; ++letter)
    rows += std::string(1, letter) + " b\t" + letter + "\t" + std::to_string(letter % 7) + "\n";
  const std::string good = folder_.write("good.tsv", rows),
                    bad = folder_.write("bad.tsv", rows + "b\tq\t1\n");
  EXPECT_ERROR(train(training(bad, folder_.file("never")), {}), ErrorCode::invalid_input,
               bad + ": row 11" + kTold);
  train(training(good, folder_.file("mine")), {});
  expect_told(folder_.file("bad.txt") + ":2", message_of("esim:weights=" + folder_.file("mine")));
}

TEST_F(NotFiniteVectors, ArePlacedInTheTextsOfABaseline) {
  BaselineRequest request;
  request.texts = {"", folder_.write("lines.txt", "a\nq\n")};
  request.encoder.model = model_;
  request.pairs = 4;
  EXPECT_ERROR(Evaluator().baseline(request), ErrorCode::invalid_input,
               folder_.file("lines.txt") + ":2" + kTold);
}

}  // namespace
}  // namespace markeval
