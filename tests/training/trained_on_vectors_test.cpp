// Metrics that learn from token vectors made elsewhere: the vectors `embed --pool none` writes of the texts
// teach what the texts teach, and other vectors are refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "api/training.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

class TrainedOnVectors : public ::testing::Test {
 protected:
  TrainedOnVectors() {
    // A row without a score and a text without words, so that rows and pairs are not the same.
    const auto table = [](const std::string& word) {
      std::string rows = "ref\thyp\tscore\nnot\tjudged\t\n \tempty " + word + "\t3\n";
      for (char letter = 'a'; letter < 'k'; ++letter)
        rows += word + " " + letter + "b\tcar " + letter + " sat.\t" + std::to_string(letter % 7) + "\n";
      return rows + word + " ab\tcar\t1\n";
    };
    request_.train = {folder_.write("judged.tsv", table("cat"))};
    request_.valid = {folder_.write("held_out.tsv", table("dog"))};
    request_.reference = "ref";
    request_.hypothesis = "hyp";
    request_.gold = "score";
    request_.encoder.model = write_tiny_model(folder_);
    request_.encoder.cache = "none";
    request_.epochs = 2;
    request_.batch = 5;
    scoring_.references = {{"", folder_.write("refs.txt", "cat\ndog sat\n\n")}};
    scoring_.systems = {{"", folder_.write("sys.txt", "car\ndog sits.\na\n")}};
    scoring_.encoder = request_.encoder;
    scoring_.segments = true;
  }

  std::string embed(const std::string& input, const std::string& name, std::optional<int> layer = {}) const {
    EmbedRequest embed;
    embed.input = input;
    embed.output = folder_.file(name);
    embed.encoder = request_.encoder;
    embed.pool = "none";
    embed.layer = layer;
    embed_texts(embed);
    return embed.output;
  }
  /// The same training from vectors, which no encoder is needed for.
  TrainRequest on_vectors(std::optional<int> layer = {}) const {
    for (const std::string table : {"judged", "held_out"}) {
      for (const std::string column : {"ref", "hyp"})
        embed(folder_.file(table + ".tsv:" + column), table + "." + column + ".npy", layer);
    }
    TrainRequest vectors = request_;
    vectors.token_vectors = true;
    vectors.encoder.model = EncoderOptions{}.model;  // nobody asks for it: there is none in these tests
    vectors.folder = folder_.file("of_vectors");
    return vectors;
  }
  ScoreRequest scoring_of_vectors(std::optional<int> layer = {}) const {
    ScoreRequest vectors = scoring_;
    vectors.references = {{"", embed(folder_.file("refs.txt"), "refs.npy", layer)}};
    vectors.systems = {{"", embed(folder_.file("sys.txt"), "sys.npy", layer)}};
    vectors.encoder.model = "no such model";
    return vectors;
  }
  static Result score(ScoreRequest request, const std::string& metric) {
    request.metrics = {metric};
    return Evaluator().score(request).results().front();
  }
  void expect_same_as_texts(const std::string& architecture) {
    request_.architecture = architecture;
    request_.folder = folder_.file("of_texts");
    const TrainRequest vectors = on_vectors();
    const TrainReport expected = train(request_, {}), found = train(vectors, {});
    EXPECT_EQ(found.train_pairs, 11u);
    ASSERT_EQ(found.epochs.size(), expected.epochs.size());
    for (std::size_t i = 0; i < found.epochs.size(); ++i) {
      EXPECT_EQ(found.epochs[i].loss, expected.epochs[i].loss);
      EXPECT_EQ(found.epochs[i].pearson, expected.epochs[i].pearson);
    }
    EXPECT_TRUE(found.known.empty());
    const Result by_texts = score(scoring_, architecture + ":weights=" + request_.folder);
    const Result by_vectors = score(scoring_of_vectors(), architecture + ":weights=" + vectors.folder);
    EXPECT_EQ(by_vectors.segments, by_texts.segments);
    EXPECT_EQ(by_vectors.scores, by_texts.scores);
    EXPECT_NE(by_vectors.signature().find("|input:token-vectors|"), std::string::npos)
        << by_vectors.signature();
  }

  TempFolder folder_;
  TrainRequest request_;
  ScoreRequest scoring_;
};

TEST_F(TrainedOnVectors, NetworksLearnTheBytesTheTextsTeach) {
  request_.hidden = 4;
  for (const std::string pieces : {"all", "first"}) {
    for (const std::string architecture : {"esim", "bilstm", "bilstm-attention"}) {
      request_.pieces = pieces;
      expect_same_as_texts(architecture);
      EXPECT_EQ(bytes_of(folder_.file("of_vectors/model.safetensors")),
                bytes_of(folder_.file("of_texts/model.safetensors")));
      for (const char* folder : {"of_vectors", "of_texts"}) std::filesystem::remove_all(folder_.file(folder));
    }
  }
}

