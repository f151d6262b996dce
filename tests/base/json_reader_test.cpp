#include "base/json_reader.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/environment.hpp"
#include "support/temp_folder.hpp"

namespace markeval {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, ReadsWhatIsThere) {
  const nlohmann::json value = parse_json(R"({"a": [1, "b\n", null]})", "f");
  EXPECT_EQ(value["a"][1], "b\n");
  EXPECT_EQ(parse_json("  7 ", "f"), 7);
}

TEST(ParseJson, SaysWhereAndWhatWasExpected) {
  EXPECT_ERROR(parse_json("{\n\"a\": 1,\n}", "config.json"), ErrorCode::invalid_input,
               "config.json: line 3: not JSON: unexpected '}'");
  EXPECT_ERROR(parse_json("{", "config.json"), ErrorCode::invalid_input,
               "config.json: not JSON: unexpected end of input");
  EXPECT_ERROR(parse_json("", "config.json"), ErrorCode::invalid_input, "config.json: not JSON: ");
  EXPECT_ERROR(parse_json("1e999", "config.json"), ErrorCode::invalid_input, "config.json: not JSON: ");
  EXPECT_ERROR(parse_json("\"\xff\"", "config.json"), ErrorCode::invalid_input, "config.json: not JSON: ");
}

std::string message_for(const std::string& text) {
  try {
    parse_json(text, "config.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ParseJson, KeepsMessagesShortAndItsOwn) {
  for (const std::string& text :
       {"{\"" + std::string(1 << 20, 'x'), std::string(1 << 20, 'x'), std::string("[1 2]"),
        "[\"" + std::string(1 << 20, 'x') + "\" 2]", std::string("[\"\x1b[31m\"]"), std::string("{1: 2}")}) {
    const std::string message = message_for(text);
    EXPECT_LT(message.size(), 300u) << message;
    EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
    EXPECT_EQ(message.find('\x1b'), std::string::npos) << message;
    EXPECT_TRUE(message.starts_with("config.json: not JSON: ")) << message;
  }
}

TEST(ParseJson, CountsValuesBeforeTheyAreBuilt) {
  const std::string empty = "[[],[],[],[]]";
  EXPECT_NO_THROW(parse_json(empty, "f", {.values = 20}));
  EXPECT_ERROR(parse_json(empty, "f", {.values = 5}), ErrorCode::invalid_input,
               "f: about 9 values of JSON, expected at most 5");
  EXPECT_NO_THROW(parse_json(R"(["[,],{,}"])", "f", {.values = 5}));
  const EnvironmentVariable limit("MARKEVAL_MAX_JSON_VALUES", "5");
  EXPECT_ERROR(parse_json(empty, "f"), ErrorCode::invalid_input,
               "f: about 9 values of JSON, more than 5 (MARKEVAL_MAX_JSON_VALUES sets this limit)");
}

TEST(ParseJson, BoundsDepthAndSize) {
  EXPECT_NO_THROW(parse_json(nested(100), "f"));
  EXPECT_ERROR(parse_json(nested(101), "f"), ErrorCode::invalid_input,
               "f: 101 levels of JSON, more than 100 (MARKEVAL_MAX_JSON_DEPTH sets this limit)");
  EXPECT_ERROR(parse_json(std::string(1000000, '['), "f"), ErrorCode::invalid_input,
               "f: 101 levels of JSON, more than 100");
  EXPECT_NO_THROW(parse_json("[\"" + std::string(200, '[') + "\\\"[\"]", "f"))
      << "brackets in strings do not count";
  EXPECT_ERROR(parse_json("[1, 2]", "f", {.bytes = 5}), ErrorCode::invalid_input,
               "f: 6 bytes of JSON, expected at most 5");
  const EnvironmentVariable size("MARKEVAL_MAX_JSON", "5"), depth("MARKEVAL_MAX_JSON_DEPTH", "2");
  EXPECT_ERROR(parse_json("[1, 2]", "f"), ErrorCode::invalid_input,
               "f: 6 bytes of JSON, more than 5 bytes (MARKEVAL_MAX_JSON sets this limit)");
  EXPECT_NO_THROW(parse_json("[[]]", "f"));
  EXPECT_ERROR(parse_json("[[[", "f"), ErrorCode::invalid_input, "f: 3 levels of JSON, more than 2");
}

TEST(ParseJson, RefusesAKeyThatComesTwice) {
  EXPECT_ERROR(parse_json(R"({"a": 1, "b": {"a": 1, "c": ":", "a": 2}})", "t"), ErrorCode::invalid_input,
               "t: the key 'a' comes twice in one object");
  EXPECT_ERROR(parse_json(R"([{"a": 1, "\u0061": 2}])", "t"), ErrorCode::invalid_input,
               "the key 'a' comes twice");
  EXPECT_NO_THROW(parse_json(R"({"a": {"a": [{"a": 1}, {"a": ":\\\":"}]}, "b:": 1})", "t"));
}

// The library's parser takes it for the end.
TEST(ParseJson, RefusesANulByte) {
  using namespace std::string_view_literals;
  EXPECT_ERROR(parse_json("{}\0{\"a\": 1}"sv, "f.json"), ErrorCode::invalid_input,
               "f.json: not JSON: a NUL byte");
  EXPECT_ERROR(parse_json("{}\0"sv, "f.json"), ErrorCode::invalid_input, "f.json: not JSON: a NUL byte");
}

TEST(ParseJsonObject, NamesWhatElseItIs) {
  EXPECT_ERROR(parse_json_object("[]", "f"), ErrorCode::invalid_input, "f: a list, expected a JSON object");
  EXPECT_ERROR(parse_json_object("3", "f"), ErrorCode::invalid_input, "f: a number, expected a JSON object");
}

TEST(Brief, IsTheValueWhereThatIsShort) {
  EXPECT_EQ(brief(nlohmann::json(1.5)), "1.5");
  EXPECT_EQ(brief(nlohmann::json("a\nb")), "'a\\nb'");
  EXPECT_EQ(brief(nlohmann::json::parse("[1, 2]")), "[1,2]");
  EXPECT_EQ(brief(nlohmann::json::parse("[[1]]")), "a list");
  EXPECT_EQ(brief(nlohmann::json::object()), "{}");
  EXPECT_EQ(brief(nlohmann::json::parse(R"({"a": {}})")), "an object");
  EXPECT_LT(brief(nlohmann::json(std::string(1000, 'x'))).size(), 100u);
}

}  // namespace
}  // namespace markeval
