// Damaged and unsupported tokenizers: an error that names what is wrong, never a crash.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "support/temp_folder.hpp"
#include "token/tokenizer.hpp"

namespace markeval::token {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

json read_golden_tokenizer(const std::string& name) {
  std::ifstream in(fs::path(MARKEVAL_GOLDEN_FOLDER) / (name + ".json"));
  return json::parse(in)["tokenizer"];
}

void load(const json& root) {
  Tokenizer::from_json(root.dump(), "t.json");
}

// The tokenizer `name` of the golden folder after one change.
void load_changed(const std::string& name, const std::function<void(json&)>& change) {
  json root = read_golden_tokenizer(name);
  change(root);
  load(root);
}

#define EXPECT_BAD(name, change, part) \
  EXPECT_ERROR(load_changed(name, [](json& root) { change; }), ErrorCode::invalid_input, part)

TEST(BadTokenizer, NamesUnknownComponents) {
  EXPECT_BAD("wordpiece_uncased", root["normalizer"]["type"] = "Fancy",
             "t.json: normalizer: type 'Fancy' is not supported; known: BertNormalizer");
  EXPECT_BAD("wordpiece_uncased", root["pre_tokenizer"]["type"] = "UnicodeScripts",
             "t.json: pre_tokenizer: type 'UnicodeScripts' is not supported");
  EXPECT_BAD("wordpiece_uncased", root["post_processor"]["type"] = "Fancy",
             "t.json: post_processor: type 'Fancy' is not supported");
  EXPECT_BAD("wordpiece_uncased", root["model"]["type"] = "WordLevel",
             "t.json: model: type 'WordLevel' is not supported; known: WordPiece, BPE, Unigram");
  EXPECT_BAD("unigram_quotes", root["normalizer"]["normalizers"][2]["type"] = "Fancy",
             "normalizer: Sequence: type 'Fancy'");
}

TEST(BadTokenizer, NamesMissingAndMistypedFields) {
  EXPECT_BAD("wordpiece_uncased", root.erase("model"), "t.json: no field 'model'");
  EXPECT_BAD("wordpiece_uncased", root["model"].erase("vocab"), "t.json: model: WordPiece: no field 'vocab'");
  EXPECT_BAD("wordpiece_uncased", root["model"]["vocab"] = 3, "'vocab' is a number, expected an object");
  EXPECT_BAD("wordpiece_uncased", root["model"]["vocab"]["the"] = -1, "the id of 'the' in 'vocab' is -1");
  EXPECT_BAD("wordpiece_uncased", root["model"]["vocab"]["the"] = 4000000000U, "the id of 'the'");
  EXPECT_BAD("wordpiece_uncased", root["normalizer"].erase("lowercase"),
             "BertNormalizer: no field 'lowercase'");
  EXPECT_BAD("wordpiece_uncased", root["normalizer"]["lowercase"] = 1,
             "'lowercase' is a number, expected true or false");
  EXPECT_BAD("wordpiece_uncased", root["added_tokens"][0].erase("content"),
             "added_tokens: no field 'content'");
  EXPECT_BAD("wordpiece_uncased", root["version"] = "2.0", "version '2.0', expected '1.0'");
  EXPECT_ERROR(load(json::array()), ErrorCode::invalid_input, "a list, expected a JSON object");
  EXPECT_ERROR(Tokenizer::from_json("{\"model\": ", "t.json"), ErrorCode::invalid_input, "t.json: not JSON");
}

TEST(BadTokenizer, WantsEachIdAndEachAddedTokenOnce) {
  EXPECT_BAD("wordpiece_uncased", root["model"]["vocab"]["zzz"] = root["model"]["vocab"]["the"],
             "the pieces 'the' and 'zzz' have one id, ");
  EXPECT_BAD("wordpiece_uncased", root["added_tokens"].push_back(root["added_tokens"][0]), "comes twice");
}

TEST(BadTokenizer, RefusesAnIdFarBeyondTheNumberOfPieces) {
  EXPECT_BAD("wordpiece_uncased", root["model"]["vocab"]["the"] = 16777215,
             "the id of 'the' in 'vocab' is 16777215");
}

TEST(BadTokenizer, WantsTheUnknownTokenInTheVocabulary) {
  EXPECT_BAD("wordpiece_uncased", root["model"]["vocab"].erase("[UNK]"),
             "unk_token '[UNK]' is not in the vocabulary");
  EXPECT_BAD("bpe_unknown", root["model"]["vocab"].erase("<unk>"),
             "unk_token '<unk>' is not in the vocabulary");
  EXPECT_BAD("unigram_words", root["model"]["unk_id"] = 1000, "unk_id is 1000, but the vocabulary has");
  EXPECT_BAD("unigram_words", root["model"]["unk_id"] = nullptr, "no 'unk_id'");
}

TEST(BadTokenizer, WantsEveryMergeInTheVocabulary) {
  EXPECT_BAD("byte_bpe_plain", (root["model"]["merges"][0] = json::array({"nowhere", "a"})),
             "merge 1 names 'nowhere', which is not in the vocabulary");
  EXPECT_BAD("byte_bpe_plain", (root["model"]["merges"][2] = json::array({"z", "z"})), "merge 3 names 'zz'");
  EXPECT_BAD("byte_bpe_plain", root["model"]["merges"] = json::array({"a b c"}),
             "merge 1 is 'a b c', expected two pieces");
  EXPECT_BAD("byte_bpe_plain", root["model"]["merges"][1] = 7, "merge 2 is a number, expected two pieces");
  EXPECT_BAD("byte_bpe_plain", root["model"]["dropout"] = 0.1, "dropout makes ids random");
}

TEST(BadTokenizer, ChecksScoresOfUnigrams) {
  EXPECT_BAD("unigram_words", root["model"]["vocab"][3] = "piece",
             "vocab entry 3 must be a piece and its score");
  EXPECT_BAD("unigram_words", root["model"]["vocab"] = json::object(),
             "'vocab' is an object, expected a list");
}

TEST(BadTokenizer, ChecksTemplates) {
  EXPECT_BAD("wordpiece_uncased", root["post_processor"]["special_tokens"].erase("[SEP]"),
             "the template names '[SEP]', which special_tokens lacks");
  EXPECT_BAD("wordpiece_uncased",
             (root["post_processor"]["special_tokens"]["[SEP]"]["ids"] = json::array({5000})),
             "special token id 5000 is not in the vocabulary");
  EXPECT_BAD("wordpiece_uncased", root["post_processor"]["single"][1]["Sequence"]["id"] = "B",
             "names the text 'B', expected 'A'");
  // All tokens are of the first kind to the encoder.
  EXPECT_BAD("wordpiece_uncased", root["post_processor"]["single"][1]["Sequence"]["type_id"] = 1,
             "the template for one text has the type_id 1, expected 0");
  EXPECT_BAD("wordpiece_uncased", root["post_processor"]["single"][0]["SpecialToken"]["type_id"] = -1,
             "has the type_id -1, expected 0");
  EXPECT_BAD("wordpiece_cased", (root["post_processor"]["sep"] = json::array({"[SEP]"})),
             "'sep' must be a token and its id");
}

TEST(BadTokenizer, WantsTheTextOnceInTheTemplate) {
  // Twice, and half of the rows were memory that nobody had written.
  EXPECT_BAD("wordpiece_uncased",
             root["post_processor"]["single"].push_back(json(root["post_processor"]["single"][1])),
             "the template for one text holds it 2 times, expected once");
  EXPECT_BAD("wordpiece_uncased", root["post_processor"]["single"].erase(1),
             "holds it 0 times, expected once");
  EXPECT_BAD("wordpiece_uncased",
             (root["post_processor"] = {{"type", "Sequence"},
                                        {"processors", {root["post_processor"], root["post_processor"]}}}),
             "a second template; one is supported");
}

json replaces(const char* from, const std::string& to) {
  return {{"type", "Replace"}, {"pattern", {{"String", from}}}, {"content", to}};
}

void encode_with(const std::function<void(json&)>& change, const std::string& text,
                 const char* name = "wordpiece_uncased") {
  json root = read_golden_tokenizer(name);
  change(root);
  TokenizerScratch scratch;
  Encoding encoding;
  Tokenizer::from_json(root.dump(), "t.json").encode(text, 64, scratch, encoding);
}

TEST(BadTokenizer, ATextMayNotBecomeEndless) {
  // 34 rules of 60 bytes asked for all the memory there is.
  const auto doubling = [](json& root) {
    root["normalizer"] = {{"type", "Sequence"}, {"normalizers", json::array()}};
    for (int i = 0; i < 34; ++i) root["normalizer"]["normalizers"].push_back(replaces("a", "aa"));
  };
  const std::string refused = "bytes of a text, more than 1 MiB (MARKEVAL_MAX_NORMALIZED sets this limit)";
  EXPECT_ERROR(encode_with(doubling, "a cat"), ErrorCode::invalid_input, refused);
  const auto long_content = [](json& root) { root["normalizer"] = replaces("a", std::string(1 << 20, 'b')); };
  EXPECT_ERROR(encode_with(long_content, std::string(10'000, 'a')), ErrorCode::invalid_input, refused);
  const auto byte_levels = [](json& root) {
    root["pre_tokenizer"] = {{"type", "Sequence"}, {"pretokenizers", json::array()}};
    for (int i = 0; i < 34; ++i) {
      root["pre_tokenizer"]["pretokenizers"].push_back(
          {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}, {"trim_offsets", true}});
    }
  };
  EXPECT_ERROR(encode_with(byte_levels, "\u6c34"), ErrorCode::invalid_input, refused);
  EXPECT_NO_THROW(
      encode_with([](json& root) { root["normalizer"] = replaces("a", "bbb"); }, std::string(1 << 20, 'a')));
}

TEST(BadTokenizer, APieceMayNotBeEndless) {
  const std::string endless(60'000, 'a'), refused = "has 60000 bytes, more than 4 KiB (MARKEVAL_MAX_PIECE";
  EXPECT_ERROR(load_changed("wordpiece_uncased", [&](json& root) { root["model"]["vocab"][endless] = 7; }),
               ErrorCode::invalid_input, refused);
  EXPECT_ERROR(load_changed("unigram_words",
                            [&](json& root) {
                              root["model"]["vocab"].push_back({endless, -1});
                            }),
               ErrorCode::invalid_input, refused);
  EXPECT_ERROR(
      load_changed("wordpiece_uncased", [&](json& root) { root["added_tokens"][0]["content"] = endless; }),
      ErrorCode::invalid_input, refused);
  EXPECT_ERROR(load_changed("wordpiece_uncased",
                            [&](json& root) {
                              root["normalizer"] = replaces("a", "b");
                              root["normalizer"]["pattern"]["String"] = endless;
                            }),
               ErrorCode::invalid_input, refused);
}

TEST(BadTokenizer, AddedTokensOfBlanksTakeALongRunOfThemOnce) {
  // Each of n blanks looked at all blanks behind it.
  const auto of_blanks = [](json& root) {
    root["added_tokens"][0]["content"] = " ";
    root["added_tokens"][0]["lstrip"] = root["added_tokens"][0]["rstrip"] = true;
  };
  EXPECT_NO_THROW(encode_with(of_blanks, std::string(2'000'000, ' ')));
}

TEST(BadTokenizer, ChecksCharacterMaps) {
  EXPECT_BAD("unigram_words", root["normalizer"]["precompiled_charsmap"] = "***=", "is not base64");
  EXPECT_BAD("unigram_words",
             root["normalizer"]["precompiled_charsmap"] = "AAA=", "shorter than its own length field");
  EXPECT_BAD("unigram_words",
             root["normalizer"]["precompiled_charsmap"] = "/////wAAAAA=", "does not fit into it");
}

TEST(BadTokenizer, ChecksPrefixes) {
  EXPECT_BAD("unigram_words", root["pre_tokenizer"]["pretokenizers"][1]["prepend_scheme"] = "sometimes",
             "prepend_scheme 'sometimes' is not known");
  EXPECT_BAD("unigram_words", root["pre_tokenizer"]["pretokenizers"][1]["replacement"] = "ab",
             "must be one character");
  EXPECT_BAD("forms_nfc", root["pre_tokenizer"]["behavior"] = "Thrown", "behavior 'Thrown' is not known");
}

// Changes one random value anywhere in the document.
void damage(json& value, RandomStream& random) {
  json* place = &value;
  for (std::size_t depth = random.below(6) + 1; depth > 0 && place->is_structured() && !place->empty();
       --depth) {
    auto item = place->begin();
    std::advance(item, static_cast<std::ptrdiff_t>(random.below(place->size())));
    if (depth == 1 && random.below(3) == 0) {
      place->erase(item);
      return;
    }
    place = &*item;
  }
  const json choices[] = {nullptr,
                          true,
                          -1,
                          0,
                          7,
                          1e300,
                          4294967295U,
                          "",
                          "a",
                          "[UNK]",
                          "\xEF\xBF\xBD\xE2\x96\x81",
                          json::array(),
                          json::object(),
                          json::array({"a", 1}),
                          std::string(300, '('),
                          "Sequence"};
  *place = choices[random.below(std::size(choices))];
}

void use(const std::string& content) {
  try {
    const Tokenizer tokenizer = Tokenizer::from_json(content, "t.json");
    TokenizerScratch scratch;
    Encoding encoding;
    for (const std::string text :
         {"", "The ferry's [MASK] \xC3\xA9\xCC\x81 12", "\xF0\x9F\x98\x80\xE2\x80\x8D \xEF\xBC\xA1"}) {
      tokenizer.encode(text, 200, scratch, encoding);
      for (const SourceRange range : encoding.offsets) {
        EXPECT_LE(range.begin, range.end);
        EXPECT_LE(range.end, text.size());
      }
      for (const std::int32_t id : encoding.ids)
        EXPECT_LT(static_cast<std::size_t>(id), tokenizer.id_limit());
    }
  } catch (const Error&) {  // the only thing that may be thrown
  }
}

TEST(BadTokenizer, DamagedFilesGiveErrorsOrTokensNeverACrash) {
  std::uint64_t file = 0;
  for (const auto& entry : fs::directory_iterator(MARKEVAL_GOLDEN_FOLDER)) {
    const json whole = read_golden_tokenizer(entry.path().stem().string());
    const std::string text = whole.dump();
    for (std::uint64_t round = 0; round < 30; ++round) {
      RandomStream random(12345, 1000 * file + round);
      json changed = whole;
      for (std::uint64_t count = random.below(3) + 1; count > 0; --count) damage(changed, random);
      use(changed.dump(-1, ' ', false, json::error_handler_t::replace));
      std::string bytes = text;
      for (std::uint64_t count = random.below(4) + 1; count > 0; --count) {
        const std::size_t position = random.below(bytes.size());
        if (random.below(4) == 0) {
          bytes.erase(position, random.below(40));
        } else {
          bytes[position] = static_cast<char>(random.below(256));
        }
        if (bytes.empty()) bytes = "x";
      }
      use(bytes);
    }
    ++file;
  }
}

TEST(BadTokenizer, MayNotNestItsPartsTooDeep) {
  // The process ended here once, for want of stack.
  std::string normalizer = R"({"type": "Lowercase"})";
  for (int depth = 0; depth < 14000; ++depth)
    normalizer = R"({"type": "Sequence", "normalizers": [)" + normalizer + "]}";
  EXPECT_ERROR(Tokenizer::from_json(R"({"model": {}, "normalizer": )" + normalizer + "}", "t.json"),
               ErrorCode::invalid_input, "t.json: 101 levels of JSON, more than 100");
}

}  // namespace
}  // namespace markeval::token
