// Token vectors made elsewhere, as inputs: what `embed --pool none` wrote, read back, scores as the texts do.
#include <gtest/gtest.h>

#include <algorithm>

#include "api/embedding.hpp"
#include "api/markeval.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"
#include "vectors/npy.hpp"

namespace markeval {
namespace {

class TokenVectors : public ::testing::Test {
 protected:
  TokenVectors() {
    texts_.references = {
        {"", folder_.write("refs.txt", "a cat sat.\nthe dog\n\nyes it is\n x y z \nbig old tree\n")}};
    texts_.systems = {
        {"", folder_.write("good.txt", "a cat sits.\nthe dog\nnot more\nyes it was\nx y z\nold big tree\n")},
        {"", folder_.write("poor.txt", "q\nq w\nq\nq w e\n\nq w\n")}};
    texts_.encoder.model = write_tiny_model(folder_);
    texts_.encoder.cache = "none";
    texts_.segments = true;
  }
  /// The same inputs as files of token vectors.
  ScoreRequest as_vectors(std::optional<int> layer) const {
    ScoreRequest vectors = texts_;
    vectors.encoder = {};
    vectors.encoder.model = "no such model";
    for (auto* list : {&vectors.references, &vectors.systems}) {
      for (Input& input : *list) {
        EmbedRequest embed;
        embed.input = std::get<std::string>(input.source);
        embed.output = embed.input.substr(0, embed.input.size() - 3) + "npy";
        embed.encoder = texts_.encoder;
        embed.pool = "none";
        embed.layer = layer;
        embed_texts(embed);
        input.source = embed.output;
      }
    }
    return vectors;
  }
  static void expect_same(ScoreRequest texts, ScoreRequest vectors, const std::vector<Metric>& of_texts,
                          const std::vector<Metric>& of_vectors) {
    texts.metrics = of_texts;
    vectors.metrics = of_vectors;
    const Report expected = Evaluator({.threads = 2}).score(texts), found = Evaluator().score(vectors);
    ASSERT_EQ(found.results().size(), expected.results().size());
    for (std::size_t i = 0; i < found.results().size(); ++i) {
      EXPECT_EQ(found.results()[i].scores, expected.results()[i].scores) << found.results()[i].requested;
      EXPECT_EQ(found.results()[i].segments, expected.results()[i].segments) << found.results()[i].requested;
      EXPECT_NE(found.results()[i].signature().find("|input:token-vectors|"), std::string::npos)
          << found.results()[i].signature();
    }
  }

  TempFolder folder_;
  ScoreRequest texts_;
};

TEST_F(TokenVectors, OfAllLayersScoreAsTheTexts) {
  const std::vector<Metric> metrics{"bertscore:layer=2",
                                    "bertscore:layer=1,idf=yes",
                                    "bertr",
                                    "moverscore",
                                    "moverscore:n=2,compat=v1",
                                    "moverscore:aggregate=routing",
                                    "hmd",
                                    "me:samples=word",
                                    "prdc:samples=word,k=2,layers=1",
                                    "me:samples=word,scope=segment"};
  expect_same(texts_, as_vectors(std::nullopt), metrics, metrics);
}

TEST_F(TokenVectors, OfOneLayerScoreAsThatLayer) {
  expect_same(texts_, as_vectors(1), {"bertscore:layer=1", "moverscore:layers=1", "me:samples=word,layers=1"},
              {"bertscore", "moverscore", "me:samples=word"});
}

TEST_F(TokenVectors, AreToldApartThoughTheTokensAreTheSame) {
  // The same word twice, with vectors of its own each time.
  const auto write = [&](const std::string& name, const std::vector<float>& values) {
    vectors::NpyWriter writer(folder_.file(name + ".npy"), {2});
    writer.write(values);
    writer.commit();
    folder_.write(name + ".tokens.tsv", "row\tsegment\tid\tpiece\n0\t1\t7\tword\n1\t2\t7\tword\n");
    return folder_.file(name + ".npy");
  };
  ScoreRequest request;
  request.references = {{"", write("r", {1, 0, 1, 0})}};
  request.systems = {{"", write("s", {1, 0, 0, 1})}};
  request.metrics = {"bertscore"};
  request.segments = true;
  const Report report = Evaluator().score(request);
  EXPECT_EQ(report.results()[0].segments[0].second, (std::vector<double>{1, 0}));
}

TEST_F(TokenVectors, SayWhatIsWrong) {
  ScoreRequest request = as_vectors(-1);
  request.segments = false;
  const auto fails = [&](const std::vector<Metric>& metrics, ErrorCode code, const std::string& message) {
    request.metrics = metrics;
    EXPECT_ERROR(Evaluator().score(request), code, message);
  };
  fails({"bleu"}, ErrorCode::usage, "bleu needs texts, but");
  fails({"match"}, ErrorCode::usage, "match needs texts, but");
  fails({"moverscore:embeddings=glove.txt"}, ErrorCode::usage, "moverscore needs texts, but");
  fails({"bertscore", "me"}, ErrorCode::usage, "bertscore reads the rows of");
  fails({"bertscore:layer=2"}, ErrorCode::usage, "expected one layer of 0 to 0");
  fails({"bertscore:idf=" + folder_.file("refs.txt")}, ErrorCode::usage, "token vectors have no tokenizer");
  const float rows[] = {1, 2};
  request.systems.push_back({"x", Rows<float>{rows, 2}});
  fails({"bertscore"}, ErrorCode::usage, "needs texts or files of token vectors, but x holds rows");
  request.systems.resize(1);
  std::filesystem::remove(folder_.file("good.tokens.tsv"));
  fails({"me:samples=word"}, ErrorCode::io, "good.npy: no good.tokens.tsv beside it");
}

}  // namespace
}  // namespace markeval
