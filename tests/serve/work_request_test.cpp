// Bodies of requests: what they may hold, what is refused and with which words.
#include "serve/work_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/json.hpp"

namespace markeval::serve {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const WorkDefaults kDefaults{"tiny", "none", 10};

json score_body() {
  return {{"references", {"a", "b"}}, {"systems", {{{"name", "mine"}, {"texts", {"c", "d"}}}}}};
}

std::string error_of(WorkKind kind, json body) {
  try {
    read_work_request(kind, body, kDefaults);
    return "no error";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(WorkRequest, TakesTextsAndFields) {
  json body = score_body();
  body["metrics"] = {"bleu"};
  body["seed"] = 7;
  const auto request = read_work_request(WorkKind::score, body, kDefaults);
  EXPECT_EQ(request->score.seed, 7U);
  EXPECT_EQ(request->score.encoder.model, "tiny");
  EXPECT_EQ(request->score.encoder.cache, "none");
  ASSERT_EQ(request->score.systems.size(), 1U);
  EXPECT_EQ(request->score.systems[0].name, "mine");
  EXPECT_THAT(std::get<Texts>(request->score.systems[0].source).lines, ElementsAre("c", "d"));
  EXPECT_EQ(request->texts, 4U);
  EXPECT_EQ(request->bytes, 4U);
  EXPECT_FALSE(request->needs_encoder());
}

TEST(WorkRequest, TakesSeveralReferencesOfASegment) {
  json body = score_body();
  body["references"] = json::array({json::array({"a", "b"}), "c"});
  const auto request = read_work_request(WorkKind::score, body, kDefaults);
  EXPECT_THAT(request->references.lines, ElementsAre("a", "b", "c"));
  EXPECT_THAT(request->references.starts, ElementsAre(0U, 2U, 3U));
}

TEST(WorkRequest, PresetsComeBeforeMetrics) {
  json body = score_body();
  EXPECT_THAT(read_work_request(WorkKind::score, body, kDefaults)->metrics(), ElementsAre("bleu", "chrf"));
  body["preset"] = "summary";
  body["metrics"] = {"ter"};
  const auto request = read_work_request(WorkKind::score, body, kDefaults);
  EXPECT_THAT(request->metrics(), ElementsAre("rouge1", "rouge2", "moverscore", "bertscore", "ter"))
      << "match has no head for the model of this server";
  EXPECT_TRUE(request->needs_encoder());
}

TEST(WorkRequest, SaysWhatIsWrong) {
  const auto of_score = [](const char* name, json value) {
    json body = score_body();
    body[name] = std::move(value);
    return error_of(WorkKind::score, body);
  };
  EXPECT_EQ(of_score("references", "a"), "references is 'a', expected a list of texts");
  EXPECT_EQ(of_score("references", json::array({1})), "references[0] is 1, expected a text");
  EXPECT_EQ(of_score("references", json::array({json::array()})),
            "references[0] is empty, expected one text or more");
  EXPECT_EQ(of_score("references", json::array()), "references is empty, expected one text or more");
  EXPECT_EQ(of_score("systems", json::array()), "systems is empty, expected one system or more");
  EXPECT_EQ(of_score("systems", json::object()), "systems is empty, expected one system or more");
  EXPECT_THAT(of_score("systems", "mine"), HasSubstr("or a list of"));
  EXPECT_THAT(of_score("systems", {{"mine", "c"}}),
              HasSubstr("systems['mine'] is 'c', expected a list of texts"));
  EXPECT_THAT(of_score("systems", {{{"name", 3}, {"texts", {"a"}}}}), HasSubstr("systems[0].name is 3"));
  EXPECT_THAT(of_score("systems", {{{"name", "x"}}}), HasSubstr("systems[0] has no texts"));
  EXPECT_THAT(of_score("systems", {{{"nam", "x"}}}), HasSubstr("unknown field 'nam' in systems[0]"));
  EXPECT_THAT(of_score("metrcs", {"bleu"}), HasSubstr("did you mean 'metrics'?"));
  EXPECT_THAT(of_score("preset", "mtt"), HasSubstr("did you mean 'mt'?"));
  EXPECT_EQ(error_of(WorkKind::score, json::object()), "no references in the request");
  EXPECT_EQ(error_of(WorkKind::correlate, {{"columns", {{"a", {1, 2}}}}}), "no gold in the request");
  EXPECT_THAT(error_of(WorkKind::correlate, {{"columns", {{"a", {1, "x"}}}}, {"gold", "a"}}),
              HasSubstr("columns['a'] holds numbers and a string"));
  EXPECT_EQ(error_of(WorkKind::embeddings, {{"input", json::array()}}),
            "input is empty, expected one text or more");
  EXPECT_THAT(error_of(WorkKind::embeddings, {{"input", "a"}, {"pool", "none"}}),
              HasSubstr("expected one row"));
  EXPECT_THAT(error_of(WorkKind::embeddings, {{"input", "a"}, {"encoding_format", "hex"}}),
              HasSubstr("expected float or base64"));
}

TEST(WorkRequest, RefusesMoreTextsThanTheServerTakes) {
  json body = score_body();
  body["references"] = std::vector<std::string>(9, "x");
  EXPECT_THAT(error_of(WorkKind::score, body), HasSubstr("11 texts, more than 10"));
}

TEST(WorkRequest, RefusesWhatNamesAFileOfTheServer) {
  const auto refused = [](WorkKind kind, json body, const char* name, json value) {
    body[name] = std::move(value);
    return error_of(kind, body);
  };
  EXPECT_THAT(refused(WorkKind::score, score_body(), "cache", "/tmp"), HasSubstr("may not"));
  EXPECT_THAT(refused(WorkKind::score, score_body(), "model", "../secret"), HasSubstr("may not"));
  EXPECT_THAT(refused(WorkKind::score, score_body(), "metrics", {"bertscore:rescale=/etc/passwd"}),
              HasSubstr("may not"));
  EXPECT_THAT(refused(WorkKind::correlate, json::object(), "table", "/etc/passwd"), HasSubstr("may not"));
  EXPECT_THAT(refused(WorkKind::embeddings, json::object(), "output", "/tmp/x"), HasSubstr("may not"));
}

TEST(WorkRequest, PairsStandInPlaceOfHumanScores) {
  const json columns{{"ref", {"a", "b"}}, {"good", {"a", "b"}}, {"bad", {"c", "d"}}};
  json body{{"columns", columns},
            {"reference", "ref"},
            {"better", "good"},
            {"worse", "bad"},
            {"metrics", {"chrf"}}};
  EXPECT_EQ(error_of(WorkKind::correlate, body), "no error");
  body.erase("better");
  body.erase("worse");
  EXPECT_THAT(error_of(WorkKind::correlate, body), HasSubstr("no gold in the request"));
  EXPECT_EQ(body_schema(WorkKind::correlate)["required"].dump(), R"(["columns"])");
  EXPECT_EQ(body_schema(WorkKind::correlate)["anyOf"].size(), 2U);
}

TEST(WorkRequest, ASystemWithoutTextsIsNamed) {
  json body = score_body();
  body["systems"].push_back(json::object());
  EXPECT_THAT(error_of(WorkKind::score, body), HasSubstr("systems[1] has no texts"));
}

TEST(WorkRequest, TakesSystemsByName) {
  json body = score_body();
  body["systems"] = {{"mine", {"c", "d"}}, {"other", {"e", "f"}}};
  const auto request = read_work_request(WorkKind::score, body, kDefaults);
  ASSERT_EQ(request->systems.size(), 2U);
  EXPECT_EQ(request->systems[0].name, "mine");
  EXPECT_THAT(request->systems[1].lines, ElementsAre("e", "f"));
}

TEST(WorkRequest, FieldsAreCalledAsTheOptionsAndByTheirOldNames) {
  const auto with = [](const char* name, json value) {
    json body = score_body();
    body[name] = std::move(value);
    return read_work_request(WorkKind::score, body, kDefaults);
  };
  for (const char* name : {"ci", "resamples"}) EXPECT_EQ(with(name, 50)->score.resamples, 50U) << name;
  for (const char* name : {"long", "windows"})
    EXPECT_TRUE(with(name, "window")->score.encoder.windows) << name;
  for (const char* name : {"group", "groups"})
    EXPECT_THAT(with(name, {"x", "y"})->score.groups, ElementsAre("x", "y")) << name;
  json both = score_body();
  both["ci"] = both["resamples"] = 5;
  EXPECT_EQ(error_of(WorkKind::score, both), "ci and resamples are two names of one field, expected one");
  const auto properties = body_schema(WorkKind::score)["properties"];
  EXPECT_TRUE(properties.contains("ci") && properties.contains("long") && properties.contains("group"));
  EXPECT_FALSE(properties.contains("resamples"));
}

TEST(WorkRequest, RefusesAnAnswerThatWouldBeTooLarge) {
  json body = score_body();
  body["systems"] = json::array();
  for (int i = 0; i < 5; ++i) body["systems"].push_back({{"texts", {"c", "d"}}});
  WorkDefaults defaults = kDefaults;
  defaults.max_texts = 100;
  const auto error = [&](WorkKind kind) {
    json copy = body;
    try {
      read_work_request(kind, copy, defaults);
    } catch (const Error& found) {
      return std::string(found.what());
    }
    return std::string("no error");
  };
  body["metrics"] = {"bleu"};
  defaults.max_scores = 10;
  EXPECT_EQ(error(WorkKind::score), "no error");
  EXPECT_THAT(error(WorkKind::compare), HasSubstr("15 scores in the answer, more than 10 (max_scores"));
  body["segments"] = true;
  EXPECT_THAT(error(WorkKind::score), HasSubstr("17 scores in the answer"));
  defaults.max_systems = 4;
  EXPECT_THAT(error(WorkKind::score), HasSubstr("5 systems, more than 4 (max_systems of the server)"));
}

TEST(WorkRequest, CountsGroupsAndTheRowsOfACorrelation) {
  const auto error = [](WorkKind kind, json body, std::size_t most) {
    WorkDefaults defaults = kDefaults;
    defaults.max_scores = most;
    defaults.max_texts = 1000;
    try {
      read_work_request(kind, body, defaults);
    } catch (const Error& found) {
      return std::string(found.what());
    }
    return std::string("no error");
  };
  json body = score_body();
  body["metrics"] = {"bleu"};
  body["group"] = {"one", "two"};
  EXPECT_EQ(error(WorkKind::score, body, 3), "no error");  // all, and two groups
  EXPECT_THAT(error(WorkKind::score, body, 2), HasSubstr("3 scores in the answer, more than 2 (max_scores"));
  json table{{"columns", {{"h", {1, 2, 3}}, {"m", {1, 2, 3}}, {"n", {1, 2, 3}}, {"label", {"a", "b", "a"}}}},
             {"gold", "h"},
             {"predicted", {"m", "n"}},
             {"group", "label"},
             {"coefficients", {"pearson"}}};
  // Two columns: two groups, all and the mean, and a test against either column.
  EXPECT_EQ(error(WorkKind::correlate, table, 12), "no error");
  EXPECT_THAT(error(WorkKind::correlate, table, 11), HasSubstr("12 scores in the answer, more than 11"));
}

TEST(WorkRequest, SourceTextsAreForThePageOfAScore) {
  json body = score_body();
  body["source_texts"] = {"x", "y"};
  EXPECT_THAT(read_work_request(WorkKind::score, body, kDefaults)->score.source_texts, ElementsAre("x", "y"));
  EXPECT_THAT(error_of(WorkKind::compare, body), HasSubstr("unknown field 'source_texts'"));
}

TEST(WorkRequest, SchemaHasEveryFieldAClientMaySet) {
  for (const WorkKind kind :
       {WorkKind::score, WorkKind::compare, WorkKind::correlate, WorkKind::embeddings}) {
    const nlohmann::ordered_json schema = body_schema(kind);
    WorkRequest request(kind);
    for (const request::Field& field : fields_of(request))
      EXPECT_EQ(schema["properties"].contains(std::string(field.name)), !field.names_file) << field.name;
    for (const auto& name : schema["required"])
      EXPECT_TRUE(schema["properties"].contains(name.get<std::string>()));
    EXPECT_EQ(work_kind(std::string(name_of(kind))), kind);
  }
}

}  // namespace
}  // namespace markeval::serve
