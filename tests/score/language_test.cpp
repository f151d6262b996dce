// Texts a metric or a model cannot read are scored with a warning.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/markeval.hpp"
#include "support/temp_folder.hpp"
#include "support/tiny_model.hpp"

namespace markeval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Language : public ::testing::Test {
 protected:
  Language() {
    request_.references = {{"", folder_.write("refs.txt", "a cat sat there\nthe dog barks\n")}};
    request_.systems = {{"", folder_.write("mine.txt", "a cat sits here\nthe dog barked\n")}};
    request_.encoder.cache = "none";
  }
  std::vector<std::string> warnings(std::vector<Metric> metrics) {
    request_.metrics = std::move(metrics);
    return Evaluator({.threads = 2}).score(request_).warnings();
  }
  void write(const std::string& references, const std::string& system) {
    folder_.write("refs.txt", references);
    folder_.write("mine.txt", system);
  }

  TempFolder folder_;
  ScoreRequest request_;
};

TEST_F(Language, AFewTextsRepeatedHaveNone) {
  std::string english, repeated;
  for (int line = 0; line < 60; ++line) {
    english += "the dog and the cat are in the house " + std::to_string(line) + "\n";
    repeated += "er ist nicht da und sie ist in der Stadt\n";
  }
  write(english, repeated);
  EXPECT_THAT(warnings({"chrf"}), IsEmpty()) << "a line over and over";
  std::string german;
  for (int line = 0; line < 60; ++line)
    german += "er ist nicht da und sie ist in der Stadt " + std::to_string(line) + "\n";
  write(english, german);
  EXPECT_THAT(warnings({"chrf"}), ElementsAre(HasSubstr("looks German")));
}

TEST_F(Language, UnknownTokensAreToldPerInput) {
  request_.encoder.model = write_tiny_model(folder_);
  write("кошка сидит\nсобака лает\n", "a cat sits\nthe dog barked\n");
  for (const char* metric : {"bertscore:layer=1", "me:samples=word", "me"}) {
    EXPECT_THAT(warnings({metric}),
                ElementsAre(HasSubstr("the references: 4 of 4 tokens (100 %) are unknown to tiny")))
        << metric;
  }
  EXPECT_EQ(warnings({"bertscore:layer=1", "me", "bertr"}).size(), 1u) << "once, however many metrics";
  const std::string message = warnings({"bertr"}).front();
  EXPECT_THAT(message, HasSubstr("multilingual"));
  EXPECT_THAT(message, HasSubstr("chrf needs no model"));
}

TEST_F(Language, AModelThatSpellsAnotherScriptIsTold) {
  request_.encoder.model = write_tiny_model(folder_);
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (const char* letter : {"к", "о", "т", "с", "п", "и"})
    vocabulary += std::string(letter) + "\n##" + letter + "\n";
  folder_.write("tiny/vocab.txt", vocabulary);
  write("кот спит\n", "кот спит\n");
  EXPECT_THAT(warnings({"bertr"}),
              ::testing::Contains(HasSubstr(
                  "the references: tiny spells these texts almost letter by letter, 7 letters in 7 tokens")));
  folder_.write("tiny/vocab.txt", vocabulary + "кот\nспит\n");
  for (const std::string& told : warnings({"bertr"})) EXPECT_THAT(told, ::testing::Not(HasSubstr("letter")));
}

TEST_F(Language, UpToOnePercentOfUnknownTokensIsNoNews) {
  request_.encoder.model = write_tiny_model(folder_);
  const std::string letters = "a b c d e f g h i j k l m n o p q r s t u v w x y\n";  // 25 tokens
  write(letters + letters + letters + letters, letters + letters + letters + "ж " + letters);
  EXPECT_THAT(warnings({"bertr"}), IsEmpty());  // 1 of 101
  write(letters + letters + letters + letters, letters + letters + letters + "ж ж " + letters);
  EXPECT_THAT(warnings({"bertr"}),
              ElementsAre(HasSubstr("system mine: 2 of 102 tokens (2 %) are unknown to tiny")));
}

TEST_F(Language, RougeTellsThatItDropsOtherLetters) {
  write("кошка сидит\nсобака лает\n", "кошка спит\nсобака лает\n");
  EXPECT_THAT(warnings({"rouge1", "bleu", "chrf"}),
              ElementsAre(HasSubstr("rouge1: 20 of 20 letters of the references are dropped")))
      << "one cause, one warning";
  write("naïve café\nthe dog\n", "naïve cafés\nthe dog\n");
  EXPECT_THAT(warnings({"rouge1"}), IsEmpty()) << "a few letters";
}

