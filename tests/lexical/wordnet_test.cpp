#include "lexical/wordnet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "lexical/meteor.hpp"

namespace markeval::lexical {
namespace {

using ::testing::UnorderedElementsAre;

/// A WordNet of two nouns and a verb: boat, ship and "sea_boat" in one synset, child; steer and "guide" in
/// one.
class TinyWordNet : public ::testing::Test {
 protected:
  void SetUp() override {
    // Tests run side by side: each process has a folder of its own.
    folder_ = ::testing::TempDir() + "markeval_wordnet_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
    const std::string first = "00000000 03 n 03 boat 0 ship 1 sea_boat 0 000 | to sail in\n";
    std::string offset = std::to_string(first.size());
    offset.insert(0, 8 - offset.size(), '0');
    write("data.noun", first + offset + " 03 n 02 child 0 Kid 0 000 | a small one\n");
    write("index.noun",
          "  1 a licence\nboat n 1 1 @ 1 1 00000000\nship n 1 0 1 1 00000000\nchild n 1 0 1 0 " + offset +
              "\n");
    write("noun.exc", "children child\n");
    write("data.verb", "00000000 38 v 02 steer 0 guide(p) 2 000 | to lead\n");
    write("index.verb", "steer v 1 0 1 1 00000000\n");
    write("verb.exc", "");
    for (const char* part : {"adj", "adv"}) {
      write(std::string("data.") + part, "");
      write(std::string("index.") + part, "");
      write(std::string(part) + ".exc", "");
    }
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
  }

  std::string folder_;
};

TEST_F(TinyWordNet, FindsWordsOfTheSameSynsetButNoPhrases) {
  EXPECT_THAT(WordNet(folder_).synonyms("boat"), UnorderedElementsAre("boat", "ship"));
}

TEST_F(TinyWordNet, FindsBaseFormsByRuleAndByException) {
  const WordNet wordnet(folder_);
  EXPECT_THAT(wordnet.synonyms("ships"), UnorderedElementsAre("boat", "ship"));
  EXPECT_THAT(wordnet.synonyms("steering"), UnorderedElementsAre("steer", "guide"));
  EXPECT_THAT(wordnet.synonyms("children"), UnorderedElementsAre("child", "Kid"));
  EXPECT_THAT(wordnet.synonyms("xyzzy"), ::testing::IsEmpty());
}

TEST_F(TinyWordNet, LetsMeteorMatchSynonyms) {
  ThreadPool pool(1);
  const ScoredTexts corpus{{{"the ship sank"}}, {{"the boat sank"}}};
  MeteorOptions options;
  const double without = meteor_statistics(corpus, options, RunContext{pool})[0].values[0];
  options.wordnet = std::make_shared<WordNet>(folder_);
  const double with = meteor_statistics(corpus, options, RunContext{pool})[0].values[0];
  EXPECT_NEAR(without, (1 - 0.5) * 2 / 3.0, 1e-12);  // two chunks of one word each
  EXPECT_NEAR(with, 1 - 0.5 / 27, 1e-12);            // one chunk of three
}

TEST_F(TinyWordNet, NamesTheDamagedLine) {
  write("index.noun", "boat n one 1 @ 1 1 00000000\n");
  try {
    WordNet wordnet(folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), folder_ + "/index.noun:1: no WordNet index line");
  }
}

// Each of these once took minutes: the reader went on for as many fields as the line claims to have.
TEST_F(TinyWordNet, BelievesNoCount) {
  write("index.noun", "boat n 1 4000000000 @ 1 1 00000000\n");
  EXPECT_THROW(WordNet wordnet(folder_), Error);
  write("index.noun", "boat n 1 0 1 1 00000000\n");
  write("data.noun", "00000000 03 n ffffffff boat 0 ship 1 000 | to sail in\n");
  const WordNet wordnet(folder_);
  try {
    wordnet.synonyms("boat");
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("should have 4294967295 words, but has "));
    return;
  }
  FAIL();
}

TEST(WordNet, NamesTheMissingFile) {
  try {
    WordNet wordnet("/nowhere");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("/nowhere/data.noun"));
  }
}

}  // namespace
}  // namespace markeval::lexical