TEST_F(TrainedOnVectors, MatchScoresAsIfTrainedOnTheTexts) {
  request_.heads = 2;
  request_.width = 4;
  expect_same_as_texts("match");
}

TEST_F(TrainedOnVectors, RememberWhoMadeThem) {
  request_.architecture = "esim";
  request_.hidden = 4;
  const TrainRequest vectors = on_vectors();
  const TrainReport report = train(vectors, {});
  EXPECT_NE(report.signature.find("|input:token-vectors@"), std::string::npos) << report.signature;
  const auto config = nlohmann::json::parse(bytes_of(vectors.folder + "/config.json"));
  EXPECT_EQ(config["encoder"]["given"], true);
  EXPECT_EQ(std::string(config["encoder"]["name"]) + "\n", bytes_of(folder_.file("judged.ref.source.txt")));
  EXPECT_EQ(config["training"]["train"][1]["file"], "judged.ref.npy");

  const std::string metric = "esim:weights=" + vectors.folder;
  EXPECT_ERROR(score(scoring_, metric), ErrorCode::invalid_input,
               "of_vectors was trained on token vectors made by 'model:tiny@");
  ScoreRequest scoring = scoring_of_vectors();
  folder_.write("refs.source.txt", "elmo\n");
  EXPECT_ERROR(score(scoring, metric), ErrorCode::invalid_input, "sys.npy has vectors made by 'model:tiny@");
  folder_.write("sys.source.txt", "elmo\n");
  EXPECT_ERROR(score(scoring, metric), ErrorCode::invalid_input, "but these are made by 'elmo'");
  std::filesystem::remove(folder_.file("sys.source.txt"));
  EXPECT_ERROR(score(scoring, metric), ErrorCode::invalid_input,
               "sys.npy does not say who made its vectors, and a trained metric must know: write a name for "
               "them into sys.source.txt");
  folder_.write("sys.source.txt", "elmo\nbert\n");
  EXPECT_ERROR(score(scoring, metric), ErrorCode::invalid_input, "sys.source.txt: expected one line");
}

TEST_F(TrainedOnVectors, RefuseVectorsOfAnotherShapeThoughTheirMakerIsTheSame) {
  request_.hidden = 4;
  for (const std::string architecture : {"esim", "match"}) {
    TrainRequest vectors = on_vectors();
    vectors.architecture = architecture;
    vectors.folder = folder_.file(architecture);
    vectors.width = 4;
    train(vectors, {});
    const ScoreRequest scoring = scoring_of_vectors(1);
    for (const char* file : {"refs.source.txt", "sys.source.txt"})
      folder_.write(file, bytes_of(folder_.file("judged.ref.source.txt")));
    EXPECT_ERROR(score(scoring, architecture + ":weights=" + vectors.folder), ErrorCode::invalid_input,
                 "made for vectors of 3 layers and 32 columns, the token vectors have 1 and 32");
  }
}

TEST_F(TrainedOnVectors, AreNoTexts) {
  request_.architecture = "esim";
  request_.hidden = 4;
  request_.folder = folder_.file("of_texts");
  train(request_, {});
  EXPECT_ERROR(score(scoring_of_vectors(), "esim:weights=" + request_.folder), ErrorCode::invalid_input,
               "of_texts was trained on texts, read by tiny: expected texts, not token vectors");
  EXPECT_ERROR(score(scoring_of_vectors(), "match"), ErrorCode::usage, "match needs texts, but");
}

TEST_F(TrainedOnVectors, MustFitTheirTable) {
  request_.architecture = "esim";
  request_.hidden = 4;
  TrainRequest vectors = on_vectors();
  embed(folder_.file("refs.txt"), "held_out.hyp.npy");
  EXPECT_ERROR(train(vectors, {}), ErrorCode::invalid_input, "held_out.hyp.npy has 3 texts, but");
  std::filesystem::remove(folder_.file("held_out.hyp.tokens.tsv"));
  EXPECT_ERROR(train(vectors, {}), ErrorCode::io, "held_out.hyp.npy: no held_out.hyp.tokens.tsv beside it");
  std::filesystem::remove(folder_.file("judged.ref.source.txt"));
  on_vectors();
  std::filesystem::remove(folder_.file("judged.ref.source.txt"));
  EXPECT_ERROR(train(vectors, {}), ErrorCode::invalid_input,
               "judged.ref.npy does not say who made its vectors");
  vectors.architecture = "blend";
  vectors.metrics = {"bertscore"};
  EXPECT_ERROR(train(vectors, {}), ErrorCode::usage, "a blend is made of metrics, which read texts");
}

TEST_F(TrainedOnVectors, AreNotValidatedWithWhatTheyLearnFrom) {
  request_.architecture = "esim";
  request_.hidden = 4;
  TrainRequest vectors = on_vectors();
  vectors.valid = vectors.train;
  EXPECT_ERROR(train(vectors, {}), ErrorCode::invalid_input,
               "pairs to validate with are in the training data");
}

}  // namespace
}  // namespace markeval