TEST_F(Language, TextWithoutBlanksNeedsATokeniser) {
  write("我们今天去学校\n他在家里看书\n", "我们今天去公园\n他在家里读书\n");
  const auto told = warnings({"bleu"});
  ASSERT_EQ(told.size(), 1u) << "one cause, one warning";
  EXPECT_THAT(told[0], HasSubstr("bleu: 13 of 13 letters of "));
  EXPECT_THAT(told[0], HasSubstr("the references are of a script without blanks between words"));
  EXPECT_THAT(told[0],
              HasSubstr("tokenize=zh takes every Chinese character for a word; chrf needs no words"));
  EXPECT_THAT(warnings({"bleu:tokenize=zh", "bleu:tokenize=char", "chrf"}), IsEmpty());
  EXPECT_THAT(warnings({"ter"}).front(), HasSubstr("normalized=yes,asian_support=yes"));
  EXPECT_THAT(warnings({"ter:normalized=yes,asian_support=yes"}), IsEmpty());
  EXPECT_THAT(warnings({"chrf++"}).front(), HasSubstr("one word; chrf needs no words"));
}

TEST_F(Language, JapaneseAndThaiAreSplitByCharacterOnly) {
  for (const char* text : {"わたしはがっこうにいきます\n", "ฉันไปโรงเรียนทุกวัน\n"}) {
    write(text, text);
    EXPECT_THAT(warnings({"bleu"})[1], HasSubstr("tokenize=char takes every character for a word"));
    EXPECT_FALSE(warnings({"bleu:tokenize=zh"}).empty());
  }
}

TEST_F(Language, WarningsStandInJsonAndOnThePage) {
  write("我们今天去学校\n", "我们今天去公园\n");
  request_.metrics = {"bleu"};
  request_.page = true;
  const Report report = Evaluator().score(request_);
  EXPECT_EQ(nlohmann::json::parse(report.json())["warnings"].size(), 1u);
  EXPECT_THAT(report.html(), HasSubstr("script without blanks between words"));
}

TEST_F(Language, MeteorTellsThatItHasNoSynonyms) {
  request_.metrics = {"meteor"};
  const Report report = Evaluator().score(request_);
  const bool wordnet = report.results()[0].signature().find("wordnet") != std::string::npos;
  EXPECT_EQ(report.warnings().size(), wordnet ? 0u : 1u);
  EXPECT_THAT(warnings({"meteor:wordnet=none"}), IsEmpty());
}

TEST_F(Language, WordVectorsFromAFileNeedNoModel) {
  request_.encoder.model = "no such model";
  const std::string vectors = folder_.write("words.txt", "cat 1 0\ndog 0 1\n");
  EXPECT_THAT(warnings({"moverscore:idf=no,embeddings=" + vectors}),
              ::testing::Each(HasSubstr("words (71 %) are not in")));
}

// The layer bertscore reads by default.
class DefaultLayers : public Language {
 protected:
  /// The signature's layer, with a model of two layers in a folder of that name.
  std::string layer(const std::string& name) {
    namespace fs = std::filesystem;
    const fs::path folder = folder_.file(name);
    if (!fs::exists(folder)) {
      fs::create_directories(folder.parent_path());
      fs::rename(write_tiny_model(folder_), folder);
    }
    request_.encoder.model = folder.string();
    request_.metrics = {"bertscore"};
    const Report report = Evaluator().score(request_);
    warnings_ = report.warnings();
    const std::string signature = report.results()[0].signature();
    const std::size_t at = signature.find("layer:") + 6;
    return signature.substr(at, signature.find('|', at) - at);
  }
  std::vector<std::string> warnings_;
};

TEST_F(DefaultLayers, AreThoseOfTheTableByOwnerAndNameOrByNameAlone) {
  EXPECT_EQ(layer("google/bert_uncased_L-2_H-128_A-2"), "1");
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(layer("bert_uncased_L-2_H-128_A-2"), "1");
  EXPECT_EQ(layer("models/bert_uncased_L-2_H-768_A-12"), "2");
}

TEST_F(DefaultLayers, AreFoundByTheNameInTheConfiguration) {
  layer("mine");
  const std::string path = folder_.file("mine/config.json");
  std::ifstream file(path);
  nlohmann::json config = nlohmann::json::parse(file);
  config["_name_or_path"] = "google/bert_uncased_L-2_H-256_A-4";
  folder_.write("mine/config.json", config.dump());
  EXPECT_EQ(layer("mine"), "1");
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DefaultLayers, OfAnUnknownModelAreTheLastWithAWarning) {
  EXPECT_EQ(layer("somebodys"), "2");
  EXPECT_THAT(warnings_,
              ElementsAre("bertscore: no default layer is known of somebodys, so its last one, 2, is "
                          "read; bertscore:layer=N chooses another"));
}

TEST_F(DefaultLayers, BeyondTheModelsDepthAreNotTaken) {
  EXPECT_EQ(layer("roberta-large"), "2");  // the table says 17, this one has 2
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("no default layer is known of roberta-large")));
}

}  // namespace
}  // namespace markeval
